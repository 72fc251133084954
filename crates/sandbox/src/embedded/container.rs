//! A container that waits for commands. It has a thread of its own, and ends when it is stopped, when its time is up, or with this
//! process.

use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tokio::sync::oneshot;

use super::cgroup::{Cgroup, Lot, Place};
use super::identity::Identity;
use super::launch::{Birth, Born, Wake, deadline, failed, open_all};
use super::plan::Plan;
use super::{Launch, launch_command};
use crate::backend::{Container, LaunchError, Pending};
use crate::child::Child;
use crate::command::Command;
use crate::gate::Gate;
use crate::policy::{Mount, Policy};
use crate::probe::Feature;

/// A container of the embedded runtime.
pub(super) struct Running {
    policy: Policy,
    landlock: Option<u32>,
    identity: Identity,
    process: OwnedFd,
    namespaces: Arc<[OwnedFd]>,
    cgroup: Option<Arc<Cgroup>>,
    unenforced: Vec<Feature>,
    commands: AtomicU64,
    wake: Arc<Wake>,
    ended: Mutex<Option<oneshot::Receiver<()>>>,
}

/// Starts a container and waits until its walls are up.
pub(super) async fn start(
    policy: &Policy,
    landlock: Option<u32>,
    limits: (Option<Place>, Vec<Feature>),
) -> Result<Running, LaunchError> {
    let plan = Plan::new(policy, landlock)?;
    let identity = Identity::find().map_err(failed("find out who launches"))?;
    let wake = Arc::new(Wake::new().map_err(failed("make an event"))?);
    let cgroup = limits.0.map(|place| place.create(&policy.limits)).transpose();
    let cgroup = cgroup.map_err(failed("make a cgroup"))?.map(Arc::new);
    let (started, ready) = oneshot::channel();
    let (end, ended) = oneshot::channel();
    let life = Life {
        plan,
        identity,
        cgroup: cgroup.clone(),
        timeout: policy.limits.timeout,
        wake: Arc::clone(&wake),
    };
    std::thread::Builder::new()
        .name("sandbox-container".to_owned())
        .spawn(move || life.live(started, end))
        .map_err(failed("start a thread"))?;
    let (process, namespaces) = ready.await.map_err(|_| LaunchError::Ended)??;
    Ok(Running {
        policy: policy.clone(),
        landlock,
        identity,
        process,
        namespaces: namespaces.into(),
        cgroup,
        unenforced: limits.1,
        commands: AtomicU64::new(0),
        wake,
        ended: Mutex::new(Some(ended)),
    })
}

/// A descriptor of a container's first process, and its namespaces.
type Opened = (OwnedFd, Vec<OwnedFd>);

/// What a container's thread needs.
struct Life {
    plan: Plan,
    identity: Identity,
    cgroup: Option<Arc<Cgroup>>,
    timeout: Duration,
    wake: Arc<Wake>,
}

impl Life {
    fn live(self, started: oneshot::Sender<Result<Opened, LaunchError>>, end: oneshot::Sender<()>) {
        match self.begin() {
            Ok((born, opened)) => {
                let _ = started.send(Ok(opened));
                self.wait(born.process());
                born.give_up();
            }
            Err(error) => {
                // The cgroup goes before the failure is told, as before the end below.
                drop(self);
                let _ = started.send(Err(error));
                return;
            }
        }
        drop(self);
        let _ = end.send(());
    }

    fn begin(&self) -> Result<(Born, Opened), LaunchError> {
        let sources = open_all(&self.plan, self.identity)?;
        let born = Born::new(&Birth {
            plan: &self.plan,
            sources: &sources,
            exec: None,
            container: None,
            identity: self.identity,
            cgroup: self.cgroup.as_deref(),
            held: false,
            streams: [0, 1, 2],
        })?;
        born.admit(self.cgroup.as_deref())?;
        let namespaces = born.wait_until_ready(&self.plan)?;
        let process = born.process().try_clone().map_err(failed("keep hold of the container"))?;
        Ok((born, (process, namespaces)))
    }

    fn wait(&self, process: &OwnedFd) {
        let deadline = deadline(Instant::now(), self.timeout);
        loop {
            let mut fds = [PollFd::from_borrowed_fd(process.as_fd(), PollFlags::IN), self.wake.poll()];
            let left = deadline.saturating_duration_since(Instant::now());
            let timeout = Timespec::try_from(left).unwrap_or(Timespec { tv_sec: 60, tv_nsec: 0 });
            let happened = poll(&mut fds, Some(&timeout));
            if left.is_zero() || happened.is_ok_and(|count| count > 0) {
                return;
            }
        }
    }
}

impl Container for Running {
    fn exec<'a>(
        &'a self,
        command: &'a Command,
        mounts: &'a [Mount],
        timeout: Duration,
    ) -> Pending<'a, Result<Child, LaunchError>> {
        Box::pin(async move {
            if !self.alive().await {
                return Err(LaunchError::Ended);
            }
            let number = self.commands.fetch_add(1, Ordering::Relaxed);
            let cgroup = match &self.cgroup {
                Some(cgroup) => {
                    Some(Lot::Made(Box::new(cgroup.nested(number).map_err(failed("make a cgroup"))?)))
                }
                None => None,
            };
            let mut policy = self.policy.clone();
            policy.limits.timeout = timeout;
            policy.scratch.iter_mut().for_each(|scratch| scratch.keep = None);
            let launch = Launch {
                plan: Plan::of_mounts(&policy, mounts, self.landlock)?,
                container: Some(Arc::clone(&self.namespaces)),
                identity: self.identity,
                cgroup,
                order: None,
                unenforced: self.unenforced.clone(),
                gate: Gate::open(),
            };
            launch_command(&policy, command, launch).await
        })
    }

    fn alive(&self) -> Pending<'_, bool> {
        let mut fds = [PollFd::from_borrowed_fd(self.process.as_fd(), PollFlags::IN)];
        let ended = poll(&mut fds, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })).is_ok_and(|count| count > 0);
        Box::pin(std::future::ready(!ended))
    }

    fn stop(self: Box<Self>) -> Pending<'static, Result<(), LaunchError>> {
        Box::pin(async move {
            self.wake.call();
            let ended = self.ended.lock().ok().and_then(|mut ended| ended.take());
            if let Some(ended) = ended {
                let _ = ended.await;
            }
            Ok(())
        })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.wake.call();
    }
}
