//! The `guild` command: arguments in, one call of the engine, output. There is no logic here.

mod cli;
mod commands;
mod print;
mod surroundings;
mod ui;

use clap::Parser as _;
use std::process::ExitCode;

fn main() -> ExitCode {
    match cli::Cli::try_parse() {
        Ok(cli) => cli.run(),
        Err(error) => ui::usage(&error),
    }
}
