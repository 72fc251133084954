//! What a backend can do on this machine, found out by trying.

use serde::{Deserialize, Serialize};

/// What a policy may ask of a backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Feature {
    /// Processors are limited.
    Cpu,
    /// Memory is limited.
    Memory,
    /// The number of processes is limited.
    Pids,
    /// The host's own programs can be the root file system.
    HostRoot,
    /// Mounts can be written to without touching the host's files.
    CopyOnWrite,
    /// Directories of this machine can be mounted.
    Mounts,
}

/// What a backend found when it tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    /// Name of the backend.
    pub backend: &'static str,
    /// Which version or mechanism answers, for people.
    pub version: Option<String>,
    /// Why nothing can be run at all, if so.
    pub unusable: Option<Finding>,
    /// Each feature that cannot be had, and why.
    pub lacks: Vec<(Feature, Finding)>,
}

/// A cause, and what a person can do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The exact cause: "user namespaces are disabled by kernel.unprivileged_userns_clone".
    pub cause: String,
    /// What to do.
    pub fix: String,
}

impl Feature {
    /// The name that people and JSON see.
    pub fn name(self) -> &'static str {
        match self {
            Feature::Cpu => "cpus",
            Feature::Memory => "memory",
            Feature::Pids => "pids",
            Feature::HostRoot => "host-root",
            Feature::CopyOnWrite => "copy-on-write",
            Feature::Mounts => "mounts",
        }
    }
}

impl Probe {
    /// A backend that can run nothing here.
    pub fn unusable(backend: &'static str, finding: Finding) -> Probe {
        Probe { backend, version: None, unusable: Some(finding), lacks: Vec::new() }
    }

    /// Why a feature cannot be had here, if so.
    pub fn lacking(&self, feature: Feature) -> Option<&Finding> {
        self.lacks.iter().find(|(lacked, _)| *lacked == feature).map(|(_, finding)| finding)
    }
}

impl Finding {
    /// A cause with its remedy.
    pub fn new(cause: impl Into<String>, fix: impl Into<String>) -> Finding {
        Finding { cause: cause.into(), fix: fix.into() }
    }
}
