//! Cgroups of version 1: one directory for each controller.

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::gauges::{Gauge, Gauges};
use super::set;
use crate::policy::Limits;
use crate::probe::Finding;

/// What the kernel begins with: microseconds in which a quota can be used up.
const PERIOD: u64 = 100_000;

/// A directory in each hierarchy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::embedded) struct Directories {
    pub(super) memory: PathBuf,
    pub(super) pids: PathBuf,
    pub(super) cpu: PathBuf,
    /// Counts processor time; may be the same as `cpu`, or absent.
    pub(super) accounting: Option<PathBuf>,
}

impl Directories {
    /// All of them, each once.
    pub(super) fn all(&self) -> Vec<&Path> {
        let mut all = vec![self.memory.as_path(), &self.pids, &self.cpu];
        all.extend(self.accounting.as_deref().filter(|accounting| *accounting != self.cpu));
        all
    }

    pub(super) fn map(&self, change: impl Fn(&Path) -> PathBuf) -> Directories {
        Directories {
            memory: change(&self.memory),
            pids: change(&self.pids),
            cpu: change(&self.cpu),
            accounting: self.accounting.as_deref().map(change),
        }
    }

    /// Files that a thread enters by writing to.
    pub(super) fn doors(&self) -> io::Result<Vec<OwnedFd>> {
        let open = |directory: &Path| fs::OpenOptions::new().write(true).open(directory.join("tasks"));
        self.all().into_iter().map(|directory| open(directory).map(OwnedFd::from)).collect()
    }
}

/// The same directories if cgroups can be made in all of them.
pub(super) fn writable(mut directories: Directories) -> Result<Directories, Finding> {
    for directory in [&directories.memory, &directories.pids, &directories.cpu] {
        if let Err(error) = rustix::fs::access(directory, rustix::fs::Access::WRITE_OK) {
            return Err(Finding::new(
                format!("the cgroup {} is not delegated to this user: {error}", directory.display()),
                "ask an administrator to delegate cgroups, use a machine with cgroup v2 and systemd, or use docker or podman",
            ));
        }
    }
    // Only for counting: limits do not depend on it.
    let countable = |directory: &PathBuf| rustix::fs::access(directory, rustix::fs::Access::WRITE_OK).is_ok();
    directories.accounting = directories.accounting.filter(countable);
    Ok(directories)
}

/// Sets the limits; one process more than asked for is allowed, the container's first.
pub(super) fn limit(directories: &Directories, limits: &Limits) -> io::Result<()> {
    let memory = limits.memory.to_string();
    set(&directories.memory.join("memory.limit_in_bytes"), &memory)?;
    let with_swap = directories.memory.join("memory.memsw.limit_in_bytes");
    if with_swap.exists() {
        set(&with_swap, &memory)?;
    }
    set(&directories.pids.join("pids.max"), &(u64::from(limits.pids) + 1).to_string())?;
    let quota = (limits.cpus * PERIOD as f64) as u64;
    set(&directories.cpu.join("cpu.cfs_quota_us"), &quota.max(1000).to_string())
}

/// Where usage is counted.
pub(super) fn gauges(directories: &Directories) -> Gauges {
    let cpu = directories.accounting.as_ref().map(|directory| directory.join("cpuacct.usage"));
    Gauges {
        cpu: cpu.map(|file| Gauge::open(&file, None)).unwrap_or_default(),
        tick: Duration::from_nanos(1),
        peak_memory: Gauge::open(&directories.memory.join("memory.max_usage_in_bytes"), None),
        oom_kills: Gauge::open(&directories.memory.join("memory.oom_control"), Some("oom_kill ")),
    }
}
