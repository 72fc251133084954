//! The reply of a command in a container.

use guild_sandbox::live::Record;
use guild_sandbox::{ExitStatus, Outcome};
use schemars::JsonSchema;
use serde::Serialize;
use std::time::SystemTime;

use super::changes::ChangeSummary;

/// `sandbox run`: what came of a command. An error keeps the fields, with `exit_code` -1.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SandboxRun {
    /// The command's exit code: 124 for a time-out, 128 and the signal's number for a signal.
    pub exit_code: i32,
    /// The signal that killed it.
    pub signal: Option<i32>,
    /// Whether its time was up.
    pub timed_out: bool,
    /// Whether the kernel killed any of its processes for want of memory.
    pub oom: bool,
    /// Its standard output, as far as it was kept; bytes that are no UTF-8 are replaced.
    pub stdout: String,
    /// Its standard error, likewise.
    pub stderr: String,
    /// Whether either stream was longer than what was kept.
    pub truncated: bool,
    /// From launch to end.
    pub wall_time_ms: u64,
    /// Processor time of all its processes.
    pub cpu_time_ms: Option<u64>,
    /// The most memory that it held at once.
    pub peak_memory_bytes: Option<u64>,
    /// Bytes that its processes handed to write calls.
    pub bytes_written: Option<u64>,
    /// Files of `/output` that were kept, by their path there.
    pub files: Vec<String>,
    /// What of `/output` was left behind: links, devices and the like.
    pub left_behind: Vec<LeftBehind>,
    /// What it wrote to copy-on-write mounts, kept until somebody decides.
    pub changes: Vec<ChangeSummary>,
    /// The runtime that ran it.
    pub backend: Option<String>,
    /// Limits that were asked for and not enforced; empty unless best effort is configured.
    pub unenforced: Vec<&'static str>,
}

/// Something that was not taken out of a container.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct LeftBehind {
    /// Its path in `/output`.
    pub path: String,
    /// Why.
    pub reason: String,
}

impl SandboxRun {
    /// The reply where nothing was run.
    pub(crate) fn nothing(backend: Option<String>) -> SandboxRun {
        SandboxRun {
            exit_code: -1,
            signal: None,
            timed_out: false,
            oom: false,
            stdout: String::new(),
            stderr: String::new(),
            truncated: false,
            wall_time_ms: 0,
            cpu_time_ms: None,
            peak_memory_bytes: None,
            bytes_written: None,
            files: Vec::new(),
            left_behind: Vec::new(),
            changes: Vec::new(),
            backend,
            unenforced: Vec::new(),
        }
    }
}

impl From<&Outcome> for SandboxRun {
    fn from(outcome: &Outcome) -> SandboxRun {
        let millis = |time: std::time::Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        SandboxRun {
            exit_code: outcome.exit_code(),
            signal: match outcome.status {
                ExitStatus::Signal(signal) if !outcome.timed_out => Some(signal),
                _ => None,
            },
            timed_out: outcome.timed_out,
            oom: outcome.oom,
            stdout: outcome.stdout.text().into_owned(),
            stderr: outcome.stderr.text().into_owned(),
            truncated: outcome.stdout.truncated() || outcome.stderr.truncated(),
            wall_time_ms: millis(outcome.usage.wall),
            cpu_time_ms: outcome.usage.cpu.map(millis),
            peak_memory_bytes: outcome.usage.peak_memory,
            bytes_written: outcome.usage.bytes_written,
            files: outcome.kept.iter().map(|file| file.path.to_string_lossy().into_owned()).collect(),
            left_behind: outcome.left_behind.iter().map(LeftBehind::from).collect(),
            changes: Vec::new(),
            backend: Some(outcome.backend.clone().into_owned()),
            unenforced: outcome.unenforced.iter().map(|feature| feature.name()).collect(),
        }
    }
}

impl From<&(std::path::PathBuf, String)> for LeftBehind {
    fn from((path, reason): &(std::path::PathBuf, String)) -> LeftBehind {
        LeftBehind { path: path.to_string_lossy().into_owned(), reason: reason.clone() }
    }
}

/// A container that lives on.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ContainerLine {
    /// Its name, for `sandbox exec` and `sandbox stop`.
    pub id: String,
    /// Who launched it.
    pub owner: String,
    /// Whether others may use it.
    pub shared: bool,
    /// The image role that it was launched with.
    pub role: String,
    /// The runtime that it runs in.
    pub backend: String,
    /// Processors.
    pub cpus: f64,
    /// Bytes of memory.
    pub memory_bytes: u64,
    /// Seconds until it is ended.
    pub seconds_left: u64,
    /// The process that holds it.
    pub supervisor: u32,
}

/// `sandbox launch` and `sandbox stop`: the container.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SandboxContainer {
    /// The container; null where there is none.
    pub container: Option<ContainerLine>,
}

/// `sandbox list`: the containers that live.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SandboxList {
    /// The containers, the oldest first.
    pub containers: Vec<ContainerLine>,
    /// How many there are.
    pub count: usize,
}

impl ContainerLine {
    /// The line of a record at this moment.
    pub(crate) fn of(record: &Record, now: SystemTime) -> ContainerLine {
        ContainerLine {
            id: record.id.to_string(),
            owner: record.owner.clone(),
            shared: record.shared,
            role: record.role.clone(),
            backend: record.backend.clone(),
            cpus: record.policy.limits.cpus,
            memory_bytes: record.policy.limits.memory,
            seconds_left: record.left(now).as_secs(),
            supervisor: record.supervisor,
        }
    }
}
