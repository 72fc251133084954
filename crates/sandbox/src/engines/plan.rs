//! A policy in the terms of engines: what is refused, and what a container is created from.
//!
//! The same policy means the same here as in the embedded runtime, or is refused. Where an engine gives more than was asked for it is
//! taken away: `/sys` and what `/proc` tells of the machine are masked, there are no message queues, and nothing but the policy's
//! own places can be written to. Mounts are not recursive, because engines leave what is mounted below a read-only mount writable.

mod docker;
mod podman;

use std::path::{Component, Path, PathBuf};

use super::binds::Bind;
use super::facts::{Facts, LIMITS};
use crate::backend::LaunchError;
use crate::policy::{Access, Enforcement, Network, Policy, Root, Scratch};
use crate::probe::{Feature, Finding};

pub(super) use docker::description as for_docker;
pub(super) use podman::description as for_podman;

/// The user of the container's first process, which is nobody's. The command, which is another, can neither stop nor trace it.
const NOBODY: u32 = 65534;

/// Processes of ours beside the command's own: the container's first, and the one that waits for the command.
const OURS: u32 = 2;

/// Files and directories that fit into a place in memory, where an engine takes a number: as in the embedded runtime.
const INODES: u32 = 65_536;
/// Open files: as in the embedded runtime.
const OPEN_FILES: i64 = 4096;
/// Processes of one user on the whole machine, people included, so this is no limit of a container's: it is what Podman would else
/// raise, which not every machine allows.
const PROCESSES_OF_A_USER: i64 = 1 << 14;
/// Bytes that can be locked in memory: as in the embedded runtime.
const LOCKED_MEMORY: i64 = 64 << 10;

/// Signals that wait to be received, and timers: as in the embedded runtime.
const PENDING_SIGNALS: i64 = 1024;

/// What engines show of the machine rather than of the container. They mask less by themselves.
const MASKED: &[&str] = &[
    "/proc/acpi",
    "/proc/asound",
    "/proc/bus",
    "/proc/driver",
    "/proc/fs",
    "/proc/interrupts",
    "/proc/irq",
    "/proc/kallsyms",
    "/proc/kcore",
    "/proc/key-users",
    "/proc/keys",
    "/proc/kpagecount",
    "/proc/kpageflags",
    "/proc/latency_stats",
    "/proc/modules",
    "/proc/sched_debug",
    "/proc/scsi",
    "/proc/timer_list",
    "/proc/timer_stats",
    "/sys",
];

/// What of `/proc` cannot be written to, whoever one is.
const READ_ONLY: &[&str] = &["/proc/sys", "/proc/sysrq-trigger"];

/// What a container is created from, whichever engine it is.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Plan {
    /// Name of the image.
    pub(super) image: String,
    /// Who made it, for the next start to find what was left.
    pub(super) labels: Vec<(&'static str, String)>,
    /// The name of its machine.
    hostname: String,
    network: Network,
    /// The user and group of its commands.
    user: u32,
    /// What it sees of the host.
    pub(super) binds: Vec<Bind>,
    memory_places: Vec<MemoryPlace>,
    /// Bytes of `/dev/shm`, which stands for `/tmp` there and is as large.
    shared_memory: Option<i64>,
    limits: Bounds,
    rlimits: Vec<Rlimit>,
}

/// A directory in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
struct MemoryPlace {
    target: String,
    size: u64,
    /// Whether its content is wanted afterwards.
    kept: bool,
}

/// The limits, as engines count them; `None` is one that goes unenforced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Bounds {
    /// Bytes.
    memory: Option<i64>,
    /// Microseconds in each [`PERIOD`].
    cpu: Option<i64>,
    /// Processes and threads.
    pids: Option<i64>,
}

/// Microseconds in which processor time is counted.
const PERIOD: i64 = 100_000;

/// A limit of the system's older kind, soft and hard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Rlimit {
    name: &'static str,
    value: i64,
}

impl Plan {
    /// The plan for a container of this policy, as far as it does not depend on what has to be made for it.
    pub(super) fn new(policy: &Policy, unenforced: &[Feature]) -> Result<Plan, LaunchError> {
        let memory_places: Vec<MemoryPlace> =
            policy.scratch.iter().map(memory_place).collect::<Result<_, _>>()?;
        for mount in &policy.mounts {
            inside(&mount.target)?;
        }
        let shared = policy.scratch.iter().find(|scratch| scratch.target == Path::new("/tmp"));
        let enforced = |limit, value| (!unenforced.contains(&limit)).then_some(value);
        Ok(Plan {
            image: String::new(),
            labels: Vec::new(),
            hostname: policy.hostname.clone(),
            network: policy.network,
            user: policy.user,
            binds: Vec::new(),
            memory_places,
            shared_memory: shared.map(|scratch| clamped(scratch.size)),
            limits: Bounds {
                memory: enforced(Feature::Memory, clamped(policy.limits.memory)),
                cpu: enforced(Feature::Cpu, (policy.limits.cpus.clamp(0.01, 4096.0) * PERIOD as f64) as i64),
                pids: enforced(Feature::Pids, i64::from(policy.limits.pids.saturating_add(OURS))),
            },
            rlimits: rlimits(),
        })
    }

    /// Whether it has a network.
    pub(super) fn network(&self) -> Network {
        self.network
    }

    /// Whether it has `/dev/shm`.
    pub(super) fn has_shared_memory(&self) -> bool {
        self.shared_memory.is_some()
    }

    /// The user of the first process.
    fn first_user(&self) -> String {
        let user = if self.user == NOBODY { NOBODY - 1 } else { NOBODY };
        format!("{user}:{user}")
    }
}

/// Refuses what the engine cannot enforce, and gives the limits that go unenforced where the policy allows that.
pub(super) fn admit(
    policy: &Policy,
    facts: &Facts,
    backend: &'static str,
) -> Result<Vec<Feature>, LaunchError> {
    let lacks = facts.lacks();
    let lacking = |feature| lacks.iter().find(|(lacked, _)| *lacked == feature).map(|(_, why)| why.clone());
    for feature in asked_for(policy) {
        if let Some(finding) = lacking(feature) {
            return Err(LaunchError::Unsupported { backend, feature, finding });
        }
    }
    let unenforced: Vec<(Feature, Finding)> =
        LIMITS.into_iter().filter_map(|limit| Some((limit, lacking(limit)?))).collect();
    match (unenforced.first(), policy.limits.enforcement) {
        (Some((feature, finding)), Enforcement::Strict) => {
            Err(LaunchError::LimitUnenforceable { backend, feature: *feature, finding: finding.clone() })
        }
        _ => Ok(unenforced.into_iter().map(|(limit, _)| limit).collect()),
    }
}

/// What a policy asks for besides limits.
fn asked_for(policy: &Policy) -> Vec<Feature> {
    let mut features = Vec::new();
    if policy.root == Root::Host {
        features.push(Feature::HostRoot);
    }
    if !policy.mounts.is_empty() {
        features.push(Feature::Mounts);
    }
    if policy.mounts.iter().any(|mount| matches!(mount.access, Access::CopyOnWrite { .. })) {
        features.push(Feature::CopyOnWrite);
    }
    features
}

fn memory_place(scratch: &Scratch) -> Result<MemoryPlace, LaunchError> {
    if scratch.size == 0 {
        // To the kernel a size of 0 means no limit at all.
        return Err(invalid(format!("`{}` has no size", scratch.target.display())));
    }
    Ok(MemoryPlace { target: inside(&scratch.target)?, size: scratch.size, kept: scratch.keep.is_some() })
}

/// A path inside; `..`, the root itself and the kernel's own directories are no places for a mount.
pub(super) fn inside(target: &Path) -> Result<String, LaunchError> {
    let shown = target.to_string_lossy();
    let refuse = |reason: &str| Err(invalid(format!("`{}` {reason}", shown.escape_debug())));
    let mut clean = PathBuf::from("/");
    if !target.is_absolute() {
        return refuse("is not an absolute path");
    }
    for component in target.components() {
        match component {
            Component::RootDir => {}
            Component::Normal(name) => clean.push(name),
            _ => return refuse("climbs out of a directory"),
        }
    }
    match (clean.iter().nth(1).and_then(|first| first.to_str()), clean.to_str()) {
        (None, Some("/")) => refuse("is the root itself"),
        (Some("proc" | "dev" | "sys"), _) => refuse("belongs to the kernel"),
        (_, Some(path)) if !path.chars().any(char::is_control) => Ok(path.to_owned()),
        _ => refuse("is no path that engines take"),
    }
}

fn rlimits() -> Vec<Rlimit> {
    vec![
        Rlimit { name: "core", value: 0 },
        Rlimit { name: "memlock", value: LOCKED_MEMORY },
        Rlimit { name: "msgqueue", value: 0 },
        Rlimit { name: "nofile", value: OPEN_FILES },
        Rlimit { name: "nproc", value: PROCESSES_OF_A_USER },
        Rlimit { name: "sigpending", value: PENDING_SIGNALS },
    ]
}

fn clamped(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn invalid(reason: String) -> LaunchError {
    LaunchError::InvalidPolicy { reason }
}
