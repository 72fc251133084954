//! `guild doctor`

use crate::print::{Ink, Style, escape};
use crate::runtime;
use crate::ui::Ui;
use guild_engine::catalog::Freshness;
use guild_engine::reply::{Doctor, Health};
use guild_engine::{HostPlaces, container_backends, doctor, host_probes};
use std::io::{self, Write};
use std::process::ExitCode;

/// Look at everything that decides what you see, and say what to do
///
/// Agents' programs that `guild connect` has connected are asked themselves, where they are installed and have a command for it: `claude mcp list`,
/// `codex mcp list`, `gemini mcp list`.
#[derive(Debug, clap::Args)]
pub struct Args {}

pub fn run(_: &Args, ui: &Ui) -> ExitCode {
    let hall = ui.hall(Freshness::Indexed);
    let runtimes = runtime::block_on(container_backends(&ui.surroundings()).probe()).unwrap_or_default();
    let machine = ui.machine();
    let places = HostPlaces { home: machine.home.as_deref(), project: machine.workspace() };
    let hosts = host_probes(places, &machine.env);
    ui.finish(&doctor(&hall, &runtimes, hosts), print)
}

fn print(data: &Doctor, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    for check in &data.checks {
        let (ink, mark) = match check.health {
            Health::Good => (Ink::Green, "good"),
            Health::Warning => (Ink::Yellow, "look"),
            Health::Bad => (Ink::Red, "bad "),
        };
        writeln!(out, "{}  {:<14} {}", style.ink(ink, mark), check.name, escape::line(&check.detail))?;
        if let Some(hint) = &check.hint {
            writeln!(out, "      {:<14} {} {}", "", style.ink(Ink::Cyan, "hint:"), escape::line(hint))?;
        }
    }
    Ok(())
}
