//! Whoever runs a child agent: it gets a task and gives an answer, and nothing of what it did in between.

use super::Pending;

/// What a child agent is to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubagentTask {
    /// The skill that asks for it.
    pub skill: String,
    /// Its instructions, rendered.
    pub instructions: String,
    /// The tools that it may use, as the skill says.
    pub tools: Vec<String>,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct SubagentError {
    /// What happened.
    pub message: String,
}

/// Something that runs child agents.
pub trait SubagentRunner: Send + Sync {
    /// Runs a task to its end, and gives the answer.
    fn run<'a>(&'a self, task: &'a SubagentTask) -> Pending<'a, Result<String, SubagentError>>;
}
