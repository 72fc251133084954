//! `guild completions`

use crate::cli::Cli;
use crate::ui::Ui;
use clap::CommandFactory as _;
use clap_complete::Shell;
use std::io;
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
    clap_complete::generate(args.shell, &mut Cli::command(), "guild", &mut io::stdout().lock());
    ExitCode::SUCCESS
}
