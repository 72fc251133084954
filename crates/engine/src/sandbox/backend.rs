//! Which runtime makes the containers: the one that the configuration or the person names, else the first that is usable.

use guild_manifest::config::{Backend as Choice, Sandbox};
use guild_sandbox::{Backend, Probe, Surroundings};

use super::Refusal;
use crate::Code;

/// The runtimes of this machine, in the order in which they are tried.
pub struct Backends {
    all: Vec<Box<dyn Backend>>,
}

/// The runtimes that this build and this system have.
#[cfg_attr(
    not(target_os = "linux"),
    expect(unused_variables, reason = "only the embedded runtime looks at the surroundings")
)]
pub fn container_backends(surroundings: &Surroundings) -> Backends {
    let all: Vec<Box<dyn Backend>> = vec![
        #[cfg(target_os = "linux")]
        Box::new(guild_sandbox::Embedded::new(surroundings)),
    ];
    Backends { all }
}

impl Backends {
    /// The runtime for a container: by name, else as the configuration says.
    pub async fn choose(&self, named: Option<&str>, settings: &Sandbox) -> Result<&dyn Backend, Refusal> {
        let configured = match settings.backend {
            Choice::Auto => None,
            chosen => Choice::ALL.iter().find(|(_, backend)| *backend == chosen).map(|(name, _)| *name),
        };
        match named.filter(|name| *name != "auto").or(configured) {
            Some(name) => self.named(name),
            None => self.first_usable().await,
        }
    }

    /// What each of them can do here.
    pub async fn probe(&self) -> Vec<Probe> {
        let mut probes = Vec::new();
        for backend in &self.all {
            probes.push(backend.probe().await);
        }
        probes
    }

    /// Gives the runtime of this name away.
    pub fn take(self, name: &str) -> Option<Box<dyn Backend>> {
        self.all.into_iter().find(|backend| backend.name() == name)
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

    /// The first one need not be asked whether it works if it is the only one: launching tells, and gives the exact cause.
    async fn first_usable(&self) -> Result<&dyn Backend, Refusal> {
        if let [only] = self.all.as_slice() {
            return Ok(only.as_ref());
        }
        for backend in &self.all {
            if backend.probe().await.unusable.is_none() {
                return Ok(backend.as_ref());
            }
        }
        match self.all.first() {
            Some(backend) => Ok(backend.as_ref()),
            None => Err(Refusal::new(
                Code::SandboxUnavailable,
                "there is no container runtime on this system; the embedded one needs Linux",
            )),
        }
    }
}
