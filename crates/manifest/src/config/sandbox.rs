//! `[sandbox]`: which runtime makes containers, what their root file systems are, and how much they may use.
//!
//! It holds words and numbers. Whether an image is there, and whether a limit can be enforced, is for others to find out.

mod merge;
mod read;

use super::{Place, Placed};
use serde::Serialize;
use std::collections::BTreeMap;

pub(super) use merge::{narrow, replace};
pub use read::MEMORY_MB;
pub(super) use read::read;

/// The role that a run has where nobody names another.
pub const DEFAULT_ROLE: &str = "default";

/// How containers are made, with every default filled in.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Sandbox {
    /// Which runtime makes them.
    pub backend: Backend,
    /// The role that a run has where it names none.
    pub role: String,
    /// The root file systems by name, `default` always among them.
    pub roles: BTreeMap<String, Role>,
    /// What to do where a limit cannot be enforced.
    pub limits: Enforcement,
    /// How much one container may use.
    pub usage: Usage,
    /// How much the containers of one owner may use together.
    pub ceilings: Ceilings,
    /// What an image may be, and where it may come from.
    pub images: ImageRules,
}

/// Which runtime makes containers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Backend {
    /// The first that is usable: embedded, docker, podman.
    Auto,
    /// The embedded one.
    Embedded,
    /// Docker.
    Docker,
    /// Podman.
    Podman,
}

/// What to do where a limit cannot be enforced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Enforcement {
    /// Refuse to run.
    Strict,
    /// Run, and say so.
    BestEffort,
}

/// A named root file system.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Role {
    /// Where it comes from.
    pub root: RoleRoot,
    /// What it is for.
    pub description: Option<String>,
}

/// Where a role's root file system comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RoleRoot {
    /// The host's own programs.
    Host,
    /// An unpacked root file system of the person's own.
    Directory(Place),
    /// A stored image, by name or digest.
    Image(String),
    /// What was written cannot be read. Nothing runs in it: another root might be wider than the one that was meant.
    Unreadable,
}

/// How much one container may use.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Usage {
    /// Processors, in parts of one.
    pub cpus: f64,
    /// Megabytes of memory.
    pub memory_mb: u64,
    /// Processes and threads.
    pub pids: u64,
    /// Seconds until it is ended.
    pub timeout_seconds: u64,
    /// Bytes kept of each of the two streams.
    pub output_bytes: u64,
    /// Megabytes of each scratch directory.
    pub scratch_mb: u64,
}

/// How much the containers of one owner may use together.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Ceilings {
    /// How many there may be.
    pub containers: u64,
    /// Processors of all of them.
    pub cpus: f64,
    /// Megabytes of memory of all of them.
    pub memory_mb: u64,
}

/// What an image may be, and where it may come from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ImageRules {
    /// Bytes of an unpacked image.
    pub max_bytes: u64,
    /// Files, directories and links of an unpacked image.
    pub max_files: u64,
    /// Registries, as `host` or `host:port`, that are spoken to without encryption. Those of this machine are, without being named.
    pub insecure_registries: Vec<String>,
}

/// What one file sets.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SandboxSettings {
    /// `sandbox.backend`.
    pub backend: Option<Backend>,
    /// `sandbox.role`.
    pub role: Option<Placed<String>>,
    /// `sandbox.roles`.
    pub roles: BTreeMap<String, Role>,
    /// `sandbox.limits`.
    pub limits: Option<Placed<Enforcement>>,
    /// `sandbox.cpus`.
    pub cpus: Option<Placed<f64>>,
    /// `sandbox.memory_mb`.
    pub memory_mb: Option<Placed<u64>>,
    /// `sandbox.pids`.
    pub pids: Option<Placed<u64>>,
    /// `sandbox.timeout_seconds`.
    pub timeout_seconds: Option<Placed<u64>>,
    /// `sandbox.output_bytes`.
    pub output_bytes: Option<Placed<u64>>,
    /// `sandbox.scratch_mb`.
    pub scratch_mb: Option<Placed<u64>>,
    /// `sandbox.ceilings`.
    pub ceilings: CeilingSettings,
    /// `sandbox.images`.
    pub images: ImageSettings,
}

/// What one file sets below `sandbox.ceilings`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CeilingSettings {
    /// How many containers there may be.
    pub containers: Option<u64>,
    /// Processors of all of them.
    pub cpus: Option<f64>,
    /// Megabytes of memory of all of them.
    pub memory_mb: Option<u64>,
}

/// What one file sets below `sandbox.images`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ImageSettings {
    /// Bytes of an unpacked image.
    pub max_bytes: Option<u64>,
    /// Entries of an unpacked image.
    pub max_files: Option<u64>,
    /// Registries without encryption.
    pub insecure_registries: Option<Vec<String>>,
}

impl Backend {
    /// Every backend with its word.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("auto", Self::Auto),
        ("embedded", Self::Embedded),
        ("docker", Self::Docker),
        ("podman", Self::Podman),
    ];
}

impl Enforcement {
    /// Every way with its word.
    pub const ALL: &'static [(&'static str, Self)] =
        &[("strict", Self::Strict), ("best-effort", Self::BestEffort)];
}

impl Default for Sandbox {
    fn default() -> Self {
        let host = Role { root: RoleRoot::Host, description: None };
        Self {
            backend: Backend::Auto,
            role: DEFAULT_ROLE.to_owned(),
            roles: BTreeMap::from([(DEFAULT_ROLE.to_owned(), host)]),
            limits: Enforcement::Strict,
            usage: Usage::default(),
            ceilings: Ceilings { containers: 4, cpus: 4.0, memory_mb: 8192 },
            images: ImageRules { max_bytes: 16 << 30, max_files: 1_000_000, insecure_registries: Vec::new() },
        }
    }
}

impl Default for Usage {
    fn default() -> Self {
        Self {
            cpus: 1.0,
            memory_mb: 512,
            pids: 128,
            timeout_seconds: 600,
            output_bytes: 1 << 20,
            scratch_mb: 256,
        }
    }
}
