//! The replies about runs that a server has under way.

use schemars::JsonSchema;
use serde::Serialize;

use super::PrincipalLine;

/// A run that a server has under way, or remembers.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct RunJob {
    /// Its id there.
    pub id: String,
    /// The skill, as it was asked for.
    pub skill: String,
    /// `prepares`, `waits` (for a person), `runs`, `ended` or `cancelled`.
    pub state: &'static str,
    /// At whose wish.
    pub by: Option<PrincipalLine>,
    /// When it was asked for.
    pub at: String,
    /// The request that it waits for, or has waited for.
    pub request: Option<String>,
    /// How it ended: `ok` or another stable code.
    pub code: Option<&'static str>,
    /// The run's id in receipts, once it has ended.
    pub run: Option<String>,
    /// The receipt of how it ended.
    pub receipt: Option<String>,
}

/// The runs that a server has under way, or remembers.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct RunJobs {
    /// The newest first.
    pub runs: Vec<RunJob>,
    /// How many there are.
    pub count: usize,
}
