//! `guild plugins`

mod config;
mod show;

use super::switching;
use crate::print::{Cell, Ink, Style, escape, problem, table};
use crate::ui::Ui;
use guild_engine::catalog::Freshness;
use guild_engine::reply::{PluginSummary, Plugins};
use guild_engine::{counted, plugins};
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

/// List every plugin, show one, switch one on or off, or set values for one
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Show(show::Args),
    /// Switch a plugin on, for everybody or for one agent: `guild enable` for plugins
    Enable(switching::PluginArgs),
    /// Switch a plugin off, for everybody or for one agent: `guild disable` for plugins
    Disable(switching::PluginArgs),
    Config(config::Args),
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    match &args.command {
        Some(Command::Config(args)) => return config::run(args, ui),
        Some(Command::Show(args)) => return show::run(args, ui),
        Some(Command::Enable(args)) => return switching::run_for_plugin(args, true, ui),
        Some(Command::Disable(args)) => return switching::run_for_plugin(args, false, ui),
        None => {}
    }
    let hall = ui.hall(Freshness::Indexed);
    let envelope = plugins(&hall);
    let mut message = counted(envelope.data.count, "plugin");
    if envelope.data.plugins.iter().any(|plugin| plugin.waits) {
        message.push_str("; `guild enable NAME` adds what one with `skills only` brings besides");
    }
    ui.finish(&envelope.with_message(message), print)
}

fn state(plugin: &PluginSummary<'_>) -> Cell<'static> {
    let is_whole = plugin.enabled && !plugin.waits;
    Cell::new(if is_whole { Ink::Green } else { Ink::Yellow }, plugin.state())
}

fn print(data: &Plugins<'_>, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let counts: Vec<String> = data.plugins.iter().map(|plugin| plugin.skill_count.to_string()).collect();
    let rows: Vec<[Cell<'_>; 6]> = data
        .plugins
        .iter()
        .zip(&counts)
        .map(|(plugin, count)| {
            [
                Cell::new(Ink::Bold, plugin.name),
                Cell::plain(plugin.version.unwrap_or("-")),
                Cell::plain(plugin.scope),
                Cell::plain(count),
                state(plugin),
                Cell::plain(plugin.description),
            ]
        })
        .collect();
    if !rows.is_empty() {
        table(["NAME", "VERSION", "SOURCE", "SKILLS", "STATE", "DESCRIPTION"], &rows, style, out)?;
    }
    for plugin in data.plugins.iter().filter(|plugin| plugin.failed) {
        let name = escape::line(plugin.name);
        let why = escape::line(plugin.off.unwrap_or_default());
        writeln!(out, "plugin {} is {why}", style.ink(Ink::Red, &name))?;
    }
    data.problems.iter().try_for_each(|line| problem(line, Path::new(""), style, out))
}
