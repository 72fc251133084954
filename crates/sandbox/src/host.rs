//! The few programs that run outside a container: those of a fixed table, with argument lists, never with text of a skill.
//!
//! A program gets the environment that it is given and nothing of ours, a directory, bytes to read and bounds: on its time, on what it
//! says and on the files that it writes. There is no shell. What it is asked to do is its caller's to decide.

mod configured;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write as _};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

pub use configured::{ConfiguredCommand, Leash, LeashEnd, is_installed, run_configured};

/// A program of the fixed table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Program {
    /// `git`, which fetches repositories with the person's own credentials.
    Git,
}

impl Program {
    /// The name by which it is looked for.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Git => "git",
        }
    }
}

/// Where what a program writes to standard output goes.
#[derive(Debug)]
pub enum Destination {
    /// Into memory, and no more than so many bytes of it.
    Memory(usize),
    /// Into a file, which is bounded as every file that it writes.
    File(File),
}

/// One run of a program.
#[derive(Debug)]
pub struct HostCommand {
    /// Which program.
    pub program: Program,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Where it runs.
    pub directory: PathBuf,
    /// All of its environment; `PATH` says where it is looked for.
    pub environment: BTreeMap<String, String>,
    /// What it reads.
    pub stdin: Vec<u8>,
    /// Where it writes.
    pub stdout: Destination,
    /// Whether it may ask the person at the terminal, and so stays in the group of processes that the terminal listens to.
    pub may_ask: bool,
    /// When it is killed.
    pub patience: Duration,
    /// The largest file that it may write.
    pub max_file_bytes: u64,
}

/// What a program left.
#[derive(Debug)]
pub struct HostOutput {
    /// How it ended: its exit code, or minus the signal that killed it.
    pub code: i32,
    /// What it wrote to standard output, where that went into memory.
    pub stdout: Vec<u8>,
    /// What it said, as much of it as is kept.
    pub stderr: String,
}

/// Why a program did not run to its end.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// There is no such program.
    #[error("`{program}` is not installed")]
    Missing {
        /// Its name.
        program: String,
    },
    /// It could not be started or spoken to.
    #[error("cannot run `{program}`")]
    Run {
        /// Its name.
        program: String,
        /// What the system said.
        source: io::Error,
    },
    /// It took too long and was killed.
    #[error("`{program}` did not end within {} seconds", .patience.as_secs())]
    TimedOut {
        /// Its name.
        program: String,
        /// How long it had.
        patience: Duration,
    },
    /// It wrote more than was asked for.
    #[error("`{program}` wrote more than {limit} bytes")]
    TooMuch {
        /// Its name.
        program: String,
        /// How much it might have written.
        limit: usize,
    },
    /// Whoever started it wanted it no more.
    #[error("`{program}` was stopped")]
    Stopped {
        /// Its name.
        program: String,
    },
}

/// How much of what a program says is kept.
const MAX_SAID: usize = 64 * 1024;

/// Runs a program to its end, on this thread.
///
/// # Errors
/// Where it is not installed, cannot be started, takes too long or writes too much. That it fails is no error here.
pub fn run(command: HostCommand) -> Result<HostOutput, HostError> {
    let (program, patience) = (command.program.name(), command.patience);
    let limit = match command.stdout {
        Destination::Memory(limit) => limit,
        Destination::File(_) => 0,
    };
    let program = program.to_owned();
    let (mut child, is_leader) = start(command)?;
    let (tell, ended) = channel();
    let stdout = child.stdout.take().map(|pipe| gather(pipe, limit, tell.clone()));
    let stderr = child.stderr.take().map(|pipe| gather(pipe, MAX_SAID, tell.clone()));
    drop(tell);
    let waited = wait(&mut child, &ended, patience);
    let Some(status) = waited.map_err(|source| HostError::Run { program: program.clone(), source })? else {
        end(&mut child, is_leader);
        return Err(HostError::TimedOut { program, patience });
    };
    left(status, stdout, stderr).ok_or(HostError::TooMuch { program, limit })
}

/// A pipe that is being read.
type Gathering = Option<thread::JoinHandle<Gathered>>;

/// What a program that has ended left; nothing where that was too much.
fn left(status: ExitStatus, stdout: Gathering, stderr: Gathering) -> Option<HostOutput> {
    let joined =
        |pipe: Gathering| pipe.map_or_else(Gathered::default, |pipe| pipe.join().unwrap_or_default());
    let (stdout, stderr) = (joined(stdout), joined(stderr));
    let code = status.code().or(status.signal().map(|signal| -signal)).unwrap_or(-1);
    let stderr = String::from_utf8_lossy(&stderr.bytes).into_owned();
    (!stdout.is_cut).then_some(HostOutput { code, stdout: stdout.bytes, stderr })
}

/// Gives a program what it reads.
fn feed(child: &mut Child, bytes: Vec<u8>) {
    if let Some(mut pipe) = child.stdin.take() {
        // A thread of its own, lest both sides wait on full pipes; that it ends without reading is its own business.
        thread::spawn(move || pipe.write_all(&bytes).ok());
    }
}

/// Starts it, and says whether it leads a group of processes of its own.
#[expect(clippy::disallowed_methods, reason = "this is the crate that starts processes")]
fn start(command: HostCommand) -> Result<(Child, bool), HostError> {
    let program = command.program.name();
    let place = find(program, command.environment.get("PATH").map_or("", String::as_str))
        .ok_or_else(|| HostError::Missing { program: program.to_owned() })?;
    let mut process = Command::new(place);
    process.args(&command.arguments).env_clear().envs(&command.environment).current_dir(&command.directory);
    let stdin = if command.stdin.is_empty() { Stdio::null() } else { Stdio::piped() };
    let stdout = match command.stdout {
        Destination::Memory(_) => Stdio::piped(),
        Destination::File(file) => file.into(),
    };
    process.stdin(stdin).stdout(stdout).stderr(Stdio::piped());
    if !command.may_ask {
        process.process_group(0);
    }
    bound(&mut process, command.max_file_bytes);
    let spawned = process.spawn();
    let mut child = spawned.map_err(|source| HostError::Run { program: program.to_owned(), source })?;
    feed(&mut child, command.stdin);
    Ok((child, !command.may_ask))
}

/// The program in the first directory that has it. Relative directories count for nothing: what lies in them may be a stranger's.
fn find(program: &str, path: &str) -> Option<PathBuf> {
    let directories = path.split(':').map(Path::new).filter(|directory| directory.is_absolute());
    directories.map(|directory| directory.join(program)).find(|place| is_executable(place))
}

fn is_executable(place: &Path) -> bool {
    place.is_file() && rustix::fs::access(place, rustix::fs::Access::EXEC_OK).is_ok()
}

/// Bounds the files that it and its children write, before it is what it will be.
fn bound(process: &mut Command, bytes: u64) {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Resource, Rlimit, setrlimit};
        let limit = Rlimit { current: Some(bytes), maximum: Some(bytes) };
        // SAFETY: `setrlimit` may be called between fork and exec.
        unsafe { process.pre_exec(move || setrlimit(Resource::Fsize, limit).map_err(Into::into)) };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (process, bytes);
}

/// What came through a pipe.
#[derive(Debug, Default)]
struct Gathered {
    bytes: Vec<u8>,
    is_cut: bool,
}

/// Reads a pipe to its end on a thread of its own, keeps what fits, and tells when it is over.
fn gather(
    mut pipe: impl Read + Send + 'static,
    limit: usize,
    over: Sender<()>,
) -> thread::JoinHandle<Gathered> {
    thread::spawn(move || {
        let mut gathered = Gathered::default();
        let mut piece = vec![0; 64 * 1024];
        while let Ok(count @ 1..) = pipe.read(&mut piece) {
            let room = limit - gathered.bytes.len();
            gathered.bytes.extend(piece.iter().take(count.min(room)));
            gathered.is_cut |= count > room;
        }
        over.send(()).ok();
        gathered
    })
}

/// Waits until it has ended and everything it said was read; `None` where that takes too long.
fn wait(child: &mut Child, ended: &Receiver<()>, patience: Duration) -> io::Result<Option<ExitStatus>> {
    let deadline = Instant::now() + patience;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        match ended.recv_timeout(left) {
            Ok(()) => {}
            Err(std::sync::mpsc::RecvTimeoutError::Timeout) => return Ok(None),
            Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => break,
        }
    }
    // Its streams are closed, so that it is about to end; one that is not has until the deadline.
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() >= deadline {
            return Ok(None);
        }
        thread::sleep(Duration::from_millis(1));
    }
}

/// Kills it, with everything that it started where it leads a group.
fn end(child: &mut Child, is_leader: bool) {
    #[cfg(target_os = "linux")]
    if is_leader && let Some(pid) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        rustix::process::kill_process_group(pid, rustix::process::Signal::KILL).ok();
    }
    #[cfg(not(target_os = "linux"))]
    let _ = is_leader;
    child.kill().ok();
    child.wait().ok();
}

#[cfg(test)]
mod tests {
    use super::*;
    use guild_testkit::Fixture;

    /// A stand-in for `git` that is a shell script.
    fn command(fixture: &Fixture, script: &str) -> HostCommand {
        fixture.add(&format!("//- /bin/git mode:755\n#!/bin/sh\n{script}\n"));
        let path = format!("bin:.:{}", fixture.join("bin").display());
        HostCommand {
            program: Program::Git,
            arguments: vec!["one two".into(), "$(three)".into()],
            directory: fixture.path().to_owned(),
            environment: [("PATH".to_owned(), path)].into(),
            stdin: Vec::new(),
            stdout: Destination::Memory(100),
            may_ask: false,
            patience: Duration::from_secs(60),
            max_file_bytes: 1000,
        }
    }

    #[test]
    fn arguments_arrive_as_they_are_and_the_environment_is_what_was_given() {
        let fixture = Fixture::write("");
        let output = run(HostCommand {
            stdin: b"read\n".to_vec(),
            environment: [
                ("PATH".to_owned(), format!("{}:/usr/bin:/bin", fixture.join("bin").display())),
                ("A".to_owned(), "b".to_owned()),
            ]
            .into(),
            ..command(&fixture, "read line; echo \"$1|$2|$A|$HOME|$line\"; echo said >&2; exit 7")
        });
        let output = output.unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), "one two|$(three)|b||read\n");
        assert_eq!((output.stderr.as_str(), output.code), ("said\n", 7));
    }

    #[test]
    fn a_program_in_a_relative_directory_is_none() {
        let fixture = Fixture::write("");
        let relative = [("PATH".to_owned(), "bin:.".to_owned())].into();
        let command = HostCommand { environment: relative, ..command(&fixture, "echo found") };
        assert!(matches!(run(command), Err(HostError::Missing { program }) if program == "git"));
    }

    #[test]
    fn one_that_takes_too_long_is_killed_with_what_it_started() {
        let fixture = Fixture::write("");
        let patience = Duration::from_millis(50);
        let script = "/bin/sleep 1000 & /bin/sleep 1000";
        let result = run(HostCommand { patience, ..command(&fixture, script) });
        assert!(matches!(result, Err(HostError::TimedOut { .. })), "{result:?}");
    }

    #[test]
    fn more_than_was_asked_for_is_refused() {
        let fixture = Fixture::write("");
        let much = "i=0; while [ $i -lt 50 ]; do echo line; i=$((i+1)); done";
        let result = run(command(&fixture, much));
        assert!(matches!(result, Err(HostError::TooMuch { limit: 100, .. })), "{result:?}");
    }

    #[test]
    fn files_that_grow_too_large_end_it() {
        let fixture = Fixture::write("");
        let script = "while :; do echo 0123456789; done > large";
        let output = run(command(&fixture, script)).unwrap();
        assert_ne!(output.code, 0);
        assert!(fixture.join("large").metadata().unwrap().len() <= 1000);
    }
}
