//! Docker and Podman, through their API: the same policy, the same filter of system calls, or a refusal.
//!
//! A container's first process is ours and only waits (`first`); commands are executed beside it. So the container dies with the
//! connection that we hold, whatever becomes of us; what a command has written can be copied out when it has ended and before the
//! container does (`keep`); and a container that waits for commands is nothing else than one that runs a single one.
//!
//! | part | what it does |
//! | --- | --- |
//! | `place`, `connection`, `facts` | finds an engine, speaks to it, learns what it can enforce |
//! | `root` | imports a root file system, or places for this machine's own, once, under its digest |
//! | `plan`, `binds` | the policy, as each engine takes it |
//! | `living`, `exec`, `launch`, `container` | containers, commands in them, and what came of those |
//! | `walls` | the second wall |
//! | `owner` | removes what killed processes have left |
//!
//! Nothing here starts an engine, pulls an image, or reads the environment.

mod binds;
mod connection;
mod container;
mod exec;
mod facts;
mod filter;
mod first;
mod keep;
mod launch;
mod living;
mod owner;
mod pipe;
mod place;
mod plan;
mod root;
mod usage;
mod walls;
mod worker;

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use tokio::sync::{Mutex, OnceCell};

use crate::backend::{Backend, Container, LaunchError, Pending};
use crate::child::Child;
use crate::command::Command;
use crate::host_root;
use crate::policy::{Policy, Root};
use crate::probe::{Feature, Finding, Probe};
use crate::surroundings::Surroundings;
use connection::Connection;
use container::Waiting;
use exec::Prepared;
use first::Company;
use launch::Job;
use living::Living;
use plan::Plan;
use walls::Walls;

/// Which engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Docker,
    Podman,
}

impl Kind {
    /// Name of the backend.
    fn name(self) -> &'static str {
        match self {
            Kind::Docker => "docker",
            Kind::Podman => "podman",
        }
    }

    /// Name for people.
    fn title(self) -> &'static str {
        match self {
            Kind::Docker => "Docker",
            Kind::Podman => "Podman",
        }
    }
}

/// Docker or Podman.
#[derive(Clone, Debug)]
pub struct Engine(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    kind: Kind,
    surroundings: Surroundings,
    connection: OnceCell<Arc<Connection>>,
    reaped: OnceCell<()>,
    /// One import at a time: the second finds what the first has imported.
    importing: Mutex<()>,
}

impl Engine {
    /// Docker, found as Docker's client finds it.
    pub fn docker(surroundings: &Surroundings) -> Engine {
        Engine::new(Kind::Docker, surroundings)
    }

    /// Podman, found as Podman's client finds it.
    pub fn podman(surroundings: &Surroundings) -> Engine {
        Engine::new(Kind::Podman, surroundings)
    }

    fn new(kind: Kind, surroundings: &Surroundings) -> Engine {
        Engine(Arc::new(Inner {
            kind,
            surroundings: surroundings.clone(),
            connection: OnceCell::new(),
            reaped: OnceCell::new(),
            importing: Mutex::new(()),
        }))
    }
}

impl Inner {
    async fn connection(&self) -> Result<Arc<Connection>, Finding> {
        let open = || async { Connection::open(self.kind, &self.surroundings).await.map(Arc::new) };
        self.connection.get_or_try_init(open).await.map(Arc::clone)
    }

    /// An engine that can run containers.
    async fn connected(&self) -> Result<Arc<Connection>, LaunchError> {
        let unavailable = |finding| LaunchError::Unavailable { backend: self.kind.name(), finding };
        let connection = self.connection().await.map_err(unavailable)?;
        match connection.facts.unusable() {
            Some(finding) => Err(unavailable(finding)),
            None => Ok(connection),
        }
    }

    async fn probe(&self) -> Probe {
        let backend = self.kind.name();
        match self.connection().await {
            Ok(connection) if connection.answers().await => Probe {
                backend,
                version: Some(connection.facts.describe()),
                unusable: connection.facts.unusable(),
                lacks: connection.facts.lacks(),
            },
            Ok(_) => {
                let cause = format!("{} has stopped answering", self.kind.title());
                Probe::unusable(backend, Finding::new(cause, "restart it"))
            }
            Err(finding) => Probe::unusable(backend, finding),
        }
    }

    /// A new container.
    async fn begin(&self, policy: &Policy) -> Result<Begun, LaunchError> {
        let connection = self.connected().await?;
        let unenforced = plan::admit(policy, &connection.facts, connection.backend)?;
        // Refused before anything is made.
        let mut plan = Plan::new(policy, &unenforced)?;
        let walls = if connection.facts.local {
            walls::for_policy(policy, plan.has_shared_memory())
        } else {
            Walls::default()
        };
        self.reaped.get_or_init(|| owner::reap(&connection)).await;
        let parts = match &policy.root {
            Root::Host => host_root::parts(policy),
            Root::Directory { .. } => Vec::new(),
        };
        plan.binds = binds::prepare(policy, &parts, &connection).await?;
        plan.image = {
            let _alone = self.importing.lock().await;
            match &policy.root {
                Root::Directory { path, digest } => root::import(&connection, path, digest).await?,
                Root::Host => root::import_places(&connection, &parts).await?,
            }
        };
        plan.labels = owner::labels();
        let living = Living::start(connection, &plan, self.surroundings.files.as_deref()).await?;
        Ok(Begun { living, walls, unenforced })
    }

    /// With an engine of root's on this machine a user inside is the same user outside, so that whoever asks is nobody else in there.
    async fn personal(&self, mut policy: Policy) -> Result<Policy, LaunchError> {
        let facts = &self.connected().await?.facts;
        if let Some(person) = ordinary_person().filter(|_| facts.local && !facts.rootless) {
            policy.user = person;
        }
        Ok(policy)
    }

    async fn launch(&self, policy: Policy, command: Command) -> Result<Child, LaunchError> {
        let begun = Instant::now();
        let policy = self.personal(policy).await?;
        // Refused before a container is started for it.
        Prepared::new(&policy, &command, Company::Alone, &Walls::default())?;
        let Begun { living, walls, unenforced } = self.begin(&policy).await?;
        let prepared = Prepared::new(&policy, &command, Company::Alone, &walls)?;
        let (living, program, cwd) = (Arc::new(living), launch::program(&command), command.cwd.clone());
        let job = Job { living, company: Company::Alone, policy, program, cwd, unenforced, begun };
        launch::launch(job, prepared, command.stdin).await
    }
}

/// Whoever runs this program, unless that is root.
#[cfg(target_os = "linux")]
fn ordinary_person() -> Option<u32> {
    let person = rustix::process::geteuid();
    (!person.is_root()).then(|| person.as_raw())
}

/// Elsewhere engines run in a machine of their own, whose users are not ours.
#[cfg(not(target_os = "linux"))]
fn ordinary_person() -> Option<u32> {
    None
}

/// A container that has begun.
struct Begun {
    living: Living,
    walls: Walls,
    /// What of its policy is not enforced.
    unenforced: Vec<Feature>,
}

impl Backend for Engine {
    fn name(&self) -> &'static str {
        self.0.kind.name()
    }

    fn takes_overlay_of(&self, _: &Path) -> bool {
        false
    }

    fn probe(&self) -> Pending<'_, Probe> {
        let inner = Arc::clone(&self.0);
        Box::pin(async move {
            let probed = worker::run(async move { Ok(inner.probe().await) }).await;
            probed.unwrap_or_else(|error| {
                Probe::unusable(self.name(), Finding::new(error.to_string(), "end other processes"))
            })
        })
    }

    fn launch<'a>(
        &'a self,
        policy: &'a Policy,
        command: &'a Command,
    ) -> Pending<'a, Result<Child, LaunchError>> {
        let (inner, policy, command) = (Arc::clone(&self.0), policy.clone(), command.clone());
        Box::pin(worker::run(async move { inner.launch(policy, command).await }))
    }

    fn forget_root<'a>(&'a self, digest: &'a str) -> Pending<'a, Result<bool, LaunchError>> {
        let (inner, digest) = (Arc::clone(&self.0), digest.to_owned());
        Box::pin(worker::run(async move { root::forget(&*inner.connected().await?, &digest).await }))
    }

    fn start<'a>(&'a self, policy: &'a Policy) -> Pending<'a, Result<Box<dyn Container>, LaunchError>> {
        let (inner, policy) = (Arc::clone(&self.0), policy.clone());
        Box::pin(worker::run(async move {
            let policy = inner.personal(policy).await?;
            let Begun { living, walls, unenforced } = inner.begin(&policy).await?;
            Ok(Box::new(Waiting::new(living, policy, walls, unenforced)) as Box<dyn Container>)
        }))
    }
}
