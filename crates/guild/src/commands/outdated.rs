//! `guild outdated`

use crate::installing::{SiteArgs, look_around, short};
use crate::print::{Cell, Ink, Style, table};
use crate::ui::Ui;
use guild_engine::outdated;
use guild_engine::reply::Outdated;
use std::io::{self, Write};
use std::process::ExitCode;

/// Say what has moved at its source since it was installed
///
/// The names of commits are asked for, and only what has moved is fetched, to see whether its files have. Nothing is changed.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only these skills or plugins
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    #[command(flatten)]
    site: SiteArgs,
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    let envelope =
        look_around(ui, async |installer| outdated(installer, args.site.scope(), &args.names).await);
    ui.finish(&envelope, print)
}

fn print(data: &Outdated, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let told: Vec<_> = data.skills.iter().filter(|line| line.state != "current").collect();
    let shown = |value: &Option<String>| value.as_deref().map_or_else(|| "-".to_owned(), short);
    let versions: Vec<[String; 2]> =
        told.iter().map(|line| [shown(&line.current), shown(&line.latest)]).collect();
    let rows: Vec<[Cell<'_>; 6]> = told
        .iter()
        .zip(&versions)
        .map(|(line, [current, latest])| {
            [
                Cell::new(Ink::Bold, &line.name),
                Cell::new(Ink::Yellow, line.state),
                Cell::plain(line.r#ref.as_deref().unwrap_or("-")),
                Cell::plain(current),
                Cell::plain(latest),
                Cell::plain(line.reason.as_deref().unwrap_or(&line.source)),
            ]
        })
        .collect();
    if rows.is_empty() {
        return Ok(());
    }
    table(["NAME", "STATE", "REF", "INSTALLED", "LATEST", "SOURCE"], &rows, style, out)
}
