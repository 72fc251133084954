//! What a command needs to talk: the surroundings, the format asked for, and the two streams.

mod usage;

use crate::books::switching;
use crate::cli::Global;
use crate::print::{Style, escape, finding, json, problem};
use crate::surroundings;
use clap::ValueEnum;
use guild_engine::catalog::{Freshness, Machine};
use guild_engine::containers::{Surroundings, heap};
use guild_engine::ledger::{Timestamp, via};
use guild_engine::manifest::Problem;
use guild_engine::reply::{FindingLine, ProblemLine};
use guild_engine::{
    Code, ConfigFile, Envelope, Hall, Images, Places, Principal, Status, Switching, configure,
};
use serde::Serialize;
use std::io::{self, BufWriter, IsTerminal as _, Write};
use std::mem::ManuallyDrop;
use std::path::Path;
use std::process::ExitCode;
use std::time::SystemTime;

pub use usage::usage;

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
}

impl Ui {
    /// Looks around; a directory that does not exist ends the command.
    pub fn new(global: Global) -> Result<Self, ExitCode> {
        match surroundings::machine(global.directory.as_deref()) {
            Ok(machine) => Ok(Self { global, machine }),
            Err(error) => {
                let place = global.directory.as_ref().map_or(".".into(), |path| path.display().to_string());
                let message = format!("cannot work in `{place}`: {error}");
                Err(fail(global.json, Code::PathNotFound, &message))
            }
        }
    }

    /// The same, as if started in another directory.
    pub fn elsewhere(&self, directory: &Path) -> Result<Self, ExitCode> {
        Self::new(Global { directory: Some(directory.to_owned()), ..self.global.clone() })
    }

    /// Looks nowhere, for a command whose answer is the same everywhere.
    pub fn anywhere(global: Global) -> Self {
        Self { global, machine: Machine::default() }
    }

    /// The machine that the command works on.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// What container runtimes look at.
    pub fn surroundings(&self) -> Surroundings {
        surroundings::of_containers(&self.machine)
    }

    /// The configuration files, as they are now.
    pub fn config_files(&self) -> Vec<ConfigFile> {
        surroundings::config_files(&self.machine)
    }

    /// Where Guildhall keeps its own things.
    pub fn places(&self) -> Places {
        surroundings::places(&self.machine)
    }

    /// The moment.
    pub fn now(&self) -> SystemTime {
        surroundings::now()
    }

    /// The moment, as the books write it.
    pub fn moment(&self) -> Timestamp {
        self.now().into()
    }

    /// Who calls: the agent that is named, else the person at this machine.
    pub fn principal(&self, agent: Option<&str>) -> Principal {
        match agent {
            Some(agent) => Principal::agent(agent, via::COMMAND),
            None if self.is_terminal() => Principal::person(via::TERMINAL),
            None => Principal::person(via::FLAG),
        }
    }

    /// Whether a person can be asked: they see what is said, and what they type arrives here.
    pub fn is_terminal(&self) -> bool {
        io::stdin().is_terminal() && io::stderr().is_terminal()
    }

    /// Whose containers these are: as named, else the person's.
    pub fn owner(&self, named: Option<&str>) -> String {
        let person = || ["USER", "LOGNAME"].iter().find_map(|name| self.machine.env.get(*name));
        named.or(person().map(String::as_str)).unwrap_or("me").to_owned()
    }

    /// Discovers everything. The process ends soon after; freeing a hundred thousand skills first would only cost time.
    pub fn hall(&self, freshness: Freshness) -> ManuallyDrop<Hall> {
        heap::expect_much();
        let files = self.config_files();
        self.hall_with(switching(self, &files), &files, freshness)
    }

    /// The same where it is known what was switched off.
    pub fn hall_with(
        &self,
        switching: Switching,
        files: &[ConfigFile],
        freshness: Freshness,
    ) -> ManuallyDrop<Hall> {
        let hall = Hall::open_switched(switching, self.machine.clone(), files, freshness);
        self.warn_of_ignored(&hall);
        ManuallyDrop::new(hall)
    }

    /// The images and roles, by the configuration as it is now.
    pub fn images(&self) -> Images {
        let configured = configure(&self.config_files());
        self.warn_of(
            &configured.ignored,
            "its settings are not in effect, and its image roles are not known",
        );
        Images::open(&self.places(), &self.machine, &configured.config.sandbox)
    }

    /// Says that a person's own settings are not in effect, which nothing else in a list or a prompt would show.
    pub fn warn_of_ignored(&self, hall: &Hall) {
        let warning = "its settings are not in effect, and agents are offered no skill until it is mended";
        self.warn_of(&hall.ignored_config, warning);
        if let Some(why) = &hall.unread_registry {
            let consequence = "nobody can tell what was switched off, and agents are offered no skill";
            self.warn(&format!("{why}; {consequence} until it is mended"));
        }
    }

    fn warn_of(&self, problems: &[Problem], warning: &str) {
        if self.global.json {
            return;
        }
        for problem in problems {
            let place = escape::exact(&problem.file);
            let message = escape::line(&problem.message);
            writeln!(io::stderr(), "warning: {place}:{}: {message}; {warning}", problem.at.line).ok();
        }
    }

    /// Warns of something that does not stop the command.
    pub fn warn(&self, message: &str) {
        if self.tells() {
            writeln!(io::stderr(), "warning: {}", escape::line(message)).ok();
        }
    }

    /// Says on standard error what happens meanwhile.
    pub fn tell_line(&self, line: &str) {
        if self.tells() {
            writeln!(io::stderr(), "{}", escape::line(line)).ok();
        }
    }

    /// Whether nothing but data and errors is wanted.
    pub fn is_quiet(&self) -> bool {
        self.global.quiet
    }

    /// Whether what happens meanwhile is said.
    pub fn tells(&self) -> bool {
        !self.global.quiet && !self.global.json
    }

    /// Whether progress is shown: somebody watches, on a terminal that can.
    pub fn shows_progress(&self) -> bool {
        self.tells() && io::stderr().is_terminal() && !surroundings::is_dumb()
    }

    /// Whether the output is one envelope.
    pub fn is_json(&self) -> bool {
        self.global.json
    }

    /// The style of standard output.
    pub fn style(&self) -> Style {
        self.style_of(io::stdout().is_terminal())
    }

    fn style_of(&self, is_terminal: bool) -> Style {
        let colour = match self.global.color {
            Colour::Always => true,
            Colour::Never => false,
            Colour::Auto => is_terminal && !surroundings::refuses_colour(),
        };
        let width =
            if is_terminal { terminal_size::terminal_size().map(|(width, _)| width.0.into()) } else { None };
        Style { colour, width }
    }

    /// Writes on standard error for a person at a terminal who is about to decide.
    pub fn show(&self, text: impl FnOnce(&Style, &mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        text(&self.style_of(io::stderr().is_terminal()), &mut io::stderr().lock())
    }

    /// Says on standard error what is wrong with files in `directory`, where standard output is for something else.
    pub fn tell_problems(&self, problems: &[ProblemLine<'_>], directory: &Path) {
        if self.global.json {
            return;
        }
        let style = self.style_of(io::stderr().is_terminal());
        let mut stderr = io::stderr().lock();
        // Nobody is left to be told when standard error is gone.
        problems.iter().try_for_each(|line| problem(line, directory, &style, &mut stderr)).ok();
    }

    /// Says on standard error what the vet found, where standard output is for something else.
    pub fn tell_findings(&self, findings: &[FindingLine]) {
        if self.global.json {
            return;
        }
        let style = self.style_of(io::stderr().is_terminal());
        let mut stderr = io::stderr().lock();
        findings.iter().try_for_each(|line| finding(line, &style, &mut stderr)).ok();
    }

    /// Prints an envelope, and ends with its exit code.
    pub fn finish<T: Serialize>(
        &self,
        envelope: &Envelope<T>,
        text: impl FnOnce(&T, &Style, &mut dyn Write) -> io::Result<()>,
    ) -> ExitCode {
        self.finish_with(envelope, envelope.exit_code(), text)
    }

    /// Prints an envelope, and ends with another exit code than its own.
    pub fn finish_with<T: Serialize>(
        &self,
        envelope: &Envelope<T>,
        exit_code: u8,
        text: impl FnOnce(&T, &Style, &mut dyn Write) -> io::Result<()>,
    ) -> ExitCode {
        match self.print(envelope, text) {
            Ok(()) => ExitCode::from(exit_code),
            Err(error) => end(&error, exit_code),
        }
    }

    /// Ends a command that could not even begin, through no fault of whoever called it.
    pub fn defect(&self, message: &str) -> ExitCode {
        fail(self.global.json, Code::Internal, message)
    }

    /// Prints an envelope as one line of JSON, or its data by `text`; what came of it goes to standard error.
    pub fn print<T: Serialize>(
        &self,
        envelope: &Envelope<T>,
        text: impl FnOnce(&T, &Style, &mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        if self.global.json {
            return write_json(envelope);
        }
        let style = self.style();
        write_out(|out| text(&envelope.data, &style, out))?;
        self.tell(envelope)
    }

    /// Says on standard error what came of it.
    fn tell<T>(&self, envelope: &Envelope<T>) -> io::Result<()> {
        let message = escape::line(&envelope.message);
        match envelope.status {
            Status::Error => writeln!(io::stderr(), "error[{}]: {message}", envelope.code.as_str()),
            Status::Ok if !self.is_quiet() && !message.is_empty() => writeln!(io::stderr(), "{message}"),
            Status::Ok => Ok(()),
        }
    }
}

/// Ends a command whose output could not be written.
pub fn end(error: &io::Error, exit_code: u8) -> ExitCode {
    // Whoever reads has seen enough; that is no failure of ours.
    if error.kind() == io::ErrorKind::BrokenPipe {
        return ExitCode::from(exit_code);
    }
    fail(false, Code::WriteFailed, &unwritten(error))
}

/// That output is lost, and why.
pub fn unwritten(error: &io::Error) -> String {
    format!("cannot write the output: {error}")
}

/// Writes to standard output through one buffer and makes sure that all of it left.
fn write_out(write: impl FnOnce(&mut Out) -> io::Result<()>) -> io::Result<()> {
    let mut out = Out::with_capacity(256 * 1024, io::stdout().lock());
    write(&mut out)?;
    out.flush()
}

/// Writes one line of JSON; on a terminal nothing in it is obeyed.
fn write_json<T: Serialize>(envelope: &Envelope<T>) -> io::Result<()> {
    let mut out = io::stdout().lock();
    if out.is_terminal() {
        out.write_all(escape::json(&serde_json::to_string(envelope)?).as_bytes())?;
        writeln!(out)?;
    } else {
        out.flush()?;
        json::write_line(envelope, &mut Straight(&out))?;
    }
    out.flush()
}

type Out = BufWriter<io::StdoutLock<'static>>;

/// Standard output past the standard library's buffer, which looks through everything for the end of a line.
struct Straight<'a>(&'a io::StdoutLock<'static>);

impl Write for Straight<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(rustix::io::write(self.0, bytes)?)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn fail(json: bool, code: Code, message: &str) -> ExitCode {
    let message = escape::line(message);
    if json {
        write_json(&Envelope::error(code, message.as_ref(), ())).ok();
    } else {
        writeln!(io::stderr(), "error[{}]: {message}", code.as_str()).ok();
    }
    ExitCode::from(code.exit_code())
}
