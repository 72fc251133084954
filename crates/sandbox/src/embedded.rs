//! The embedded runtime: our own containers on Linux, with no daemon, no image, no set-up and no root.
//!
//! A container is a process in namespaces of its own, with a root file system built for it from read-only mounts, no privileges, a filter
//! of its system calls, Landlock as a second wall, and a cgroup for its limits. What cannot be had here is refused.

mod cgroup;
mod identity;
mod init;
mod keep;
mod landlock;
mod launch;
mod plan;
mod report;
mod stage;
mod sys;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::oneshot;

use crate::backend::LaunchError;
use crate::child::{Child, Killer};
use crate::command::{Command, Stdin};
use crate::policy::{Enforcement, Policy};
use crate::probe::{Feature, Finding};
use cgroup::{Cgroup, Cgroups};
use identity::Identity;
use launch::{Input, Job, Wake, failed};
use plan::Plan;

/// Name of this backend.
pub(crate) const NAME: &str = "embedded";

/// The embedded runtime, with what was found out about this machine.
#[derive(Debug)]
pub struct Embedded {
    cgroups: Result<Cgroups, Finding>,
    landlock: Option<u32>,
    launched: AtomicU64,
}

impl Embedded {
    /// Finds out what this machine offers, and removes what killed processes have left.
    pub fn new() -> Embedded {
        let cgroups = Cgroups::find();
        if let Ok(cgroups) = &cgroups {
            cgroups.reap();
        }
        Embedded { cgroups, landlock: sys::landlock_version(), launched: AtomicU64::new(0) }
    }

    /// Runs a command.
    pub async fn run(&self, policy: &Policy, command: &Command) -> Result<Child, LaunchError> {
        let wake = Arc::new(Wake::new().map_err(failed("make an event"))?);
        let killer = Arc::clone(&wake);
        let (mut child, feed, end) =
            Child::new(policy.limits.kept_output, Killer::new(move || killer.call()));
        let input = match &command.stdin {
            Stdin::Empty => Input::Bytes(Vec::new()),
            Stdin::Bytes(bytes) => Input::Bytes(bytes.clone()),
            Stdin::Piped => Input::Piped(std::sync::Mutex::new(Some(child.pipe_stdin()))),
        };
        let (cgroup, unenforced) = self.limit(policy)?;
        let job = Job {
            plan: Plan::new(policy, self.landlock)?,
            exec: Plan::exec(policy, command)?,
            identity: Identity::find().map_err(failed("find out who launches"))?,
            cgroup,
            unenforced,
            input,
            timeout: policy.limits.timeout,
            keep: policy.scratch.iter().filter_map(|scratch| scratch.keep.clone()).collect(),
            wake,
        };
        let (started, ready) = oneshot::channel();
        std::thread::Builder::new()
            .name("sandbox".to_owned())
            .spawn(move || launch::run(job, feed, started, end))
            .map_err(failed("start a thread"))?;
        ready.await.map_err(|_| LaunchError::Ended)??;
        Ok(child)
    }

    /// The cgroup for a launch, or the limits that go without one.
    fn limit(&self, policy: &Policy) -> Result<(Option<Cgroup>, Vec<Feature>), LaunchError> {
        match (&self.cgroups, policy.limits.enforcement) {
            (Ok(cgroups), _) => {
                let number = self.launched.fetch_add(1, Ordering::Relaxed);
                let cgroup = cgroups.create(number, &policy.limits).map_err(failed("make a cgroup"))?;
                Ok((Some(cgroup), Vec::new()))
            }
            (Err(_), Enforcement::BestEffort) => {
                Ok((None, vec![Feature::Cpu, Feature::Memory, Feature::Pids]))
            }
            (Err(finding), Enforcement::Strict) => Err(LaunchError::LimitUnenforceable {
                backend: NAME,
                feature: Feature::Memory,
                finding: finding.clone(),
            }),
        }
    }
}
