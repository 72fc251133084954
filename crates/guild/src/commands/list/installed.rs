//! `guild list --installed`

use crate::installing::{look, short};
use crate::print::{Cell, Ink, Style, escape, table};
use crate::ui::Ui;
use guild_engine::reply::{Installed, InstalledLine};
use guild_engine::{Status, installed};
use std::io::{self, Write};
use std::process::ExitCode;

pub fn run(ui: &Ui) -> ExitCode {
    let mut envelope = look(ui, async |installer| installed(installer).await);
    if envelope.status == Status::Ok {
        envelope.message = format!("{} installed", envelope.data.count);
    }
    ui.finish(&envelope, print)
}

fn print(data: &Installed, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let versions: Vec<String> = data.installed.iter().map(version).collect();
    let switch = |line: &InstalledLine| match (line.enabled, line.failed) {
        (true, _) => "",
        (false, true) => ",error",
        (false, false) => ",off",
    };
    let state = |line: &InstalledLine| format!("{}{}", line.state, switch(line));
    let states: Vec<String> = data.installed.iter().map(state).collect();
    let rows: Vec<[Cell<'_>; 7]> = data
        .installed
        .iter()
        .zip(versions.iter().zip(&states))
        .map(|(line, (version, state))| {
            [
                Cell::new(Ink::Bold, &line.name),
                Cell::plain(line.kind),
                Cell::plain(line.scope),
                Cell::new(if state == "intact" { Ink::Green } else { Ink::Yellow }, state),
                Cell::plain(version),
                Cell::plain(&line.source),
                Cell::plain(&line.preview),
            ]
        })
        .collect();
    if rows.is_empty() {
        return Ok(());
    }
    table(["NAME", "KIND", "WHERE", "STATE", "VERSION", "SOURCE", "PREVIEW"], &rows, style, out)?;
    let failed = data.installed.iter().filter(|line| line.failed);
    failed.map(|line| (line, line.off.as_deref().unwrap_or_default())).try_for_each(|(line, why)| {
        let name = escape::line(&line.name);
        writeln!(out, "{} {} is {}", line.kind, style.ink(Ink::Red, &name), escape::line(why))
    })
}

/// What was asked for and what it was found to be.
fn version(line: &InstalledLine) -> String {
    let resolved = line.resolved.as_deref().map(short);
    let parts = [line.r#ref.clone(), resolved, line.pinned.then(|| "pinned".to_owned())];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() { "-".to_owned() } else { parts.join(" ") }
}
