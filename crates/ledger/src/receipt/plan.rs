//! What was to be run, and what came of it: parameters, limits, digests of outputs, resources, changes.
//!
//! Everything is text, digests and whole numbers. Nothing here is checked: the engine has done that.

use std::collections::BTreeMap;

use guild_manifest::Digest;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Timestamp;

/// What a run was given.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Plan {
    /// The digest of the plan as it was shown to a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<Digest>,
    /// The parameters by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, Parameter>,
    /// The names of those that the skill does not declare, in the order of the call, where there are several: it is the order in
    /// which a script was handed them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undeclared: Vec<String>,
    /// The workspace's path on the host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// What the run might do with the workspace.
    #[serde(default)]
    pub access: Access,
    /// `none` or `host`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<String>,
    /// The names of the variables it was given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub environment: Vec<String>,
    /// What ran it: `embedded`, `docker`, …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backend: Option<String>,
    /// The image's digest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<Digest>,
    /// The limits it ran under.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<Limits>,
}

/// A parameter's value, as far as it may be kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Parameter {
    /// The value itself.
    Value(Value),
    /// A value too large to keep: its digest and length.
    Digest {
        /// The digest of its JSON text.
        digest: Digest,
        /// The length of that text.
        bytes: u64,
    },
    /// A secret: a digest that only this installation can compute; see [`crate::Ledger::keyed_digest`].
    Secret(String),
}

/// What a run may do with the workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// It is not there.
    #[default]
    None,
    /// It can be read.
    Read,
    /// It can be written to, as a copy.
    Write,
}

/// What a run may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Limits {
    /// Milliseconds until it is ended.
    pub time_ms: Option<u64>,
    /// Thousandths of a processor.
    pub cpu_milli: Option<u64>,
    /// Bytes of memory.
    pub memory_bytes: Option<u64>,
    /// Processes at a time.
    pub processes: Option<u64>,
    /// Bytes kept of each stream.
    pub output_bytes: Option<u64>,
    /// Whether all of them were enforced, or only as well as could be.
    pub enforced: bool,
}

/// What came of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// When the process began.
    pub started: Timestamp,
    /// When it ended.
    pub finished: Timestamp,
    /// The exit code, unless a signal ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The signal that ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// Whether it ran out of time.
    #[serde(default)]
    pub timed_out: bool,
    /// Whether it ran out of memory.
    #[serde(default)]
    pub out_of_memory: bool,
    /// What it wrote: `stdout`, `stderr`, and files by their path.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub outputs: BTreeMap<String, Output>,
    /// What it used.
    #[serde(default)]
    pub resources: Resources,
    /// What it changed in the workspace's copy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<Changes>,
}

/// Something a run wrote. What was kept of it is a blob elsewhere, which may be pruned; this stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Output {
    /// The digest of what was kept.
    pub digest: Digest,
    /// The bytes that were kept.
    pub bytes: u64,
    /// Whether there was more.
    #[serde(default)]
    pub truncated: bool,
}

/// What a run used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Resources {
    /// Milliseconds of a processor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_ms: Option<u64>,
    /// The most bytes of memory at a time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    /// The most processes at a time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processes: Option<u64>,
}

/// What a run changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changes {
    /// The id under which the change waits to be applied or dropped.
    pub id: String,
    /// How many files it touches.
    pub files: u64,
    /// The digest of the list of them.
    pub digest: Digest,
}

impl Outcome {
    /// Nothing but when it began and ended.
    pub fn at(started: Timestamp, finished: Timestamp) -> Self {
        Self {
            started,
            finished,
            exit_code: None,
            signal: None,
            timed_out: false,
            out_of_memory: false,
            outputs: BTreeMap::new(),
            resources: Resources::default(),
            changes: None,
        }
    }
}
