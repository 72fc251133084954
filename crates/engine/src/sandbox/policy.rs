//! What a person asks for, made into a policy: nothing beyond the configuration's limits, and nothing that was not named.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use guild_manifest::config::{Enforcement as Configured, Sandbox};
use guild_sandbox::{Access, Enforcement, Limits, Mount, Network, Policy, Root, Scratch};

use super::Refusal;
use crate::Code;

/// A container as it is asked for.
#[derive(Debug, Clone, Default)]
pub struct ContainerRequest {
    /// The image role; the configuration's where there is none.
    pub role: Option<String>,
    /// What of the host is shown.
    pub mounts: Vec<MountRequest>,
    /// The whole environment.
    pub env: BTreeMap<String, String>,
    /// Whether it has the host's network.
    pub network: Network,
    /// Limits other than the configuration's.
    pub limits: LimitRequest,
    /// Where the files of `/output` go when it has ended.
    pub out: Option<PathBuf>,
}

/// Something of the host that is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MountRequest {
    /// The file or directory on the host.
    pub source: PathBuf,
    /// The absolute path inside.
    pub target: PathBuf,
    /// What may be done with it.
    pub mode: MountMode,
}

/// What may be done with a mount.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MountMode {
    /// Read.
    ReadOnly,
    /// Read and write the host's own files.
    ReadWrite,
    /// Read and write, the changes being kept aside until a person decides.
    CopyOnWrite,
}

/// Limits that differ from the configuration's.
#[derive(Debug, Clone, Copy, Default)]
pub struct LimitRequest {
    /// Processors.
    pub cpus: Option<f64>,
    /// Bytes of memory.
    pub memory: Option<u64>,
    /// Processes and threads.
    pub pids: Option<u32>,
    /// How long it may take.
    pub timeout: Option<Duration>,
    /// Bytes that are kept of each stream.
    pub output: Option<u64>,
}

const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

impl ContainerRequest {
    /// The directories whose changes are kept.
    pub(crate) fn kept(&self) -> impl Iterator<Item = &Path> {
        let kept = self.mounts.iter().filter(|mount| mount.mode == MountMode::CopyOnWrite);
        kept.map(|mount| mount.source.as_path())
    }

    /// The policy that it comes to, with a root file system and a layer for each directory whose changes are kept.
    pub(crate) fn policy(&self, settings: &Sandbox, root: Root, layers: &[&Path]) -> Result<Policy, Refusal> {
        self.out.as_deref().map_or(Ok(()), |out| check_out(out, &self.mounts))?;
        let scratch = settings.usage.scratch_mb << 20;
        let scratch = |target: &str, keep| Scratch { target: target.into(), size: scratch, keep };
        let base = [("PATH", PATH), ("HOME", "/tmp"), ("LANG", "C.UTF-8")];
        let mut env: BTreeMap<String, String> =
            base.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        env.extend(self.env.clone());
        Ok(Policy {
            root,
            mounts: self.mounts(layers)?,
            scratch: vec![scratch("/tmp", None), scratch("/output", self.out.clone())],
            network: self.network,
            env,
            limits: self.limits.over(settings),
            ..Policy::default()
        })
    }
}

impl ContainerRequest {
    fn mounts(&self, layers: &[&Path]) -> Result<Vec<Mount>, Refusal> {
        check_targets(&self.mounts)?;
        let mut layers = layers.iter();
        let mounts = self.mounts.iter().map(|mount| {
            let access = match mount.mode {
                MountMode::ReadOnly => Access::ReadOnly,
                MountMode::ReadWrite => Access::ReadWrite,
                MountMode::CopyOnWrite => match layers.next() {
                    Some(layer) => Access::CopyOnWrite { layer: layer.to_path_buf() },
                    None => {
                        let message =
                            "a container that lives on cannot have copy-on-write mounts; use `sandbox run`";
                        return Err(Refusal::new(Code::SandboxPolicyInvalid, message));
                    }
                },
            };
            Ok(Mount { source: mount.source.clone(), target: mount.target.clone(), access })
        });
        mounts.collect()
    }
}

/// Refuses a place for the files of `/output` where no directory can be, and a mount that would get them instead: once the command has
/// run they would be lost.
fn check_out(out: &Path, mounts: &[MountRequest]) -> Result<(), Refusal> {
    if mounts.iter().any(|mount| mount.target == Path::new("/output")) {
        let message =
            "a mount at `/output` hides the files that are to be copied from there; choose another target";
        return Err(Refusal::new(Code::SandboxPolicyInvalid, message));
    }
    match out.ancestors().find(|place| place.symlink_metadata().is_ok()) {
        Some(there) if !there.is_dir() => {
            let message = format!(
                "the files of /output cannot go to {}: {} is no directory; name another place",
                out.display(),
                there.display()
            );
            Err(Refusal::new(Code::AlreadyExists, message))
        }
        _ => Ok(()),
    }
}

/// Refuses a mount that hides another, or that has no place to be mounted on: the kernel does the one and explains the other to
/// nobody.
fn check_targets(mounts: &[MountRequest]) -> Result<(), Refusal> {
    let invalid = |message| Err(Refusal::new(Code::SandboxPolicyInvalid, message));
    for (index, mount) in mounts.iter().enumerate() {
        let before = mounts.get(..index).unwrap_or_default();
        let target = mount.target.display();
        if before.iter().any(|other| other.target == mount.target) {
            return invalid(format!("two mounts have the target `{target}`; give each its own"));
        }
        let around = before.iter().filter(|other| mount.target.starts_with(&other.target));
        let around = around.max_by_key(|other| other.target.components().count());
        let Some(around) = around.filter(|around| around.mode == MountMode::ReadOnly) else { continue };
        let place = mount.target.strip_prefix(&around.target).map(|rest| around.source.join(rest));
        if let Ok(place) = place
            && !place.exists()
        {
            return invalid(format!(
                "nothing can be mounted at `{target}`: `{}` is read-only there, and {} does not exist; make it, or choose a target elsewhere",
                around.target.display(),
                place.display()
            ));
        }
    }
    Ok(())
}

impl LimitRequest {
    /// The limits that hold: these, and where there is none the configuration's.
    pub(crate) fn over(self, settings: &Sandbox) -> Limits {
        let usage = settings.usage;
        Limits {
            cpus: self.cpus.unwrap_or(usage.cpus),
            memory: self.memory.unwrap_or(usage.memory_mb << 20),
            pids: self.pids.unwrap_or_else(|| u32::try_from(usage.pids).unwrap_or(u32::MAX)),
            timeout: self.timeout.unwrap_or(Duration::from_secs(usage.timeout_seconds)),
            kept_output: self.output.unwrap_or(usage.output_bytes),
            enforcement: match settings.limits {
                Configured::Strict => Enforcement::Strict,
                Configured::BestEffort => Enforcement::BestEffort,
            },
        }
    }
}
