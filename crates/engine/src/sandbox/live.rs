//! `sandbox launch`, `exec`, `list` and `stop`: containers that live on.
//!
//! Each has an owner. Another one's container can be used only where it was launched as shared, and is never stopped by a command that
//! only uses it.

use std::io::Write;
use std::path::Path;
use std::time::SystemTime;

use guild_catalog::near;
use guild_sandbox::live::{
    Ceilings, ContainerId, Record, Registry, RegistryError, StartError, Supervisor, supervise,
};

use super::run::{refused, remarks};
use super::{Backends, CommandRequest, ContainerRequest, Refusal};
use crate::image::Images;
use crate::reply::{ContainerLine, SandboxContainer, SandboxList, SandboxRun};
use crate::{Code, Envelope, Places};

/// A container that is to live on.
#[derive(Debug, Clone)]
pub struct LaunchRequest<'a> {
    /// What it may see and use.
    pub container: &'a ContainerRequest,
    /// The runtime by name.
    pub backend: Option<&'a str>,
    /// Whose it is.
    pub owner: &'a str,
    /// Whether others may use it.
    pub shared: bool,
    /// The program that supervises it.
    pub supervisor: &'a Supervisor,
    /// The moment.
    pub now: SystemTime,
}

/// Launches a container that lives on until it is stopped or its time is up.
pub async fn sandbox_launch(
    places: &Places,
    backends: &Backends,
    images: &Images,
    request: &LaunchRequest<'_>,
) -> Envelope<SandboxContainer> {
    match launch(places, backends, images, request).await {
        Ok(record) => {
            let line = ContainerLine::of(&record, request.now);
            Envelope::ok(SandboxContainer { container: Some(line) })
        }
        Err(refusal) => Envelope::error(refusal.code, refusal.message, SandboxContainer { container: None }),
    }
}

async fn launch(
    places: &Places,
    backends: &Backends,
    images: &Images,
    request: &LaunchRequest<'_>,
) -> Result<Record, Refusal> {
    let registry = registry(places)?;
    let settings = images.settings();
    let backend = backends.choose(request.backend, settings)?.settled().await;
    // Held until the supervisor holds it.
    let role = images.resolve(request.container.role.as_deref())?;
    let launched = request.now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let record = Record {
        version: 1,
        id: ContainerId::random().map_err(|error| Refusal::new(Code::Internal, error.to_string()))?,
        owner: request.owner.to_owned(),
        shared: request.shared,
        backend: backend.name().to_owned(),
        role: request.container.role.clone().unwrap_or_else(|| settings.role.clone()),
        policy: request.container.policy(settings, role.root.clone(), &[])?,
        launched_ms: u64::try_from(launched.as_millis()).unwrap_or(u64::MAX),
        supervisor: 0,
    };
    let ceilings = settings.ceilings;
    let ceilings = Ceilings {
        containers: ceilings.containers,
        cpus: ceilings.cpus,
        memory: ceilings.memory_mb.saturating_mul(1 << 20),
    };
    registry.launch(request.supervisor, &record, &ceilings).map_err(Refusal::from)
}

/// Runs a command in a container that lives on.
pub async fn sandbox_exec(
    places: &Places,
    id: &str,
    owner: &str,
    timeout: Option<std::time::Duration>,
    request: CommandRequest<'_>,
) -> Envelope<SandboxRun> {
    let exec = async {
        let registry = registry(places)?;
        let record = usable(&registry, id, owner)?;
        let container = registry.attach(&record.id)?;
        let timeout = timeout.unwrap_or(record.policy.limits.timeout);
        let child = container.exec(&request.command(), &[], timeout).await?;
        request.follow(child).await
    };
    match exec.await {
        Ok(outcome) => Envelope::ok(SandboxRun::from(&outcome)).with_message(remarks(&outcome, &[])),
        Err(refusal) => refused(refusal, None),
    }
}

/// Lists the containers that live.
pub fn sandbox_list(places: &Places, now: SystemTime) -> Envelope<SandboxList> {
    match registry(places).and_then(|registry| Ok(registry.list()?)) {
        Ok(records) => {
            let containers: Vec<_> = records.iter().map(|record| ContainerLine::of(record, now)).collect();
            Envelope::ok(SandboxList { count: containers.len(), containers })
        }
        Err(refusal) => {
            Envelope::error(refusal.code, refusal.message, SandboxList { containers: Vec::new(), count: 0 })
        }
    }
}

/// Ends a container.
pub async fn sandbox_stop(
    places: &Places,
    id: &str,
    owner: &str,
    now: SystemTime,
) -> Envelope<SandboxContainer> {
    let stop = async {
        let registry = registry(places)?;
        let record = usable(&registry, id, owner)?;
        if record.owner != owner {
            return Err(not_yours(&record));
        }
        registry.attach(&record.id)?.stop().await?;
        Ok(record)
    };
    match stop.await {
        Ok(record) => Envelope::ok(SandboxContainer { container: Some(ContainerLine::of(&record, now)) }),
        Err(refusal) => Envelope::error(refusal.code, refusal.message, SandboxContainer { container: None }),
    }
}

/// Supervises the container whose directory this is; `ready` is closed once the launcher knows.
pub async fn sandbox_supervise(place: &Path, backends: Backends, ready: impl Write) -> Result<(), Refusal> {
    supervise(place, async |name: &str| backends.take(name), ready).await.map_err(Refusal::from)
}

fn registry(places: &Places) -> Result<Registry, Refusal> {
    Ok(Registry::open(&places.state()?.join("containers"))?)
}

/// A container that its caller may use.
pub(crate) fn usable(registry: &Registry, id: &str, owner: &str) -> Result<Record, Refusal> {
    let record = match id.parse::<ContainerId>().ok().map(|id| registry.get(&id)) {
        Some(Ok(record)) => record,
        Some(Err(RegistryError::Unknown { .. })) | None => return Err(unknown(registry, id)),
        Some(Err(error)) => return Err(error.into()),
    };
    if record.owner == owner || record.shared { Ok(record) } else { Err(not_yours(&record)) }
}

/// That there is none of this name, and which was perhaps meant: names are long, and are copied badly.
fn unknown(registry: &Registry, id: &str) -> Refusal {
    let known = registry.list().unwrap_or_default();
    let meant = near(id, known.iter().map(|record| record.id.to_string()));
    let hint = if meant.is_empty() {
        "`guild sandbox list` shows those that are".to_owned()
    } else {
        format!("did you mean `{}`?", meant.join("`, `"))
    };
    Refusal::new(Code::ContainerNotFound, format!("no container `{id}` is running; {hint}"))
}

fn not_yours(record: &Record) -> Refusal {
    let message = format!("the container {} belongs to {}", record.id, record.owner);
    Refusal::new(Code::ContainerNotYours, message)
}

impl From<RegistryError> for Refusal {
    fn from(error: RegistryError) -> Refusal {
        match &error {
            RegistryError::Unknown { .. } => {
                let message = format!("{error}; `guild sandbox list` shows those that are");
                Refusal::new(Code::ContainerNotFound, message)
            }
            RegistryError::Io { source, .. } => Refusal::new(Code::WriteFailed, format!("{error}: {source}")),
        }
    }
}

impl From<StartError> for Refusal {
    fn from(error: StartError) -> Refusal {
        match error {
            StartError::OverCeiling(over) => {
                let message =
                    format!("{over}; stop one, or raise `sandbox.ceilings` in your own configuration");
                Refusal::new(Code::ContainerCeiling, message)
            }
            StartError::Registry(error) => error.into(),
            StartError::Supervisor(source) => {
                Refusal::new(Code::SandboxLaunchFailed, format!("cannot start a supervisor: {source}"))
            }
            StartError::Refused(error) => error.into(),
        }
    }
}
