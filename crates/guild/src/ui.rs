//! What a command needs to talk: the surroundings, the format asked for, and the two streams.

use crate::cli::Global;
use crate::print::{Style, escape};
use crate::surroundings;
use clap::ValueEnum;
use guild_engine::catalog::{Freshness, Machine};
use guild_engine::{Code, ConfigFile, Envelope, Hall, Status};
use serde::Serialize;
use std::io::{self, BufWriter, IsTerminal as _, Write};
use std::mem::ManuallyDrop;
use std::process::ExitCode;

/// When to use colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Colour {
    /// On a terminal, unless `NO_COLOR` is set
    Auto,
    /// Even into a pipe
    Always,
    /// Not at all
    Never,
}

/// The way a command talks to whoever called it.
pub struct Ui {
    global: Global,
    machine: Machine,
    config_files: Vec<ConfigFile>,
}

impl Ui {
    /// Looks around; a directory that does not exist ends the command.
    pub fn new(global: Global) -> Result<Self, ExitCode> {
        match surroundings::machine(global.directory.as_deref()) {
            Ok(machine) => {
                let config_files = surroundings::config_files(&machine);
                Ok(Self { global, machine, config_files })
            }
            Err(error) => {
                let place = global.directory.as_ref().map_or(".".into(), |path| path.display().to_string());
                let message = format!("cannot work in `{place}`: {error}");
                Err(fail(global.json, Code::PathNotFound, &message))
            }
        }
    }

    /// The machine that the command works on.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Discovers everything. The process ends soon after; freeing a hundred thousand skills first would only cost time.
    pub fn hall(&self, freshness: Freshness) -> ManuallyDrop<Hall> {
        ManuallyDrop::new(Hall::open(self.machine.clone(), &self.config_files, freshness))
    }

    /// Whether talk beyond data and errors is wanted.
    pub fn is_talkative(&self) -> bool {
        !self.global.quiet && !self.global.json
    }

    /// Whether output is for programs.
    pub fn is_json(&self) -> bool {
        self.global.json
    }

    /// The style of standard output.
    pub fn style(&self) -> Style {
        let is_terminal = io::stdout().is_terminal();
        let colour = match self.global.color {
            Colour::Always => true,
            Colour::Never => false,
            Colour::Auto => is_terminal && !surroundings::refuses_colour(),
        };
        let width =
            if is_terminal { terminal_size::terminal_size().map(|(width, _)| width.0.into()) } else { None };
        Style { colour, width }
    }

    /// Prints an envelope as JSON, or its data by `text`; errors and their hints go to standard error.
    pub fn finish<T: Serialize>(
        &self,
        envelope: &Envelope<T>,
        text: impl FnOnce(&T, &Style, &mut dyn Write) -> io::Result<()>,
    ) -> ExitCode {
        let printed = if self.global.json {
            write_out(|out| {
                serde_json::to_writer(&mut *out, envelope)?;
                writeln!(out)
            })
        } else {
            let style = self.style();
            write_out(|out| text(&envelope.data, &style, out)).and_then(|()| self.tell(envelope))
        };
        match printed {
            Ok(()) => ExitCode::from(envelope.exit_code()),
            // Whoever reads has seen enough; that is no failure of ours.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::from(envelope.exit_code()),
            Err(error) => fail(false, Code::WriteFailed, &format!("cannot write the output: {error}")),
        }
    }

    /// Says on standard error what came of it.
    fn tell<T>(&self, envelope: &Envelope<T>) -> io::Result<()> {
        let message = escape::line(&envelope.message);
        match envelope.status {
            Status::Error => writeln!(io::stderr(), "error[{}]: {message}", envelope.code.as_str()),
            Status::Ok if self.is_talkative() && !message.is_empty() => writeln!(io::stderr(), "{message}"),
            Status::Ok => Ok(()),
        }
    }
}

/// Ends a command that was called the wrong way; help and version are no errors.
pub fn usage(error: &clap::Error) -> ExitCode {
    error.print().ok();
    ExitCode::from(if error.use_stderr() { Code::Usage.exit_code() } else { 0 })
}

fn fail(json: bool, code: Code, message: &str) -> ExitCode {
    let message = escape::line(message);
    if json {
        let envelope = Envelope::error(code, message.as_ref(), ());
        write_out(|out| {
            serde_json::to_writer(&mut *out, &envelope)?;
            writeln!(out)
        })
        .ok();
    } else {
        writeln!(io::stderr(), "error[{}]: {message}", code.as_str()).ok();
    }
    ExitCode::from(code.exit_code())
}

/// Writes to standard output through one buffer and makes sure that all of it left.
fn write_out(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(256 * 1024, io::stdout().lock());
    write(&mut out)?;
    out.flush()
}
