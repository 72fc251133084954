//! The reply about what is visible in other agents' directories.

use schemars::JsonSchema;
use serde::Serialize;

/// `link`: what was made visible, or is no more.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Link {
    /// Whose directories: `project` or `user`.
    pub scope: &'static str,
    /// One line for each skill in each directory.
    pub links: Vec<LinkLine>,
    /// Skills that are shown to nobody, and why.
    pub left_out: Vec<String>,
}

/// A skill in an agent's directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LinkLine {
    /// The agent.
    pub agent: String,
    /// The skill.
    pub name: String,
    /// Where the agent finds it.
    pub path: String,
    /// The skill's own directory.
    pub target: String,
    /// `link` or `copy`.
    pub mode: &'static str,
    /// `linked`, `copied`, `unchanged`, `removed`, or `gone` where somebody else had removed it.
    pub change: &'static str,
}
