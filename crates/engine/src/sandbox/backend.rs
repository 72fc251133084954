//! Which runtime makes the containers: the one that the configuration or the person names, else the first that is usable.

use std::path::Path;
use std::sync::Arc;

use guild_manifest::config::{Backend as Choice, Sandbox};
use guild_sandbox::{Backend, Child, Command, Gate, LaunchError, Policy, Probe, RefusalKind, Surroundings};

use super::Refusal;
use crate::Code;
use crate::plugin_tools::Standbys;

/// The runtimes of this machine, in the order in which they are tried. A clone is the same runtimes.
#[derive(Clone)]
pub struct Backends {
    all: Arc<Vec<Box<dyn Backend>>>,
    /// Containers that wait for the next call of a tool, in a process that lives long enough to see one.
    pub(crate) standbys: Option<Standbys>,
}

/// The runtimes that this build and this system have.
pub fn container_backends(surroundings: &Surroundings) -> Backends {
    let all: Vec<Box<dyn Backend>> = vec![
        #[cfg(target_os = "linux")]
        Box::new(guild_sandbox::Embedded::new(surroundings)),
        Box::new(guild_sandbox::Engine::docker(surroundings)),
        Box::new(guild_sandbox::Engine::podman(surroundings)),
    ];
    Backends { all: Arc::new(all), standbys: None }
}

/// The runtimes that may make a container, the preferred one first; there is at least one.
#[derive(Clone, Copy)]
pub(crate) struct Chosen<'a> {
    preferred: &'a dyn Backend,
    others: &'a [Box<dyn Backend>],
}

impl Backends {
    /// The runtime for a container: by name, else as the configuration says.
    pub(crate) fn choose(&self, named: Option<&str>, settings: &Sandbox) -> Result<Chosen<'_>, Refusal> {
        let configured = match settings.backend {
            Choice::Auto => None,
            chosen => Choice::ALL.iter().find(|(_, backend)| *backend == chosen).map(|(name, _)| *name),
        };
        match (named.filter(|name| *name != "auto").or(configured), self.all.as_slice()) {
            (Some(name), _) => Ok(Chosen { preferred: self.named(name)?, others: &[] }),
            (None, [preferred, others @ ..]) => Ok(Chosen { preferred: preferred.as_ref(), others }),
            (None, []) => {
                Err(Refusal::new(Code::SandboxUnavailable, "there is no container runtime on this system"))
            }
        }
    }

    /// What each of them can do here.
    pub async fn probe(&self) -> Vec<Probe> {
        let mut probes = Vec::new();
        for backend in self.all.iter() {
            probes.push(backend.probe().await);
        }
        probes
    }

    /// All of them, the preferred one first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &dyn Backend> {
        self.all.iter().map(AsRef::as_ref)
    }

    /// Gives the runtime of this name away.
    pub fn take(self, name: &str) -> Option<Box<dyn Backend>> {
        Arc::into_inner(self.all)?.into_iter().find(|backend| backend.name() == name)
    }

    fn named(&self, name: &str) -> Result<&dyn Backend, Refusal> {
        self.all.iter().find(|backend| backend.name() == name).map(AsRef::as_ref).ok_or_else(|| {
            let known = self.all.iter().map(|backend| backend.name()).collect::<Vec<_>>().join(", ");
            Refusal::new(
                Code::UnknownBackend,
                format!("there is no runtime `{name}` here; there is: {known}"),
            )
        })
    }
}

impl<'a> Chosen<'a> {
    /// The name of the preferred one.
    pub(crate) fn name(self) -> &'static str {
        self.preferred.name()
    }

    /// Whether it mounts a layer over this directory; else it is given a copy of it.
    pub(crate) fn takes_overlay_of(self, source: &Path) -> bool {
        self.preferred.takes_overlay_of(source)
    }

    /// The first that says it is usable, and no other; where none does, the preferred one, whose refusal names the cause.
    pub(crate) async fn settled(self) -> Chosen<'a> {
        let works = self.others.is_empty() || self.preferred.probe().await.unusable.is_none();
        let other = if works { None } else { self.other().await };
        Chosen { preferred: other.unwrap_or(self.preferred), others: &[] }
    }

    /// Launches a command. The preferred one is not asked before whether it works: launching tells, and costs nothing where it does.
    pub(crate) async fn launch(self, policy: &Policy, command: &Command) -> Result<Child, LaunchError> {
        let launched = self.preferred.launch(policy, command).await;
        self.or_by_another(launched, policy, command).await
    }

    /// The same for a command that runs once a gate is open.
    pub(crate) async fn launch_behind(
        self,
        gate: Gate,
        policy: &Policy,
        command: &Command,
    ) -> Result<Child, LaunchError> {
        let (key, held) = Gate::shut();
        let launching = self.preferred.launch_behind(held, policy, command);
        let (launched, opened) = tokio::join!(launching, async { gate.opened().await.map(|()| key.open()) });
        opened?;
        self.or_by_another(launched, policy, command).await
    }

    /// Where the preferred one cannot run anything here, the first that can is asked instead.
    async fn or_by_another(
        self,
        launched: Result<Child, LaunchError>,
        policy: &Policy,
        command: &Command,
    ) -> Result<Child, LaunchError> {
        match launched {
            Err(error) if error.kind() == RefusalKind::Unavailable => match self.other().await {
                Some(other) => other.launch(policy, command).await,
                None => Err(error),
            },
            launched => launched,
        }
    }

    /// The first usable one besides the preferred.
    async fn other(self) -> Option<&'a dyn Backend> {
        for backend in self.others {
            if backend.probe().await.unusable.is_none() {
                return Some(backend.as_ref());
            }
        }
        None
    }
}
