//! The launcher's side of a new container: the process is born into its namespaces, told who it is, and watched until it ends.
//!
//! Each container has a thread of its own that lives as long as the container does, because the kernel kills the container with the
//! thread that made it, not with the process.

mod pump;
mod source;

use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};
use tokio::sync::oneshot;

use super::NAME;
use super::cgroup::{self, Cgroup};
use super::identity::Identity;
use super::keep;
use super::plan::{Exec, Plan};
use super::report::{Report, Step};
use super::stage::{self, Inheritance};
use super::sys::{self, CloneFlags, Forked};
use crate::backend::LaunchError;
use crate::child::{ChildEnd, Feed};
use crate::outcome::{ExitStatus, Outcome, Usage};
use crate::policy::Network;
use crate::probe::Feature;
use pump::{Ended, Pump, Streams};

pub(super) use pump::{Input, Wake};

/// One launch, with all that its thread needs.
pub(super) struct Job {
    /// What the container is.
    pub(super) plan: Plan,
    /// What it runs.
    pub(super) exec: Exec,
    /// Who its user is, outside.
    pub(super) identity: Identity,
    /// Its limits, where they can be enforced.
    pub(super) cgroup: Option<Cgroup>,
    /// Limits that are not enforced.
    pub(super) unenforced: Vec<Feature>,
    /// What it reads.
    pub(super) input: Input,
    /// How long it may take.
    pub(super) timeout: Duration,
    /// Where its kept directories go, in the order of the plan.
    pub(super) keep: Vec<std::path::PathBuf>,
    /// Wakes the thread to kill it.
    pub(super) wake: Arc<Wake>,
}

/// A container's first process, seen from outside.
pub(super) struct Born {
    pid: Pid,
    pidfd: OwnedFd,
    launcher: OwnedFd,
}

/// Launches, watches and cleans up; the whole life of the thread.
pub(super) fn run(job: Job, feed: Feed, started: oneshot::Sender<Result<(), LaunchError>>, end: ChildEnd) {
    let begun = Instant::now();
    match launch(&job) {
        Ok((born, streams, kept)) => {
            let _ = started.send(Ok(()));
            let _ = end.send(watch(job, feed, Launched { born, streams, kept, begun }));
        }
        Err(error) => {
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

fn launch(job: &Job) -> Result<(Born, Streams, Vec<OwnedFd>), LaunchError> {
    let (streams, theirs) = Streams::open(&job.input).map_err(failed("make pipes"))?;
    let raw = theirs.each_ref().map(AsRawFd::as_raw_fd);
    let born = Born::new(&job.plan, Some(&job.exec), job.identity, job.cgroup.as_ref(), raw)?;
    drop(theirs);
    let kept = born.wait_until_ready(&job.plan)?;
    Ok((born, streams, kept))
}

fn watch(job: Job, feed: Feed, launched: Launched) -> Result<Outcome, LaunchError> {
    let Launched { born, streams, kept, begun } = launched;
    let deadline = begun + job.timeout;
    let mut pump =
        Pump { streams, feed, deadline, launcher: born.launcher.as_fd(), process: born.pidfd.as_fd() };
    let Ended { report, timed_out } = pump.run(&job.wake);
    let (stdout, stderr) = pump.feed.into_captured();
    let (status, usage) = born.finish(report, job.cgroup.as_ref());
    let status = status.map_err(|source| LaunchError::Exec { program: job.exec.program.clone(), source })?;
    let counted = job.cgroup.as_ref().map(Cgroup::counted).unwrap_or_default();
    let mut outcome = Outcome {
        status,
        timed_out,
        oom: counted.oom_kills > 0,
        stdout,
        stderr,
        usage: Usage { wall: begun.elapsed(), peak_memory: counted.peak_memory, ..usage },
        kept: Vec::new(),
        left_behind: Vec::new(),
        backend: NAME,
        unenforced: job.unenforced,
    };
    outcome.usage.cpu = counted.cpu.or(usage.cpu);
    for (from, to) in kept.iter().zip(&job.keep) {
        let copied = keep::copy_out(from, to).map_err(failed("copy the output"))?;
        outcome.kept.extend(copied.kept);
        outcome.left_behind.extend(copied.left_behind);
    }
    Ok(outcome)
}

impl Born {
    /// Makes the process and tells it to begin.
    pub(super) fn new(
        plan: &Plan,
        exec: Option<&Exec>,
        identity: Identity,
        cgroup: Option<&Cgroup>,
        streams: [i32; 3],
    ) -> Result<Born, LaunchError> {
        let (launcher, theirs) = pair().map_err(failed("make a socket pair"))?;
        let sources = if identity.switched { source::open_all(plan, identity)? } else { Vec::new() };
        let doors =
            cgroup.map(Cgroup::doors).transpose().map_err(failed("open the cgroup"))?.unwrap_or_default();
        let doors_raw = cgroup::raw(&doors);
        let birthplace =
            cgroup.map(Cgroup::birthplace).transpose().map_err(failed("open the cgroup"))?.flatten();
        let inheritance = Inheritance {
            launcher: theirs.as_fd(),
            cgroups: &doors_raw,
            sources: &sources,
            switch_user: identity.switched,
            streams,
        };
        let flags = CloneFlags {
            flags: namespaces(plan.network),
            cgroup: birthplace.as_ref().map(AsRawFd::as_raw_fd),
        };
        // SAFETY: `live` makes system calls only and never returns; everything it uses was made before.
        match unsafe { sys::fork(flags) }.map_err(|errno| failed("make namespaces")(errno.into()))? {
            Forked::Child => stage::live(plan, exec, &inheritance),
            Forked::Parent { pid, pidfd } => {
                let born = Born { pid, pidfd, launcher };
                let mapped = identity.map(pid, plan.user);
                if let Err(source) = mapped {
                    born.kill();
                    let _ = sys::reap(pid);
                    return Err(failed("map the container's user")(source));
                }
                let _ = rustix::io::write(&born.launcher, b"1");
                Ok(born)
            }
        }
    }

    /// Waits for the walls to be up; the kept directories.
    pub(super) fn wait_until_ready(&self, plan: &Plan) -> Result<Vec<OwnedFd>, LaunchError> {
        let problem = match Report::receive(self.launcher.as_fd()) {
            Ok(Some((Report::Ready, kept))) => return Ok(kept),
            Ok(Some((Report::Failed { step, index, errno }, _))) => {
                let step = match plan.actions.get(index as usize) {
                    Some(action) if step == Step::Action => action.to_string(),
                    _ => step.purpose().to_owned(),
                };
                LaunchError::Step { step, source: std::io::Error::from_raw_os_error(errno) }
            }
            Ok(_) => failed("start its first process")(std::io::ErrorKind::UnexpectedEof.into()),
            Err(errno) => failed("hear from its first process")(errno.into()),
        };
        self.kill();
        let _ = sys::reap(self.pid);
        Err(problem)
    }

    /// Kills everything in the container.
    pub(super) fn kill(&self) {
        let _ = rustix::process::pidfd_send_signal(&self.pidfd, Signal::KILL);
    }

    /// Reaps the first process, which has ended or been killed; how the command ended, or why it could not be executed.
    fn finish(
        self,
        report: Option<Report>,
        cgroup: Option<&Cgroup>,
    ) -> (Result<ExitStatus, std::io::Error>, Usage) {
        let _ = cgroup;
        let mut usage = Usage::default();
        // While it is not yet reaped, the kernel still tells what it and its children have written.
        let _ = rustix::process::waitid(
            rustix::process::WaitId::PidFd(self.pidfd.as_fd()),
            rustix::process::WaitIdOptions::EXITED | rustix::process::WaitIdOptions::NOWAIT,
        );
        usage.bytes_written = bytes_written(self.pid);
        usage.cpu = sys::reap(self.pid).ok().map(|(_, cpu)| cpu);
        let status = match report {
            Some(Report::Ended { status }) => Ok(exit_status(status)),
            Some(Report::NotExecuted { errno }) => Err(std::io::Error::from_raw_os_error(errno)),
            _ => Ok(ExitStatus::Signal(libc::SIGKILL)),
        };
        (status, usage)
    }

    pub(super) fn pidfd(&self) -> &OwnedFd {
        &self.pidfd
    }
}

fn namespaces(network: Network) -> u64 {
    let mut flags = libc::CLONE_NEWUSER
        | libc::CLONE_NEWNS
        | libc::CLONE_NEWPID
        | libc::CLONE_NEWIPC
        | libc::CLONE_NEWUTS;
    if network == Network::None {
        flags |= libc::CLONE_NEWNET;
    }
    flags as u64
}

fn pair() -> std::io::Result<(OwnedFd, OwnedFd)> {
    use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
    Ok(socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?)
}

fn exit_status(raw: i32) -> ExitStatus {
    if libc::WIFSIGNALED(raw) {
        ExitStatus::Signal(libc::WTERMSIG(raw))
    } else {
        ExitStatus::Code(libc::WEXITSTATUS(raw))
    }
}

fn bytes_written(pid: Pid) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{}/io", pid.as_raw_nonzero())).ok()?;
    text.lines().find_map(|line| line.strip_prefix("wchar: ")?.trim().parse().ok())
}

/// Says which step a system error came from.
pub(super) fn failed(step: &str) -> impl Fn(std::io::Error) -> LaunchError {
    let step = step.to_owned();
    move |source| LaunchError::Step { step: step.clone(), source }
}
