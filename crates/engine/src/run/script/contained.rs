//! From a plan to a container: what is mounted, what it gets, and whose container it is.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use guild_manifest::skill::{Network as Declared, Workspace};
use guild_sandbox::{Gate, Mount, Network, Outcome};
use serde_json::{Value, json};

use super::callers_container;
use crate::changes::Keeping;
use crate::reply::ChangeSummary;
use crate::run::Invocation;
use crate::run::child::is_secret_name;
use crate::run::prepare::Prepared;
use crate::run::scratch::ScratchDirectory;
use crate::run::workspace;
use crate::sandbox::{CommandRequest, ContainerRequest, LimitRequest, MountMode, MountRequest};
use crate::workshop::Workshop;
use crate::{Code, Refusal};

/// What came of a script.
pub struct Ran {
    /// How it ended.
    pub outcome: Outcome,
    /// What it wrote to the workspace.
    pub changes: Vec<ChangeSummary>,
    /// Where its files are; gone with this.
    pub output: Option<(PathBuf, Option<ScratchDirectory>)>,
    /// The caller's container.
    pub container: Option<String>,
    /// What it was given that is kept nowhere in the clear.
    pub secrets: Vec<String>,
}

/// Runs the script of a plan, once the gate is open.
pub async fn run(
    gate: Gate,
    workshop: &Workshop<'_>,
    invocation: &mut Invocation<'_>,
    prepared: &Prepared<'_>,
) -> Result<Ran, Refusal> {
    let scratch = ScratchDirectory::new(workshop.places.state()?)
        .map_err(|error| Refusal::new(Code::WriteFailed, format!("no directory for the run: {error}")))?;
    write_request(&scratch.input(), invocation, prepared)?;
    match invocation.container {
        None => in_its_own(gate, workshop, invocation, prepared, scratch).await,
        Some(id) => {
            gate.opened().await?;
            in_the_callers(workshop, invocation, prepared, id, &scratch).await
        }
    }
}

/// What the script finds in `/input/request.json`.
fn write_request(
    directory: &Path,
    invocation: &Invocation<'_>,
    prepared: &Prepared<'_>,
) -> Result<(), Refusal> {
    let request = json!({
        "version": 1,
        "skill": prepared.name,
        "agent": invocation.principal.agent,
        "security_hash": prepared.staged.security_hash.to_string(),
        "params": prepared.parameters,
    });
    let write = |name: &str, value: &Value| {
        let path = directory.join(name);
        std::fs::write(&path, value.to_string())
            .map_err(|error| Refusal::new(Code::WriteFailed, format!("{}: {error}", path.display())))
    };
    // What vendors' hooks read has nothing around it.
    if prepared.name.starts_with("hook:") {
        write("context.json", &Value::Object(prepared.parameters.clone()))?;
    }
    write("request.json", &request)
}

async fn in_its_own(
    gate: Gate,
    workshop: &Workshop<'_>,
    invocation: &mut Invocation<'_>,
    prepared: &Prepared<'_>,
    scratch: ScratchDirectory,
) -> Result<Ran, Refusal> {
    let chosen = workshop.backends.choose(invocation.backend, workshop.images.settings())?;
    // The image that was hashed is held by what was staged, so that it cannot be removed from under the script.
    let image = prepared.staged.image.as_ref();
    let root = image
        .map(|image| image.root.clone())
        .ok_or_else(|| Refusal::new(Code::Internal, "a script was staged without its image"))?;
    let out = invocation.out.clone().unwrap_or_else(|| scratch.output());
    let env = workshop.environment(&prepared.contract.env).await?;
    let secrets = secret_values(workshop, &env);
    let request = container(env, prepared, &scratch.input(), out.clone());
    let kept: Vec<&Path> = request.kept().collect();
    // A layer is made for one runtime, so that it has to be known which.
    let chosen = if kept.is_empty() { chosen } else { chosen.settled().await };
    let now = (workshop.clock)();
    let begin = |source| Keeping::begin(workshop.places, source, now, chosen.takes_overlay_of(source));
    let mut keeping: Vec<Keeping> = kept.into_iter().map(begin).collect::<Result<_, _>>()?;
    let layers: Vec<&Path> = keeping.iter().map(Keeping::layer).collect();
    let mut policy = request.policy(workshop.images.settings(), root, &layers)?;
    policy.limits = prepared.plan.limits;
    let command = command(invocation, prepared);
    let child = chosen.launch_behind(gate, &policy, &command.command()).await?;
    keeping.iter_mut().try_for_each(|keeping| keeping.watch(&child))?;
    let outcome = command.follow(child).await?;
    let changes = Keeping::finish_all(keeping)?;
    Ok(Ran { outcome, changes, output: Some((out, Some(scratch))), container: None, secrets })
}

/// The values among those that a container gets which are secrets: kept ones, and those whose names say that they are.
fn secret_values(workshop: &Workshop<'_>, env: &BTreeMap<String, String>) -> Vec<String> {
    let machine = &workshop.hall.machine;
    let is_kept = |name: &str| !machine.env.contains_key(name) && machine.credentials.contains(name);
    let secret = env.iter().filter(|(name, _)| is_kept(name) || is_secret_name(name));
    secret.map(|(_, value)| value.clone()).collect()
}

/// Everything that the contract declares and nothing else.
fn container(
    env: BTreeMap<String, String>,
    prepared: &Prepared<'_>,
    input: &Path,
    out: PathBuf,
) -> ContainerRequest {
    let mut mounts = vec![mount(input, "/input", MountMode::ReadOnly)];
    mounts.extend(staged(prepared));
    if let Some(directory) = &prepared.workspace {
        let mode = match prepared.contract.workspace {
            Workspace::Write => MountMode::CopyOnWrite,
            Workspace::Read | Workspace::None => MountMode::ReadOnly,
        };
        mounts.push(mount(directory, workspace::INSIDE, mode));
    }
    ContainerRequest {
        role: None,
        mounts,
        env,
        network: match prepared.contract.network {
            Declared::None => Network::None,
            Declared::Host => Network::Host,
        },
        limits: LimitRequest::default(),
        out: Some(out),
    }
}

/// The staged copy: the skill's own directory, and for a plugin's skill the whole plugin beside it.
fn staged(prepared: &Prepared<'_>) -> Vec<MountRequest> {
    let mut mounts = vec![mount(&prepared.staged.skill_directory(), "/skill", MountMode::ReadOnly)];
    if prepared.staged.is_plugin() {
        mounts.push(mount(&prepared.staged.root, "/plugin", MountMode::ReadOnly));
    }
    mounts
}

fn mount(source: &Path, target: &str, mode: MountMode) -> MountRequest {
    MountRequest { source: source.to_owned(), target: target.into(), mode }
}

fn command<'c>(invocation: &'c mut Invocation<'_>, prepared: &Prepared<'_>) -> CommandRequest<'c> {
    CommandRequest {
        argv: prepared.call.command.iter().map(OsString::from).collect(),
        cwd: "/skill".into(),
        stdin: None,
        on_output: &mut *invocation.on_output,
    }
}

async fn in_the_callers(
    workshop: &Workshop<'_>,
    invocation: &mut Invocation<'_>,
    prepared: &Prepared<'_>,
    id: &str,
    scratch: &ScratchDirectory,
) -> Result<Ran, Refusal> {
    let (registry, record) = callers_container::find(workshop, id, invocation.owner)?;
    let env = workshop.environment(&prepared.contract.env).await?;
    let secrets = secret_values(workshop, &env);
    let request = container(env.clone(), prepared, &scratch.input(), scratch.output());
    let shown = |target: &Path| record.policy.mounts.iter().any(|mount| mount.target == target);
    let mounts = request.mounts.into_iter().filter(|mount| !shown(&mount.target));
    let mounts: Vec<Mount> = mounts.map(|mount| Mount::read_only(mount.source, mount.target)).collect();
    let attached = registry.attach(&record.id)?;
    let request = command(invocation, prepared);
    let mut command = request.command();
    command.env = env;
    let child = attached.exec(&command, &mounts, prepared.plan.limits.timeout).await?;
    let outcome = request.follow(child).await?;
    Ok(Ran { outcome, changes: Vec::new(), output: None, container: Some(id.to_owned()), secrets })
}
