//! Containers for these tests, in this process or in others that are started for it.

use std::future::Future;
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child as Process, Command as Program, Stdio};
use std::time::Duration;

use guild_sandbox::{Backend as _, Command, Embedded, LaunchError, Limits, Outcome, Policy, Surroundings};

/// In a process that was started to play a part, which one.
pub(crate) const PART: &str = "GUILD_LIMITS_PART";

/// The line by which a part says that it is ready.
pub(crate) const READY: &str = "ready";

/// The runtime, in the surroundings of this process.
pub(crate) fn embedded() -> Embedded {
    Embedded::new(&Surroundings {
        runtime_dir: std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from),
        ..Surroundings::default()
    })
}

/// Limits that every machine can give, and a time that even an emulated one does not exceed.
pub(crate) fn limits() -> Limits {
    Limits { memory: 128 << 20, pids: 32, timeout: Duration::from_secs(100), ..Limits::default() }
}

/// A script for the container's shell.
pub(crate) fn script(text: &str) -> Command {
    let mut command = Command::new("sh");
    command.argv.extend(["-c".into(), text.into()]);
    command
}

/// Runs a script in a container of its own with these limits.
pub(crate) fn run(text: &str, limits: Limits) -> Result<Outcome, LaunchError> {
    let policy = Policy { limits, ..Policy::default() };
    block_on(async { embedded().launch(&policy, &script(text)).await?.wait().await })
}

pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

/// What both streams held.
pub(crate) fn said(outcome: &Outcome) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    text(&outcome.stdout.bytes) + &text(&outcome.stderr.bytes)
}

/// The part that this process was started to play, if any.
pub(crate) fn part() -> Option<String> {
    std::env::var(PART).ok()
}

/// Starts a process that plays a part of the test called `test`, and waits until it says that it is ready or has ended.
pub(crate) fn start(test: &str, part: &str) -> Process {
    let mut process = Program::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env(PART, part)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(process.stdout.as_mut().unwrap()).lines();
    let _ready = lines.map_while(Result::ok).find(|line| line == READY);
    process
}
