//! `guild sandbox`

mod container;
mod exec;
mod launch;
mod list;
mod run;
mod stop;
mod streams;
mod supervise;
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
    Launch(Box<launch::Args>),
    Exec(exec::Args),
    List(list::Args),
    Stop(stop::Args),
    #[command(hide = true)]
    Supervise(supervise::Args),
}

pub fn run(args: &Args, ui: &Ui) -> ExitCode {
    match &args.command {
        Command::Run(args) => run::run(args, ui),
        Command::Launch(args) => launch::run(args, ui),
        Command::Exec(args) => exec::run(args, ui),
        Command::List(args) => list::run(args, ui),
        Command::Stop(args) => stop::run(args, ui),
        Command::Supervise(args) => supervise::run(args, ui),
    }
}
