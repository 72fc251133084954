//! One pass over the test binaries: every test in a process of its own, two or more at a time.
//!
//! What a test prints is kept and shown only if it fails.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::cgroup::{Cgroup, Owner, TESTER};
use super::tally::Tally;
use crate::process;
use crate::vm::plan::{Binary, Pass, Plan};
use crate::vm::text;

/// How long one test may take; emulation makes it ten times slower.
const LIMIT: Duration = Duration::from_secs(120);

/// Enters a cgroup, becomes the test user, and then the test: `sh -c ENTER sh PROCESSES UID TEST…`.
const ENTER: &str = r#"echo $$ >"$1" && uid=$2 && shift 2 &&
    exec setpriv --reuid="$uid" --regid="$uid" --clear-groups "$@""#;

/// One test of one binary.
struct Test<'a> {
    binary: &'a Binary,
    name: String,
    /// What its cgroup and its output are called by: names may be long, and two packages may share one.
    number: usize,
}

/// Runs every test of the plan that belongs to `pass`.
pub fn run(plan: &Plan, pass: Pass) -> Result<Tally, String> {
    let mut tests = Vec::new();
    for binary in &plan.binaries {
        let first = tests.len();
        let numbered = list(binary)?.into_iter().enumerate();
        tests.extend(numbered.map(|(at, name)| Test { binary, name, number: first + at }));
    }
    tests.retain(|test| plan.includes(pass, &test.title()));
    println!("guild-vm: tests {}: {}", pass.name(), tests.len());
    if tests.is_empty() && plan.is_whole {
        return Err(format!("no test is meant for the pass `{}`: was it renamed?", pass.name()));
    }

    let (next, passed) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || {
        while let Some(test) = tests.get(next.fetch_add(1, Ordering::Relaxed)) {
            passed.fetch_add(usize::from(test.report(pass)), Ordering::Relaxed);
        }
    };
    let workers = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| (0..workers).for_each(|_| drop(scope.spawn(work))));
    let passed = passed.into_inner();
    Ok(Tally { passed, failed: tests.len() - passed })
}

fn list(binary: &Binary) -> Result<Vec<String>, String> {
    let listing = process::capture(Path::new("/"), text(&binary.path)?, &["--list", "--format", "terse"])?;
    Ok(listing.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_owned).collect())
}

impl Test<'_> {
    fn title(&self) -> String {
        format!("{}::{}", self.binary.target, self.name)
    }

    /// Runs the test and prints one line, or everything where it fails; says whether it passed.
    fn report(&self, pass: Pass) -> bool {
        let start = Instant::now();
        let output = format!("/tmp/guild-vm-{}-{}", pass.name(), self.number);
        let result = self.run(pass, Path::new(&output));
        let time = start.elapsed().as_secs_f64();
        let Err(error) = result else {
            println!("  ok   {} ({time:.2} s)", self.title());
            return true;
        };
        let shown = fs::read(&output).unwrap_or_default();
        println!(
            "  FAIL {} ({time:.2} s): {error}\n{}",
            self.title(),
            String::from_utf8_lossy(&shown).trim_end()
        );
        false
    }

    fn run(&self, pass: Pass, output: &Path) -> Result<(), String> {
        let group = format!("test-{}", self.number);
        let cgroup = match pass {
            Pass::Delegated => Some(Cgroup::make(&group, Owner::Tester)?),
            Pass::Undelegated => Some(Cgroup::make(&group, Owner::Root)?),
            Pass::Session | Pass::Root => None,
        };
        let mut child = self.command(pass, cgroup.as_ref(), output)?;
        let child = child.spawn().map_err(|error| format!("cannot start it: {error}"))?;
        let status = wait(child, cgroup.as_ref());
        if let Some(cgroup) = cgroup {
            cgroup.end()?;
        }
        match status? {
            status if status.success() => Ok(()),
            status => Err(status.to_string()),
        }
    }

    fn command(&self, pass: Pass, cgroup: Option<&Cgroup>, output: &Path) -> Result<Command, String> {
        let test = [text(&self.binary.path)?, "--exact", &self.name, "--nocapture"];
        let directory = &self.binary.directory;
        let mut command = if let Some(cgroup) = cgroup {
            let processes = cgroup.processes();
            let enter = ["-c", ENTER, "sh", text(&processes)?, &TESTER.to_string()];
            let mut command = process::command(directory, "sh", &[&enter[..], &test].concat());
            command.env_clear().env("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
            command.env("HOME", "/home/tester").env("USER", "tester").env("LANG", "C.UTF-8");
            command
        } else {
            let [program, arguments @ ..] = &test;
            process::command(directory, program, arguments)
        };
        let file = File::create(output).map_err(|error| format!("cannot keep its output: {error}"))?;
        let twin = file.try_clone().map_err(|error| format!("cannot keep its output: {error}"))?;
        command.stdin(Stdio::null()).stdout(file).stderr(twin);
        command.env("GUILD_VM", pass.name()).env("CARGO_MANIFEST_DIR", directory);
        Ok(command)
    }
}

/// Waits for a test, and kills it with all that it started when its time is over.
fn wait(mut child: Child, cgroup: Option<&Cgroup>) -> Result<ExitStatus, String> {
    let failed = |error| format!("cannot wait for it: {error}");
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().map_err(failed)? {
            return Ok(status);
        }
        if start.elapsed() > LIMIT {
            cgroup.map_or_else(|| child.kill().map_err(failed), Cgroup::kill)?;
            child.wait().map_err(failed)?;
            return Err(format!("killed after {} s", LIMIT.as_secs()));
        }
        thread::sleep(Duration::from_millis(10));
    }
}
