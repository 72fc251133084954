//! Cgroups of version 2: one directory for all controllers, below one that is delegated to us.

mod claim;
mod delegation;
mod ours;

use std::io;
use std::path::Path;
use std::time::Duration;

use super::gauges::{Gauge, Gauges};
use super::set;
use crate::policy::Limits;

pub(super) use claim::Claim;
pub(super) use delegation::{Blocked, missing, nearest};

const PERIOD: u64 = 100_000;

/// Sets the limits; one process more than asked for is allowed, the container's first.
pub(super) fn limit(directory: &Path, limits: &Limits) -> io::Result<()> {
    let set = |file: &str, value: String| set(&directory.join(file), &value);
    set("memory.max", limits.memory.to_string())?;
    if directory.join("memory.swap.max").exists() {
        set("memory.swap.max", "0".to_owned())?;
    }
    set("pids.max", (u64::from(limits.pids) + 1).to_string())?;
    let quota = ((limits.cpus * PERIOD as f64) as u64).max(1000);
    set("cpu.max", format!("{quota} {PERIOD}"))
}

/// Where usage is counted.
pub(super) fn gauges(directory: &Path) -> Gauges {
    Gauges {
        cpu: Gauge::open(&directory.join("cpu.stat"), Some("usage_usec ")),
        tick: Duration::from_micros(1),
        peak_memory: Gauge::open(&directory.join("memory.peak"), None),
        oom_kills: Gauge::open(&directory.join("memory.events"), Some("oom_kill ")),
    }
}
