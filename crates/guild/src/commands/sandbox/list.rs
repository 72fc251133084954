//! `guild sandbox list`

use crate::print::{Cell, Ink, table};
use crate::ui::Ui;
use guild_engine::reply::ContainerLine;
use guild_engine::{counted, sandbox_list};
use std::process::ExitCode;

/// List the containers that live on
#[derive(Debug, clap::Args)]
pub struct Args {}

pub fn run(_: &Args, ui: &Ui) -> ExitCode {
    let mut envelope = sandbox_list(&ui.places(), ui.now());
    if envelope.message.is_empty() {
        envelope.message = counted(envelope.data.count, "container");
    }
    ui.finish(&envelope, |data, style, out| {
        if data.containers.is_empty() {
            return Ok(());
        }
        let shown: Vec<Shown<'_>> = data.containers.iter().map(Shown::of).collect();
        let rows: Vec<_> = shown.iter().map(Shown::row).collect();
        table(["ID", "OWNER", "ROLE", "RUNTIME", "LEFT"], &rows, style, out)
    })
}

/// A line with the words that are made for it.
struct Shown<'a> {
    line: &'a ContainerLine,
    owner: String,
    left: String,
}

impl<'a> Shown<'a> {
    fn of(line: &'a ContainerLine) -> Self {
        let shared = if line.shared { " (shared)" } else { "" };
        Self { line, owner: format!("{}{shared}", line.owner), left: format!("{} s", line.seconds_left) }
    }

    fn row(&self) -> [Cell<'_>; 5] {
        [
            Cell::new(Ink::Bold, &self.line.id),
            Cell::plain(&self.owner),
            Cell::plain(&self.line.role),
            Cell::plain(&self.line.backend),
            Cell::new(Ink::Dim, &self.left),
        ]
    }
}
