//! `guild sandbox`

mod run;
mod values;

use crate::ui::Ui;
use std::process::ExitCode;

/// Run commands in containers
///
/// A container has the host's programs or an image as its root, read-only; no network; an empty environment; and limits on
/// processors, memory, processes, time and output. On Linux it needs no daemon, no image, no set-up and no root.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Run(Box<run::Args>),
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    match &args.command {
        Command::Run(args) => run::run(args, ui),
    }
}
