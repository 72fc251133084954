//! Programs that the person's own configuration names, such as an agent's command: argument lists, never text of a skill, no shell.
//!
//! Whoever started one holds its leash: pulled or dropped, it ends the program and the group of processes that it leads.

use std::collections::BTreeMap;
use std::io::Read;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use super::{
    Gathered, HostError, HostOutput, MAX_SAID, bound, end, feed, find, gather, is_executable, left, wait,
};

/// One run of a program that the person has named.
#[derive(Debug)]
pub struct ConfiguredCommand {
    /// The program, by name or absolute path, and its arguments.
    pub words: Vec<String>,
    /// Where it runs.
    pub directory: PathBuf,
    /// All of its environment; `PATH` says where it is looked for.
    pub environment: BTreeMap<String, String>,
    /// What it reads.
    pub stdin: Vec<u8>,
    /// When it is killed.
    pub patience: Duration,
    /// How much it may say.
    pub max_output: usize,
    /// The largest file that it may write.
    pub max_file_bytes: u64,
}

/// Ends a program when it is pulled or dropped.
#[derive(Debug, Default)]
pub struct Leash(Arc<Mutex<Held>>);

#[derive(Debug, Default)]
enum Held {
    #[default]
    NotStarted,
    Runs(u32),
    Over,
    Pulled,
}

impl Leash {
    /// Ends the program, or keeps it from starting.
    pub fn pull(&self) {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Held::Runs(id) = *held {
            kill_group(id);
        }
        if !matches!(*held, Held::Over) {
            *held = Held::Pulled;
        }
    }

    /// The other end, for the thread that runs the program.
    pub fn other_end(&self) -> LeashEnd {
        LeashEnd(Arc::clone(&self.0))
    }
}

impl Drop for Leash {
    fn drop(&mut self) {
        self.pull();
    }
}

/// The end of a leash that the program is on.
#[derive(Debug)]
pub struct LeashEnd(Arc<Mutex<Held>>);

impl LeashEnd {
    /// Puts a program on it; not if it was pulled before.
    fn hold(&self, id: u32) -> bool {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_free = matches!(*held, Held::NotStarted);
        if is_free {
            *held = Held::Runs(id);
        }
        is_free
    }

    /// Lets a program go that has ended, and says whether it was pulled.
    fn let_go(&self) -> bool {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let was_pulled = matches!(*held, Held::Pulled);
        *held = Held::Over;
        was_pulled
    }
}

/// Runs a program to its end, on this thread: where the thread dies, so does the program.
///
/// # Errors
/// Where it is not installed, cannot be started, takes too long, says too much or is stopped. That it fails is no error here.
pub fn run_configured(command: ConfiguredCommand, leash: &LeashEnd) -> Result<HostOutput, HostError> {
    let program = command.words.first().cloned().unwrap_or_default();
    let (patience, limit) = (command.patience, command.max_output);
    let failed = |source| HostError::Run { program: program.clone(), source };
    let mut child = start(command)?;
    if !leash.hold(child.id()) {
        end(&mut child, true);
        return Err(HostError::Stopped { program });
    }
    let (tell, ended) = channel();
    let id = child.id();
    let stdout = child.stdout.take().map(|pipe| gather_or_end(pipe, limit, id, tell.clone()));
    let stderr = child.stderr.take().map(|pipe| gather(pipe, MAX_SAID, tell.clone()));
    drop(tell);
    let status = wait(&mut child, &ended, patience).map_err(failed)?;
    if status.is_none() {
        end(&mut child, true);
    }
    let was_pulled = leash.let_go();
    let Some(status) = status else {
        return Err(HostError::TimedOut { program, patience });
    };
    // What it started and left is not left to run on.
    kill_group(child.id());
    if was_pulled {
        return Err(HostError::Stopped { program });
    }
    left(status, stdout, stderr).ok_or(HostError::TooMuch { program, limit })
}

/// Reads a pipe on a thread of its own, and ends the program where it says more than is read.
fn gather_or_end(
    mut pipe: impl Read + Send + 'static,
    limit: usize,
    id: u32,
    over: Sender<()>,
) -> thread::JoinHandle<Gathered> {
    thread::spawn(move || {
        let mut gathered = Gathered::default();
        let mut piece = vec![0; 64 * 1024];
        while let Ok(count @ 1..) = pipe.read(&mut piece) {
            let room = limit - gathered.bytes.len();
            gathered.bytes.extend(piece.iter().take(count.min(room)));
            if count > room {
                gathered.is_cut = true;
                kill_group(id);
                break;
            }
        }
        over.send(()).ok();
        gathered
    })
}

#[expect(clippy::disallowed_methods, reason = "this is the crate that starts processes")]
fn start(command: ConfiguredCommand) -> Result<Child, HostError> {
    let mut words = command.words.into_iter();
    let program = words.next().unwrap_or_default();
    let path = command.environment.get("PATH").map_or("", String::as_str);
    let place = if program.starts_with('/') {
        Some(PathBuf::from(&program)).filter(|place| is_executable(place))
    } else {
        (!program.contains('/')).then(|| find(&program, path)).flatten()
    };
    let place = place.ok_or_else(|| HostError::Missing { program: program.clone() })?;
    let mut process = Command::new(place);
    process.args(words).env_clear().envs(&command.environment).current_dir(&command.directory);
    let stdin = if command.stdin.is_empty() { Stdio::null() } else { Stdio::piped() };
    process.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    bound(&mut process, command.max_file_bytes);
    die_with_us(&mut process);
    let mut child = process.spawn().map_err(|source| HostError::Run { program, source })?;
    feed(&mut child, command.stdin);
    Ok(child)
}

/// Ends it where the thread that waits for it is gone.
fn die_with_us(process: &mut Command) {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Signal, set_parent_process_death_signal};
        let die = || set_parent_process_death_signal(Some(Signal::KILL)).map_err(Into::into);
        // SAFETY: `prctl` may be called between fork and exec.
        unsafe { process.pre_exec(die) };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = process;
}

fn kill_group(id: u32) {
    #[cfg(target_os = "linux")]
    if let Some(pid) = i32::try_from(id).ok().and_then(rustix::process::Pid::from_raw) {
        rustix::process::kill_process_group(pid, rustix::process::Signal::KILL).ok();
    }
    #[cfg(not(target_os = "linux"))]
    let _ = id;
}

/// Whether such a program is there.
pub fn is_installed(program: &str, path: &str) -> bool {
    if program.starts_with('/') { is_executable(Path::new(program)) } else { find(program, path).is_some() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use guild_testkit::Fixture;

    fn command(fixture: &Fixture, script: &str) -> ConfiguredCommand {
        fixture.add(&format!("//- /bin/agent mode:755\n#!/bin/sh\n{script}\n"));
        ConfiguredCommand {
            words: vec!["agent".to_owned(), "one two".to_owned(), "$(three)".to_owned()],
            directory: fixture.path().to_owned(),
            environment: [("PATH".to_owned(), fixture.join("bin").display().to_string())].into(),
            stdin: Vec::new(),
            patience: Duration::from_secs(60),
            max_output: 100,
            max_file_bytes: 1 << 20,
        }
    }

    fn run(command: ConfiguredCommand) -> Result<HostOutput, HostError> {
        run_configured(command, &Leash::default().other_end_kept())
    }

    impl Leash {
        /// The other end of a leash that is never pulled.
        fn other_end_kept(self) -> LeashEnd {
            let end = self.other_end();
            std::mem::forget(self);
            end
        }
    }

    #[test]
    fn arguments_arrive_as_they_are_and_there_is_no_shell() {
        let fixture = Fixture::write("");
        let output = run(command(&fixture, "echo \"$1|$2|$HOME\"; echo said >&2; exit 3")).unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), "one two|$(three)|\n");
        assert_eq!((output.stderr.as_str(), output.code), ("said\n", 3));
    }

    #[test]
    fn one_that_is_not_there_says_too_much_or_takes_too_long_is_told_apart() {
        let fixture = Fixture::write("");
        let gone = ConfiguredCommand { words: vec!["gone".to_owned()], ..command(&fixture, "") };
        assert!(matches!(run(gone), Err(HostError::Missing { .. })));
        let near = ConfiguredCommand { words: vec!["./bin/agent".to_owned()], ..command(&fixture, "") };
        assert!(matches!(run(near), Err(HostError::Missing { .. })));
        let much = command(&fixture, "while :; do echo line; done");
        assert!(matches!(run(much), Err(HostError::TooMuch { .. })));
        let slow = ConfiguredCommand {
            patience: Duration::from_millis(50),
            ..command(&fixture, "/bin/sleep 1000 & /bin/sleep 1000")
        };
        assert!(matches!(run(slow), Err(HostError::TimedOut { .. })));
    }

    #[test]
    fn a_leash_that_is_pulled_ends_it_with_what_it_started_and_one_pulled_before_keeps_it_from_starting() {
        let fixture = Fixture::write("");
        let leash = Leash::default();
        let end = leash.other_end();
        let command_line = command(&fixture, "/bin/sleep 1000 & echo up > up; /bin/sleep 1000");
        let running = thread::spawn(move || run_configured(command_line, &end));
        guild_testkit::wait_until("it is up", || fixture.join("up").exists());
        drop(leash);
        assert!(matches!(running.join().unwrap(), Err(HostError::Stopped { .. })));
        let pulled = Leash::default();
        pulled.pull();
        let never = run_configured(command(&fixture, "echo ran > ran"), &pulled.other_end());
        assert!(matches!(never, Err(HostError::Stopped { .. })));
    }
}
