//! `guild completions`

use crate::cli::Cli;
use crate::ui::{Ui, end, write_out};
use clap::CommandFactory as _;
use clap_complete::Shell;
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

pub fn run(args: &Args, _: &Ui) -> ExitCode {
    // Into memory first: the generator panics when its writer fails, and a closed pipe is no defect.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "guild", &mut script);
    match write_out(|out| out.write_all(&script)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => end(&error, 0),
    }
}
