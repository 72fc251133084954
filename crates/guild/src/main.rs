//! The `guild` command: arguments in, one call of the engine, output. There is no logic here.

mod approver;
mod books;
mod cli;
mod commands;
mod confirm;
mod defect;
mod hidden;
mod installing;
mod logs;
mod premises;
mod print;
mod runtime;
mod shelf;
mod surroundings;
mod ui;
mod workshop;

use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    defect::report_panics();
    let arguments: Vec<OsString> = std::env::args_os().collect();
    match cli::Cli::read(&arguments) {
        Ok(cli) => cli.run(),
        Err(error) => ui::usage(&error, &arguments),
    }
}
