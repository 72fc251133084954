//! The reply about a host that was connected.

use schemars::JsonSchema;
use serde::Serialize;

use crate::diff::Difference;

/// `connect`: what was written, or would be, into a host's file.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct Connect {
    /// The host's id.
    pub host: String,
    /// Its file.
    pub path: String,
    /// The agent that its agents are served as.
    pub agent: String,
    /// Whether the file was another before.
    pub changed: bool,
    /// Whether it was written.
    pub written: bool,
    /// Where the file is kept as it was.
    pub backup: Option<String>,
    /// What changes in it.
    pub difference: Difference,
}
