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
use super::cgroup::{Cgroup, Lot, Vacancy};
use super::identity::Identity;
use super::keep::{self, Keep};
use super::plan::{Exec, Plan};
use super::report::Report;
use super::tidy::Tidying;
use crate::backend::LaunchError;
use crate::child::{ChildEnd, Feed};
use crate::gate::Gate;
use crate::outcome::{Captured, Outcome, Usage};
use crate::probe::Feature;
use pump::{Ended, Pump, Streams};

use birth::Ending;
pub(super) use birth::{Birth, Born};
pub(super) use pump::{Input, Wake};
pub(super) use source::open_all;

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
    /// The cgroup, once it is there.
    fn cgroup(&self) -> Option<&Cgroup> {
        self.cgroup.as_ref().and_then(Lot::made)
    }

    /// Lets go of everything.
    fn end(mut self) -> Option<Vacancy> {
        self.cgroup.take().map(Lot::end)
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
            let (outcome, left) = watch(&mut job, feed, launched);
            conclude(job, left, || {
                let _ = end.send(outcome);
            });
        }
        Err(error) => {
            // The cgroup goes before the failure is told: whoever hears of it may end this process at once.
            conclude(job, None, || {
                let _ = started.send(Err(error));
            });
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
    let sources = open_all(&job.plan, job.identity)?;
    job.cgroup = job.cgroup.take().map(Lot::wait).transpose().map_err(failed("make a cgroup"))?;
    let born = Born::new(&Birth {
        plan: &job.plan,
        sources: &sources,
        exec: Some(&job.exec),
        container: job.container.as_deref(),
        identity: job.identity,
        cgroup: job.cgroup(),
        held: !gate.is_open(),
        streams: theirs.each_ref().map(AsRawFd::as_raw_fd),
    })?;
    drop(theirs);
    if job.container.is_none() {
        born.admit(job.cgroup())?;
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

/// Tells the outcome, and takes down what there was of the job: first, if anything of the command may still run, which goes with the
/// cgroup; and afterwards if only an empty container is left.
fn conclude(job: Job, left: Option<Born>, tell: impl FnOnce()) {
    let tidying = Tidying::begin();
    let vacancy = match left {
        None => {
            let vacancy = job.end();
            tell();
            vacancy
        }
        Some(born) => {
            tell();
            // The cgroup can be removed when nobody is in it any more.
            born.reap();
            job.end()
        }
    };
    if let Some(vacancy) = vacancy {
        vacancy.fill();
    }
    drop(tidying);
}

/// Watches a command until nothing of it runs any more. What is left to be reaped is given back if nobody has to wait for that.
fn watch(job: &mut Job, feed: Feed, launched: Launched) -> (Result<Outcome, LaunchError>, Option<Born>) {
    let Launched { mut born, streams, kept, begun } = launched;
    let mut pump = Pump::new(streams, feed, &born, job.cgroup());
    let ended = pump.run(deadline(begun, job.timeout), &job.wake);
    let captured = pump.into_captured();
    born.leave_network();
    let wall = begun.elapsed();
    // Processor time that no cgroup counts is told when the first process is reaped, and an overlay is let go of then.
    let waits = ended.cpu(job).is_none() || job.plan.has_overlay();
    let (reaped, left) = if waits { (born.reap(), None) } else { (None, Some(born)) };
    let usage = Usage { wall, cpu: ended.cpu(job).or(reaped), ..Usage::default() };
    (outcome(job, ended, captured, usage, &kept), left)
}

/// What the end of a command comes to.
fn outcome(
    job: &mut Job,
    ended: Ended,
    (stdout, stderr): (Captured, Captured),
    usage: Usage,
    kept: &[OwnedFd],
) -> Result<Outcome, LaunchError> {
    let Ended { report, timed_out, counted } = ended;
    let is_astray = matches!(report, Some(Report::NotExecuted { astray: true, .. }));
    let Ending { status, written } = Ending::of(report);
    let status = status.map_err(|source| match is_astray {
        true => LaunchError::Directory { path: job.exec.directory(), source },
        false => LaunchError::Exec { program: job.exec.program.clone(), source },
    })?;
    let peak_memory = counted.peak_memory.filter(|_| job.container.is_none());
    let usage = Usage { peak_memory, bytes_written: written, ..usage };
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
        unenforced: std::mem::take(&mut job.unenforced),
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
