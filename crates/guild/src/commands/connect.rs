//! `guild connect`

use crate::print::{difference, escape};
use crate::ui::Ui;
use clap::ValueEnum;
use guild_engine::{ConnectRequest, HostPlaces, HostScope, Status, connect};
use std::path::PathBuf;
use std::process::ExitCode;

/// Make an agent's program use Guildhall: one entry in its own configuration file
///
/// Everything else in the file stays as it is, comments included, and the file as it was is kept beside it. Doing it twice does
/// nothing. Hosts: claude-code, codex, cursor, gemini, vscode, openclaw, opencode, zed.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The agent's program
    #[arg(value_name = "HOST")]
    host: String,
    /// In whose file: yours, for all projects, or the project's, for everybody who works on it
    #[arg(long, value_enum, default_value = "user")]
    scope: Scope,
    /// The agent that it is served as; the host's name unless it is given
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// Only show what would change
    #[arg(long)]
    dry_run: bool,
    /// Take the entry away
    #[arg(long)]
    remove: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Scope {
    /// The person's own
    User,
    /// The project's
    Project,
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    let machine = ui.machine();
    let program = program();
    let request = ConnectRequest {
        host: &args.host,
        scope: match args.scope {
            Scope::User => HostScope::User,
            Scope::Project => HostScope::Project,
        },
        agent: args.agent.as_deref(),
        program: &program,
        remove: args.remove,
        dry_run: args.dry_run,
    };
    let places = HostPlaces { home: machine.home.as_deref(), project: machine.workspace() };
    let mut envelope = connect(places, &request);
    if envelope.status == Status::Ok {
        let data = &envelope.data;
        envelope.message = match (data.changed, args.dry_run, args.remove) {
            (false, _, false) => format!("{} is connected already", data.host),
            (false, _, true) => format!("{} is not connected", data.host),
            (true, true, _) => "nothing was written".to_owned(),
            (true, false, false) => {
                format!("{} is connected as agent `{}`; start it anew", data.host, data.agent)
            }
            (true, false, true) => format!("{} is no longer connected", data.host),
        };
    }
    ui.finish(&envelope, |data, style, out| {
        if data.changed {
            writeln!(out, "{}", escape::exact(&data.path))?;
            difference(&data.difference, style, out)?;
        }
        Ok(())
    })
}

/// The command by its path: hosts have other search paths than a person's shell.
fn program() -> String {
    let here = std::env::current_exe().and_then(|path| path.canonicalize());
    here.unwrap_or_else(|_| PathBuf::from("guild")).to_string_lossy().into_owned()
}
