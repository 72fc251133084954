//! `guild completions`

use crate::cli::Cli;
use crate::ui::Ui;
use clap::{Command, CommandFactory as _};
use clap_complete::Shell;
use guild_engine::Envelope;
use std::process::ExitCode;

/// Print a completion script for a shell
///
/// For bash: `guild completions bash > ~/.local/share/bash-completion/completions/guild`
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,
}

/// What programs get: the script and for whom it is.
#[derive(Debug, serde::Serialize)]
struct Script {
    shell: String,
    script: String,
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    // Into memory first: the generator panics when its writer fails, and a closed pipe is no defect.
    let mut script = Vec::new();
    let mut command = Cli::command();
    // Before that a command has none of those below it.
    command.build();
    clap_complete::generate(args.shell, &mut shown(command), "guild", &mut script);
    let script = String::from_utf8_lossy(&script).into_owned();
    let envelope = Envelope::ok(Script { shell: args.shell.to_string(), script });
    ui.finish(&envelope, |data, _, out| out.write_all(data.script.as_bytes()))
}

/// The same without commands that are hidden: the generators offer those too, and nobody but `guild` itself has a use for them.
fn shown(mut command: Command) -> Command {
    let visible = command.get_subcommands().filter(|within| !within.is_hide_set()).cloned();
    let visible: Vec<Command> = visible.map(shown).collect();
    if visible.len() == command.get_subcommands().count() {
        command.get_subcommands_mut().zip(visible).for_each(|(place, within)| *place = within);
        return command;
    }
    // Commands cannot be taken away. Names are few, and the process ends with the script.
    let name: &'static str = command.get_name().to_owned().leak();
    Command::new(name)
        .bin_name(command.get_bin_name().unwrap_or_default().to_owned())
        .about(command.get_about().cloned().unwrap_or_default())
        .disable_help_subcommand(true)
        .disable_help_flag(true)
        .args(command.get_arguments().cloned())
        .subcommands(visible)
}
