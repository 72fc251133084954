//! The reply of a run, and the plan that a person is shown before it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::changes::ChangeSummary;
use super::sandbox::LeftBehind;
use super::vet::FindingLine;
use crate::run::ParamError;

/// `run`: what came of a skill. An error keeps the fields, with `exit_code` -1 where nothing was run.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Run {
    /// The skill's qualified name.
    pub skill: String,
    /// How it runs: `inline`, `script`, `tool` or `subagent`.
    pub kind: Option<&'static str>,
    /// The script's exit code: 124 for a time-out, 128 and the signal's number for a signal; 0 for what has none.
    pub exit_code: i32,
    /// Its standard output, as far as it was kept; bytes that are no UTF-8 are replaced.
    pub stdout: String,
    /// Its standard error, likewise.
    pub stderr: String,
    /// From launch to end.
    pub wall_time_ms: u64,
    /// Whether either stream was longer than what was kept.
    pub truncated: bool,
    /// Whether its time was up.
    pub timed_out: bool,
    /// Whether the kernel killed any of its processes for want of memory.
    pub oom: bool,
    /// The caller's container that it ran in.
    pub container_id: Option<String>,
    /// Whether the run had a container of its own.
    pub owned_container: bool,
    /// The runtime that ran it.
    pub backend: Option<String>,
    /// The state of the skill that was run.
    pub security_hash: Option<String>,
    /// The run's id, where it began.
    pub run: Option<String>,
    /// The receipt of how it ended.
    pub receipt: Option<String>,
    /// The digest of what a child agent said and heard, kept as a log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transcript: Option<String>,
    /// What the skill gave: `/output/response.json`, else standard output as JSON, else as text.
    pub output: Option<Value>,
    /// Files that it left in `/output`.
    pub files: Vec<OutputFile>,
    /// What of `/output` was left behind: links, devices and the like.
    pub left_behind: Vec<LeftBehind>,
    /// What it wrote to the workspace, kept until a person decides.
    pub changes: Vec<ChangeSummary>,
    /// Limits that were asked for and not enforced; empty unless best effort is configured.
    pub unenforced: Vec<&'static str>,
    /// What is wrong with the parameters, the tool's input or the result.
    pub errors: Vec<ParamError>,
    /// What the vet found.
    pub findings: Vec<FindingLine>,
    /// The request that waits for a person.
    pub request: Option<String>,
    /// What would be run; only with `--dry-run` and where approval is required.
    pub plan: Option<RunPlan>,
    /// Whether a person would be asked; only with `--dry-run`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub would_ask: Option<bool>,
    /// Names near the one that was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<String>,
}

/// `replay`: the run that was made again, and how it compares.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Replay {
    /// The receipt of the run that was repeated.
    pub original: String,
    /// Whether everything it gave is the same; null where it was not run again.
    pub same: Option<bool>,
    /// What differs: `exit_code`, `stdout`, `stderr`, or a file of `/output`.
    pub differences: Vec<String>,
    /// The run that was made now.
    #[serde(flatten)]
    pub run: Run,
}

/// A file that a run left.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct OutputFile {
    /// Its path in `/output`.
    pub path: String,
    /// Its digest.
    pub digest: String,
    /// Its size in bytes.
    pub size: u64,
}

/// What would be run, and with what: everything that a person decides on.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RunPlan {
    /// The skill's qualified name.
    pub skill: String,
    /// Where it was found.
    pub source: String,
    /// For which agent.
    pub agent: String,
    /// How it runs.
    pub kind: String,
    /// The state of the skill.
    pub security_hash: String,
    /// The exact command, values of secrets left out.
    pub command: Vec<String>,
    /// The tool that it calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The parameters; a secret is `{"secret": <keyed digest>}`.
    pub parameters: BTreeMap<String, Value>,
    /// The host's directory that it sees as `/workspace`.
    pub workspace: Option<String>,
    /// `none`, `read` or `write`; what is written is kept aside until a person applies it.
    pub workspace_access: String,
    /// `none`, or `host`, which reaches local services too.
    pub network: String,
    /// Names of the environment's variables that it gets.
    pub environment: Vec<String>,
    /// The tools that it may call.
    pub tools: Vec<String>,
    /// The image role, where it runs in a container.
    pub image_role: Option<String>,
    /// The digest of that image.
    pub image: Option<String>,
    /// Its limits.
    pub limits: RunLimits,
    /// The caller's container that it would run in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub container: Option<String>,
}

/// What a run may use.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RunLimits {
    /// Seconds that it may take.
    pub timeout_seconds: f64,
    /// Processors.
    pub cpus: f64,
    /// Bytes of memory.
    pub memory_bytes: u64,
    /// Processes and threads.
    pub processes: u32,
    /// Bytes that are kept of each stream.
    pub output_bytes: u64,
}

impl Run {
    /// The reply where nothing was run.
    pub fn nothing(skill: &str) -> Run {
        Run {
            skill: skill.to_owned(),
            kind: None,
            exit_code: -1,
            stdout: String::new(),
            stderr: String::new(),
            wall_time_ms: 0,
            truncated: false,
            timed_out: false,
            oom: false,
            container_id: None,
            owned_container: false,
            backend: None,
            security_hash: None,
            run: None,
            receipt: None,
            transcript: None,
            output: None,
            files: Vec::new(),
            left_behind: Vec::new(),
            changes: Vec::new(),
            unenforced: Vec::new(),
            errors: Vec::new(),
            findings: Vec::new(),
            request: None,
            plan: None,
            would_ask: None,
            candidates: Vec::new(),
        }
    }
}
