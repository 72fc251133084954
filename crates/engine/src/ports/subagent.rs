//! Whoever runs a child agent: it gets a task and gives an answer, and nothing of what it did in between.
//!
//! The tools that it calls meanwhile are ours: each call goes back through the engine, which decides whether it may be.

use std::path::Path;
use std::time::Duration;

use serde_json::{Map, Value};

use super::Pending;
use crate::security_hash::RunnerIdentity;
use crate::transcript::Transcript;
use crate::workshop::Workshop;
use crate::{Code, Refusal};

/// What a child agent is to do, and with what.
pub struct SubagentTask<'a> {
    /// The skill that asks for it.
    pub skill: &'a str,
    /// For which agent.
    pub agent: &'a str,
    /// The run's id, by which a program of its own asks for the same tools.
    pub run: &'a str,
    /// The skill's instructions, rendered: the system prompt.
    pub instructions: &'a str,
    /// The only input.
    pub task: &'a str,
    /// Who runs it, as it was approved.
    pub runner: &'a RunnerIdentity,
    /// Where a program runs.
    pub directory: &'a Path,
    /// How long it may take.
    pub time: Duration,
    /// What it may call.
    pub tools: &'a dyn Toolbox,
    /// What is kept of what it says and hears.
    pub transcript: &'a Transcript,
    /// Told what it does now, in a few words.
    pub tell: &'a (dyn Fn(&str) + Send + Sync),
}

/// A tool as a child agent is told of it.
#[derive(Debug, Clone, PartialEq)]
pub struct OfferedTool {
    /// Its name, as `provider:tool`.
    pub name: String,
    /// The same for a model: letters, digits, `_` and `-`.
    pub short: String,
    /// What it does.
    pub description: String,
    /// JSON Schema of what it takes.
    pub input: Value,
    /// Whether it only looks.
    pub is_read_only: bool,
}

/// What came of a call, for a model to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolWord {
    /// What the tool gave, or why it gave nothing.
    pub text: String,
    /// The outcome's stable code; `ok` where it gave something.
    pub code: Code,
}

/// The tools of one run of a child agent.
pub trait Toolbox: Send + Sync {
    /// What is offered, always in the same order.
    fn offered(&self) -> &[OfferedTool];

    /// Calls one of them, under contract, approval and receipt.
    fn call<'a>(&'a self, tool: &'a str, input: Map<String, Value>) -> Pending<'a, ToolWord>;
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SubagentError {
    /// Whoever should run it cannot be reached, is not installed or does not let us in.
    #[error("{0}")]
    Unavailable(String),
    /// Its time was up.
    #[error("{0}")]
    TimedOut(String),
    /// It has used up its steps or tokens.
    #[error("{0}")]
    Exhausted(String),
    /// It ended without an answer.
    #[error("{0}")]
    Failed(String),
}

impl SubagentError {
    /// The same for whoever asked.
    pub(crate) fn refusal(&self) -> Refusal {
        let code = match self {
            Self::Unavailable(_) => Code::SubagentUnavailable,
            Self::TimedOut(_) => Code::SubagentTimedOut,
            Self::Exhausted(_) => Code::SubagentExhausted,
            Self::Failed(_) => Code::SubagentFailed,
        };
        Refusal::new(code, self.to_string())
    }
}

/// Something that runs child agents.
pub trait SubagentRunner: Send + Sync {
    /// Who would run this skill, with which model where the skill wants another; nothing where nobody would. The tools are not
    /// theirs to say.
    fn choose(&self, workshop: &Workshop<'_>, skill: &str, model: Option<&str>) -> Option<RunnerIdentity>;

    /// Runs a task to its end, and gives the answer. Dropped before that, it leaves nothing behind that runs.
    fn run<'a>(
        &'a self,
        workshop: &'a Workshop<'_>,
        task: &'a SubagentTask<'a>,
    ) -> Pending<'a, Result<String, SubagentError>>;
}
