//! `guild roots`

use crate::print::{Cell, Ink, Style, table};
use crate::ui::Ui;
use guild_engine::catalog::Freshness;
use guild_engine::reply::Roots;
use guild_engine::roots;
use std::io::{self, Write};
use std::process::ExitCode;

/// List the directories that are searched, highest precedence first
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Also directories that do not exist
    #[arg(long)]
    all: bool,
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    let hall = ui.hall(Freshness::Indexed);
    let mut envelope = roots(&hall);
    let missing = envelope.data.roots.iter().filter(|root| root.status == "missing").count();
    if !args.all && missing > 0 {
        envelope.message = match missing {
            1 => "1 more place does not exist; `guild roots --all` lists it".to_owned(),
            _ => format!("{missing} more places do not exist; `guild roots --all` lists them"),
        };
    }
    ui.finish(&envelope, |data, style, out| print(data, args.all, style, out))
}

fn print(data: &Roots, all: bool, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let shown = data.roots.iter().filter(|root| all || root.status != "missing");
    let rows: Vec<[Cell<'_>; 5]> = shown
        .map(|root| {
            let ink = if root.status == "ok" { Ink::Green } else { Ink::Yellow };
            [
                Cell::plain(root.scope),
                Cell::plain(root.holds),
                Cell::plain(root.convention),
                Cell::new(ink, root.status),
                Cell::path(Ink::Cyan, &root.path),
            ]
        })
        .collect();
    if rows.is_empty() {
        return Ok(());
    }
    table(["SOURCE", "HOLDS", "CONVENTION", "STATUS", "PATH"], &rows, style, out)
}
