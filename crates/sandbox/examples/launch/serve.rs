//! Answers requests, one JSON object a line: `{"launch": "embedded"}`, `{"launch": "program", "argv": […], "env": {…}}`, or
//! `{"launch": "mounted", "argv": […], "mounts": {"/inside": "/outside"}, "keep": "/directory"}`.
//!
//! An answer is `{"nanoseconds": …, "code": …, "said": …}`; `said` is what a program wrote to standard error. What has to be made before
//! or taken away after a launch is not in the time.

use std::collections::BTreeMap;
use std::error::Error;
use std::io::{BufRead as _, Read as _, Seek as _, Write as _};
use std::os::fd::AsFd as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use guild_sandbox::{Command, Mount, Policy};
use serde::{Deserialize, Serialize};

use crate::contained::Contained;
use crate::floor::{self, Program, Walls};

/// What is asked for.
#[derive(Deserialize)]
#[serde(tag = "launch", rename_all = "snake_case")]
enum Request {
    /// A program of the host's, as it is.
    Program {
        argv: Vec<String>,
        #[serde(default)]
        env: BTreeMap<String, String>,
    },
    /// A program in new namespaces and a root of its own, with nothing else.
    Floor { argv: Vec<String> },
    /// A command in a container of its own.
    Embedded,
    /// A command of one's own in a container of its own, with these directories read-only and its `/output` kept.
    Mounted { argv: Vec<String>, mounts: BTreeMap<PathBuf, PathBuf>, keep: PathBuf },
    /// A command in a container that was started before.
    Prepared,
}

/// What it took.
#[derive(Serialize)]
struct Answer {
    nanoseconds: u128,
    code: i32,
    said: String,
}

/// Answers until there are no more requests.
pub fn answer_all() -> Result<(), Box<dyn Error>> {
    let contained = Contained::new()?;
    for line in std::io::stdin().lock().lines() {
        let answer = answer(&contained, serde_json::from_str(&line?)?)?;
        println!("{}", serde_json::to_string(&answer)?);
        std::io::stdout().flush()?;
    }
    Ok(())
}

fn answer(contained: &Contained, request: Request) -> Result<Answer, Box<dyn Error>> {
    match request {
        Request::Program { argv, env } => run(&argv, &env, Walls::None),
        Request::Floor { argv } => run(&argv, &BTreeMap::new(), Walls::Namespaces),
        Request::Embedded => told(timed(|| contained.launch())),
        Request::Mounted { argv, mounts, keep } => {
            let (policy, command) = mounted(argv, mounts, keep);
            told(timed(|| contained.run(&policy, &command)))
        }
        Request::Prepared => {
            let container = contained.start()?;
            let answer = told(timed(|| contained.exec(&*container)));
            contained.stop(container)?;
            answer
        }
    }
}

/// What a script gets: directories to read, and a place whose files stay.
fn mounted(argv: Vec<String>, mounts: BTreeMap<PathBuf, PathBuf>, keep: PathBuf) -> (Policy, Command) {
    let mounts = mounts.into_iter().map(|(inside, outside)| Mount::read_only(outside, inside)).collect();
    let mut policy = Policy { mounts, ..Policy::default() };
    for scratch in policy.scratch.iter_mut().filter(|scratch| scratch.target.ends_with("output")) {
        scratch.keep = Some(keep.clone());
    }
    let mut argv = argv.into_iter();
    let command = Command::new(argv.next().unwrap_or_default()).args(argv).cwd("/skill");
    (policy, command)
}

fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let begun = Instant::now();
    let done = work();
    (begun.elapsed(), done)
}

/// A container that could not be launched is an answer too.
fn told((time, done): (Duration, Result<(), Box<dyn Error>>)) -> Result<Answer, Box<dyn Error>> {
    let said = done.as_ref().map_or_else(ToString::to_string, |()| String::new());
    Ok(Answer { nanoseconds: time.as_nanos(), code: i32::from(done.is_err()), said })
}

fn run(argv: &[String], env: &BTreeMap<String, String>, walls: Walls) -> Result<Answer, Box<dyn Error>> {
    let program = Program::new(argv, env)?;
    let mut errors = tempfile::tempfile()?;
    let null = std::fs::OpenOptions::new().read(true).write(true).open("/dev/null")?;
    let streams = [null.as_fd(), null.as_fd(), errors.as_fd()];
    let (time, code) = timed(|| floor::run(&program, walls, streams));
    let mut said = Vec::new();
    errors.rewind()?;
    errors.read_to_end(&mut said)?;
    let said = String::from_utf8_lossy(&said).into_owned();
    Ok(Answer { nanoseconds: time.as_nanos(), code: code?, said })
}
