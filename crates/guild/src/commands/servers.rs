//! `guild servers`

use crate::print::{Cell, Ink, difference, escape, table};
use crate::ui::Ui;
use guild_engine::catalog::Freshness;
use guild_engine::reply::ServerLine;
use guild_engine::{HostPlaces, HostScope, Status, TakeOver, counted, servers_import, servers_list};
use std::path::PathBuf;
use std::process::ExitCode;

/// Show your MCP servers, and take over those of other programs
///
/// Skills call their tools. They stand in your configuration as `[mcp.servers.NAME]`; `guild tools list` asks them for their tools. One with a command runs in a
/// container: without a network and with nothing of yours unless its entry says so.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// List them, without reaching any
    List,
    /// Take over the servers of another program's configuration file
    ///
    /// Hosts: claude-code, codex, cursor, gemini, vscode, openclaw, opencode, zed. Values of variables and headers are not taken along: `guild
    /// secret set` keeps them.
    Import {
        /// The agent's program
        #[arg(value_name = "HOST")]
        host: String,
        /// From the project's file instead of yours
        #[arg(long)]
        project: bool,
        /// Only show what would change
        #[arg(long)]
        dry_run: bool,
    },
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    match &args.command {
        Command::List => list(ui),
        Command::Import { host, project, dry_run } => {
            let machine = ui.machine();
            let scope = if *project { HostScope::Project } else { HostScope::User };
            let config = machine
                .config_directory()
                .map_or_else(|| PathBuf::from("guild.toml"), |directory| directory.join("guild/config.toml"));
            let places = HostPlaces { home: machine.home.as_deref(), project: machine.workspace() };
            let mut envelope =
                servers_import(places, &TakeOver { host, scope, config: &config, dry_run: *dry_run });
            if envelope.status == Status::Ok {
                envelope.message = match (envelope.data.added.len(), *dry_run) {
                    (0, _) => "there is nothing to take over".to_owned(),
                    (_, true) => "nothing was written".to_owned(),
                    (count, false) => format!("{} taken over", counted(count, "server")),
                };
            }
            ui.finish(&envelope, |data, style, out| {
                difference(&data.difference, style, out)?;
                for skipped in &data.skipped {
                    let (name, reason) = (escape::exact(&skipped.name), escape::line(&skipped.reason));
                    writeln!(out, "not taken: {name}: {reason}")?;
                }
                data.variables.iter().try_for_each(|name| {
                    writeln!(out, "set a value: guild secret set {}", escape::exact(name))
                })
            })
        }
    }
}

fn list(ui: &Ui) -> ExitCode {
    let mut envelope = servers_list(&ui.hall(Freshness::Indexed));
    envelope.message = counted(envelope.data.count, "server");
    ui.finish(&envelope, |data, style, out| {
        let place = |server: &ServerLine| server.url.clone().unwrap_or_else(|| server.command.join(" "));
        let places: Vec<String> = data.servers.iter().map(place).collect();
        let rows: Vec<[Cell<'_>; 4]> = data.servers.iter().zip(&places).map(row).collect();
        if rows.is_empty() {
            Ok(())
        } else {
            table(["NAME", "TRANSPORT", "NETWORK", "PLACE"], &rows, style, out)
        }
    })
}

fn row<'a>((server, place): (&'a ServerLine, &'a String)) -> [Cell<'a>; 4] {
    let name = Cell::new(Ink::Bold, &server.name);
    [name, Cell::plain(server.transport), Cell::plain(server.network), Cell::plain(place)]
}
