//! The embedded runtime: our own containers on Linux, with no daemon, no image, no set-up and no root.
//!
//! A container is a process in namespaces of its own, with a root file system built for it from read-only mounts, no privileges, a filter
//! of its system calls, Landlock as a second wall, and a cgroup for its limits. What cannot be had here is refused.

mod admission;
mod cgroup;
mod container;
mod diagnose;
mod holder;
mod identity;
mod init;
mod keep;
mod landlock;
mod launch;
mod network;
mod plan;
mod report;
mod stage;
mod sys;
mod tidy;

use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::{Arc, Mutex};

use tokio::sync::oneshot;

use crate::backend::{Backend, Container, LaunchError, Pending};
use crate::child::{Child, Killer};
use crate::command::{Command, Stdin};
use crate::gate::Gate;
use crate::policy::{Enforcement, Policy, Scratch};
use crate::probe::{Feature, Finding, Probe};
use crate::surroundings::Surroundings;
use cgroup::{Ground, Lot, Order, Place};
use identity::Identity;
use keep::Keep;
use launch::{Input, Job, Wake, failed};
use plan::Plan;

pub(crate) use cgroup::{Owner, counted_of};
pub(crate) use landlock::Landlock;

/// Name of this backend.
const NAME: &str = "embedded";

/// Limits that only cgroups can enforce.
const LIMITS: [Feature; 3] = [Feature::Cpu, Feature::Memory, Feature::Pids];

/// The embedded runtime, with what was found out about this machine.
#[derive(Debug)]
pub struct Embedded {
    ground: Arc<Ground>,
    landlock: Option<u32>,
}

impl Embedded {
    /// Finds out what this machine offers, and removes what killed processes have left.
    pub fn new(surroundings: &Surroundings) -> Embedded {
        Embedded { ground: Arc::new(Ground::survey(surroundings)), landlock: sys::landlock_version() }
    }

    /// Where the cgroup for a launch is made, or the limits that go without one.
    async fn limit(&self, policy: &Policy) -> Result<(Option<Place>, Vec<Feature>), LaunchError> {
        match (self.place().await?, policy.limits.enforcement) {
            (Ok(place), _) => Ok((Some(place), Vec::new())),
            (Err(_), Enforcement::BestEffort) => Ok((None, LIMITS.to_vec())),
            (Err(finding), Enforcement::Strict) => {
                Err(LaunchError::LimitUnenforceable { backend: NAME, feature: Feature::Memory, finding })
            }
        }
    }

    /// Where cgroups are made. The first launch takes it, on a thread beside: it may have to wait for systemd.
    async fn place(&self) -> Result<Result<Place, Finding>, LaunchError> {
        if let Some(place) = self.ground.taken() {
            return Ok(Ok(place));
        }
        let ground = Arc::clone(&self.ground);
        let (tell, told) = oneshot::channel();
        std::thread::Builder::new()
            .name("sandbox-cgroup".to_owned())
            .spawn(move || tell.send(ground.take()))
            .map_err(failed("start a thread"))?;
        told.await.map_err(|_| LaunchError::Ended)
    }
}

impl Backend for Embedded {
    fn name(&self) -> &'static str {
        NAME
    }

    fn takes_overlay_of(&self, source: &Path) -> bool {
        !identity::is_held_by_group(source)
    }

    fn probe(&self) -> Pending<'_, Probe> {
        let (limits, lacks) = match self.ground.describe() {
            Ok(limits) => (limits, Vec::new()),
            Err(finding) => ("no cgroups", LIMITS.iter().map(|limit| (*limit, finding.clone())).collect()),
        };
        let version = match self.landlock {
            Some(landlock) => format!("{limits}, Landlock {landlock}"),
            None => format!("{limits}, no Landlock"),
        };
        let unusable = diagnose::namespaces();
        Box::pin(std::future::ready(Probe { backend: NAME, version: Some(version), unusable, lacks }))
    }

    fn launch<'a>(
        &'a self,
        policy: &'a Policy,
        command: &'a Command,
    ) -> Pending<'a, Result<Child, LaunchError>> {
        self.launch_behind(Gate::open(), policy, command)
    }

    fn launch_behind<'a>(
        &'a self,
        gate: Gate,
        policy: &'a Policy,
        command: &'a Command,
    ) -> Pending<'a, Result<Child, LaunchError>> {
        Box::pin(async move {
            let plan = Plan::new(policy, self.landlock)?;
            let (place, unenforced) = self.limit(policy).await?;
            let lot = place.map(|place| Lot::in_time(place, policy.limits)).transpose();
            let (cgroup, order) = lot.map_err(failed("make a cgroup"))?.unzip();
            let identity = Identity::find().map_err(failed("find out who launches"))?;
            let order = order.flatten();
            let launch = Launch { plan, container: None, identity, cgroup, order, unenforced, gate };
            launch_command(policy, command, launch).await.map_err(diagnose::explain)
        })
    }

    /// It keeps no copies: roots are mounted where they lie.
    fn forget_root<'a>(&'a self, _digest: &'a str) -> Pending<'a, Result<bool, LaunchError>> {
        Box::pin(std::future::ready(Ok(false)))
    }

    fn start<'a>(&'a self, policy: &'a Policy) -> Pending<'a, Result<Box<dyn Container>, LaunchError>> {
        Box::pin(async move {
            let limits = self.limit(policy).await?;
            let running = container::start(policy, self.landlock, limits).await.map_err(diagnose::explain)?;
            Ok(Box::new(running) as Box<dyn Container>)
        })
    }
}

/// Where a command is run: in a container of its own, or in one that runs already.
struct Launch {
    plan: Plan,
    container: Option<Arc<[OwnedFd]>>,
    identity: Identity,
    cgroup: Option<Lot>,
    order: Option<Order>,
    unenforced: Vec<Feature>,
    gate: Gate,
}

fn kept(policy: &Policy) -> Vec<Keep> {
    let keep = |scratch: &Scratch| Some(Keep { to: scratch.keep.clone()?, size: scratch.size });
    policy.scratch.iter().filter_map(keep).collect()
}

/// Gives a command its thread, and waits until the walls around it are up.
async fn launch_command(policy: &Policy, command: &Command, launch: Launch) -> Result<Child, LaunchError> {
    let wake = Arc::new(Wake::new().map_err(failed("make an event"))?);
    let killer = Arc::clone(&wake);
    let (mut child, feed, end) = Child::new(policy.limits.kept_output, Killer::new(move || killer.call()));
    let outlet = Arc::new(Mutex::new(None));
    let input = match &command.stdin {
        Stdin::Empty => Input::Bytes(Vec::new()),
        Stdin::Bytes(bytes) => Input::Bytes(bytes.clone()),
        Stdin::Piped => Input::Piped(Mutex::new(Some(child.open_stdin()))),
        Stdin::Conversation => {
            child.pass_on();
            Input::Conversation(Mutex::new(Some(child.open_stdin())), Arc::clone(&outlet))
        }
    };
    let Launch { plan, container, identity, cgroup, order, unenforced, gate } = launch;
    let job = Job {
        plan,
        exec: Plan::exec(policy, command)?,
        container,
        identity,
        cgroup,
        unenforced,
        input,
        timeout: policy.limits.timeout,
        keep: kept(policy),
        wake,
    };
    let (started, ready) = oneshot::channel();
    std::thread::Builder::new()
        .name("sandbox".to_owned())
        .spawn(move || launch::run(job, gate, feed, started, end))
        .map_err(failed("start a thread"))?;
    if let Some(order) = order {
        order.fulfil();
    }
    ready.await.map_err(|_| LaunchError::Ended)??;
    if let Some(stdout) = outlet.lock().ok().and_then(|mut outlet| outlet.take()) {
        child.listen_to(stdout).map_err(failed("watch a pipe"))?;
    }
    Ok(child)
}
