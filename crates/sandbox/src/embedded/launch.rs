//! The launcher's side of a command: its process is born, told who it is, and watched until it ends.
//!
//! Each has a thread of its own that lives as long as the process does, because the kernel kills it with the thread that made it, not
//! with the launcher's process.

mod birth;
mod pump;
mod source;

use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use super::NAME;
use super::cgroup::{Cgroup, Lot};
use super::identity::Identity;
use super::keep::{self, Keep};
use super::plan::{Exec, Plan};
use super::report::Report;
use crate::backend::LaunchError;
use crate::child::{ChildEnd, Feed};
use crate::gate::Gate;
use crate::outcome::{Outcome, Usage};
use crate::probe::Feature;
use pump::{Ended, Pump, Streams};

pub(super) use birth::{Birth, Born};
pub(super) use pump::{Input, Wake};

/// One command, with all that its thread needs.
pub(super) struct Job {
    /// What its container is, or which mounts it alone sees in a container that already runs.
    pub(super) plan: Plan,
    /// What to run.
    pub(super) exec: Exec,
    /// The namespaces of the container to enter; `None` makes a new one.
    pub(super) container: Option<Arc<[OwnedFd]>>,
    /// Who the container's user is, outside.
    pub(super) identity: Identity,
    /// Its limits, where they can be enforced.
    pub(super) cgroup: Option<Lot>,
    /// Limits that are not enforced.
    pub(super) unenforced: Vec<Feature>,
    /// What it reads.
    pub(super) input: Input,
    /// How long it may take.
    pub(super) timeout: Duration,
    /// Where its kept directories go, in the order of the plan.
    pub(super) keep: Vec<Keep>,
    /// Wakes the thread to kill it.
    pub(super) wake: Arc<Wake>,
}

impl Job {
    /// The cgroup, if it is there already.
    fn cgroup(&self) -> Option<&Cgroup> {
        self.cgroup.as_ref().and_then(Lot::made)
    }
}

/// Launches, watches and cleans up: the whole life of the thread.
pub(super) fn run(
    mut job: Job,
    gate: Gate,
    feed: Feed,
    started: oneshot::Sender<Result<(), LaunchError>>,
    end: ChildEnd,
) {
    match launch(&mut job, gate) {
        Ok(launched) => {
            let _ = started.send(Ok(()));
            let _ = end.send(watch(job, feed, launched));
        }
        Err(error) => {
            // The cgroup goes before the failure is told: whoever hears of it may end this process at once.
            drop(job);
            let _ = started.send(Err(error));
        }
    }
}

struct Launched {
    born: Born,
    streams: Streams,
    kept: Vec<OwnedFd>,
    begun: Instant,
}

/// Makes the container, and lets the command run in it once the gate is open.
fn launch(job: &mut Job, gate: Gate) -> Result<Launched, LaunchError> {
    let begun = Instant::now();
    let (streams, theirs) = Streams::open(&job.input, job.identity).map_err(failed("make pipes"))?;
    let born = Born::new(&Birth {
        plan: &job.plan,
        exec: Some(&job.exec),
        container: job.container.as_deref(),
        identity: job.identity,
        cgroup: job.cgroup(),
        held: !gate.is_open(),
        streams: theirs.each_ref().map(AsRawFd::as_raw_fd),
    })?;
    drop(theirs);
    if job.container.is_none() {
        admit(job, &born)?;
    }
    let kept = born.wait_until_ready(&job.plan)?;
    if gate.is_open() {
        return Ok(Launched { born, streams, kept, begun });
    }
    if let Err(shut) = gate.wait() {
        born.give_up();
        return Err(shut);
    }
    born.let_run()?;
    Ok(Launched { born, streams, kept, begun: Instant::now() })
}

/// Lets the process into its cgroup, once that is there.
fn admit(job: &mut Job, born: &Born) -> Result<(), LaunchError> {
    match job.cgroup.take().map(Lot::wait).transpose() {
        Ok(made) => job.cgroup = made,
        Err(error) => {
            born.give_up();
            return Err(failed("make a cgroup")(error));
        }
    }
    born.admit(job.cgroup())
}

fn watch(job: Job, feed: Feed, launched: Launched) -> Result<Outcome, LaunchError> {
    let Launched { born, streams, kept, begun } = launched;
    let mut pump = Pump::new(streams, feed, &born, job.cgroup());
    let Ended { report, timed_out, counted } = pump.run(deadline(begun, job.timeout), &job.wake);
    let (stdout, stderr) = pump.into_captured();
    let is_astray = matches!(report, Some(Report::NotExecuted { astray: true, .. }));
    let ending = born.finish(report);
    let status = ending.status.map_err(|source| match is_astray {
        true => LaunchError::Directory { path: job.exec.directory(), source },
        false => LaunchError::Exec { program: job.exec.program.clone(), source },
    })?;
    let counted = counted.or_else(|| job.cgroup().map(Cgroup::counted)).unwrap_or_default();
    // Those of a command in a container are the container's, all its commands together.
    let own = job.container.is_none();
    let usage = Usage {
        wall: begun.elapsed(),
        cpu: counted.cpu.filter(|_| own).or(ending.cpu),
        peak_memory: counted.peak_memory.filter(|_| own),
        bytes_written: ending.written,
    };
    let mut outcome = Outcome {
        status,
        timed_out,
        oom: counted.oom_kills > 0,
        stdout,
        stderr,
        usage,
        kept: Vec::new(),
        left_behind: Vec::new(),
        backend: NAME.into(),
        unenforced: job.unenforced,
    };
    for (from, to) in kept.iter().zip(&job.keep) {
        let copied = keep::copy_out(from, to).map_err(failed("copy the output"))?;
        outcome.kept.extend(copied.kept);
        outcome.left_behind.extend(copied.left_behind);
    }
    Ok(outcome)
}

/// When the time is up. More than a century cannot be asked for, lest the clock overflow.
pub(super) fn deadline(begun: Instant, timeout: Duration) -> Instant {
    const CENTURY: Duration = Duration::from_secs(100 * 366 * 24 * 60 * 60);
    begun.checked_add(timeout.min(CENTURY)).unwrap_or(begun)
}

/// Says which step a system error came from.
pub(super) fn failed(step: &'static str) -> impl Fn(std::io::Error) -> LaunchError {
    move |source| LaunchError::Step { step: step.to_owned(), source }
}
