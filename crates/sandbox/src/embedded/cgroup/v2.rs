//! Cgroups of version 2: one directory for all controllers, below one that is delegated to us.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::layout::NEEDED;
use super::{Counted, number_in};
use crate::policy::Limits;
use crate::probe::Finding;

const PERIOD: u64 = 100_000;

/// The nearest cgroup, from our own upwards, below which cgroups with all controllers can be made.
pub(super) fn delegated(mount: &Path, own: &Path) -> Result<PathBuf, Finding> {
    let mut nearest = None;
    for candidate in own.ancestors().take_while(|candidate| candidate.starts_with(mount)) {
        if !may_manage(candidate) {
            break;
        }
        match offers_controllers(candidate) {
            Ok(()) => return Ok(candidate.to_owned()),
            Err(missing) => nearest = Some((candidate, missing)),
        }
    }
    let cause = match nearest {
        Some((candidate, missing)) => {
            format!("the cgroup {} lacks the controller {missing}", candidate.display())
        }
        None => format!("the cgroup {} is not delegated to this user", own.display()),
    };
    Err(Finding::new(
        cause,
        "run within a delegated cgroup (`systemd-run --user --scope -p Delegate=yes guild …`), or use docker or podman",
    ))
}

/// Sets the limits; one process more than asked for is allowed, the container's first.
pub(super) fn limit(directory: &Path, limits: &Limits) -> io::Result<()> {
    let set = |file: &str, value: String| fs::write(directory.join(file), value);
    set("memory.max", limits.memory.to_string())?;
    if directory.join("memory.swap.max").exists() {
        set("memory.swap.max", "0".to_owned())?;
    }
    set("pids.max", (u64::from(limits.pids) + 1).to_string())?;
    let quota = ((limits.cpus * PERIOD as f64) as u64).max(1000);
    set("cpu.max", format!("{quota} {PERIOD}"))
}

pub(super) fn counted(directory: &Path) -> Counted {
    let cpu = number_in(&directory.join("cpu.stat"), Some("usage_usec "));
    Counted {
        cpu: cpu.map(Duration::from_micros),
        peak_memory: number_in(&directory.join("memory.peak"), None),
        oom_kills: number_in(&directory.join("memory.events"), Some("oom_kill ")).unwrap_or(0),
    }
}

/// Cgroups can be made here, and processes moved between them.
fn may_manage(directory: &Path) -> bool {
    let writable = |path: &Path| rustix::fs::access(path, rustix::fs::Access::WRITE_OK).is_ok();
    writable(directory) && writable(&directory.join("cgroup.procs"))
}

/// Children of this cgroup get every controller, or can be made to; else which one is missing.
fn offers_controllers(directory: &Path) -> Result<(), &'static str> {
    let list = |file: &str| fs::read_to_string(directory.join(file)).unwrap_or_default();
    let (available, enabled) = (list("cgroup.controllers"), list("cgroup.subtree_control"));
    let has = |list: &str, controller: &str| list.split_whitespace().any(|entry| entry == controller);
    for controller in NEEDED {
        let offered = has(&enabled, controller)
            || has(&available, controller)
                && fs::write(directory.join("cgroup.subtree_control"), format!("+{controller}")).is_ok();
        if !offered {
            return Err(controller);
        }
    }
    Ok(())
}
