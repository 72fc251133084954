//! `guild completions`

use crate::cli::Cli;
use crate::ui::Ui;
use clap::CommandFactory as _;
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
    clap_complete::generate(args.shell, &mut Cli::command(), "guild", &mut script);
    let script = String::from_utf8_lossy(&script).into_owned();
    let envelope = Envelope::ok(Script { shell: args.shell.to_string(), script });
    ui.finish(&envelope, |data, _, out| out.write_all(data.script.as_bytes()))
}
