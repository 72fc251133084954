//! Whoever offers tools: our own, plugins', MCP servers'.

use std::time::Duration;

use serde::Serialize;
use serde_json::{Map, Value};

use super::shelf::unknown;
use super::{Inquirer, OfferedSkill, Pending};
use crate::workshop::Workshop;
use crate::{Code, Refusal};

/// A tool as its provider describes it.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// Its name there.
    pub name: String,
    /// What it does.
    pub description: String,
    /// JSON Schema of what it takes.
    pub input: Value,
    /// JSON Schema of what it gives, where that is declared.
    pub output: Option<Value>,
    /// Whether it only looks; one that does more needs a grant.
    pub is_read_only: bool,
    /// The digest of the code behind it, where that is here; other code is another tool.
    pub code: Option<String>,
    /// The digest of the root file system that it runs in, where that is here.
    pub image: Option<String>,
    /// Names of the variables that reach it.
    pub environment: Vec<String>,
    /// The plugin that brings it, if one does.
    pub plugin: Option<String>,
}

/// One call.
pub struct ToolCall<'a> {
    /// The tool's name.
    pub tool: &'a str,
    /// What it is given; it fits the tool's schema.
    pub input: &'a Map<String, Value>,
    /// For which agent.
    pub agent: &'a str,
    /// By which skill.
    pub skill: &'a str,
    /// In which state of it.
    pub security_hash: String,
    /// The code that was approved, where that is here.
    pub code: Option<&'a str>,
    /// Told how far it is: the part that is done, the whole where it is known, and a word.
    pub progress: &'a (dyn Fn(f64, Option<f64>, &str) + Send + Sync),
    /// Asks a person what the tool wants to know in the midst of the call.
    pub inquirer: &'a dyn Inquirer,
}

/// What a tool answers.
#[derive(Debug, Clone, PartialEq)]
pub enum ToolAnswer {
    /// It is done.
    Done(ToolResult),
    /// It cannot go on before somebody has said more, and nobody has.
    InputRequired {
        /// What is asked.
        message: String,
        /// JSON Schema of the answer.
        schema: Value,
    },
}

/// What a tool gives.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolResult {
    /// For people and models.
    pub content: Vec<Content>,
    /// For programs.
    pub structured: Option<Value>,
    /// The container that it ran in, where it had one of its own.
    pub contained: Option<Contained>,
}

/// What is known of a container in which a tool was run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contained {
    /// The runtime.
    pub backend: String,
    /// From launch to end.
    pub wall: Duration,
}

/// A piece of content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Content {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
    /// Something else, such as an image.
    Data {
        /// Its media type.
        media_type: String,
        /// Its bytes.
        bytes: Vec<u8>,
    },
}

/// Why a tool gave nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ToolError {
    /// The provider does not let this agent call it.
    #[error("{0}")]
    Denied(String),
    /// What it was given makes no sense to it.
    #[error("{0}")]
    Input(String),
    /// Whoever offers it cannot be reached, or has failed too often to be asked again so soon.
    #[error("{0}")]
    Unavailable(String),
    /// It took too long.
    #[error("{0}")]
    TimedOut(String),
    /// It ended before it had answered.
    #[error("{0}")]
    Crashed(String),
    /// What runs it is not there.
    #[error("{0}")]
    RuntimeMissing(String),
    /// It ended well and said nothing.
    #[error("{0}")]
    NoAnswer(String),
    /// What it said is no JSON.
    #[error("{0}")]
    NotJson(String),
    /// What it said is JSON, but no object.
    #[error("{0}")]
    NotAnObject(String),
    /// Somebody else has its name.
    #[error("{0}")]
    Conflict(String),
    /// It failed.
    #[error("{0}")]
    Failed(String),
}

/// Everything that somebody offers.
#[derive(Debug, Default)]
pub struct Listed {
    /// The tools.
    pub tools: Vec<Tool>,
    /// Who of several could not say what they offer.
    pub silent: Vec<Unlisted>,
}

/// Somebody who could not say what they offer.
#[derive(Debug)]
pub struct Unlisted {
    /// Who.
    pub whose: String,
    /// Why.
    pub error: ToolError,
}

/// Something that offers tools. It is lent the workshop of each run, and keeps of its own only what outlives runs.
pub trait ToolProvider: Send + Sync {
    /// Its name before the colon: `builtin`, `mcp`, `plugin`.
    fn id(&self) -> &str;

    /// Whether the code of a tool says all there is to say of it, so that a tool whose code is fixed need not be looked up again.
    fn is_fixed_by_code(&self) -> bool {
        false
    }

    /// All its tools.
    fn list<'a>(&'a self, workshop: &'a Workshop<'_>) -> Pending<'a, Listed>;

    /// The tool of this name, if there is one.
    fn find<'a>(
        &'a self,
        workshop: &'a Workshop<'_>,
        tool: &'a str,
    ) -> Pending<'a, Result<Option<Tool>, ToolError>>;

    /// Calls a tool.
    fn call<'a>(
        &'a self,
        workshop: &'a Workshop<'_>,
        call: ToolCall<'a>,
    ) -> Pending<'a, Result<ToolAnswer, ToolError>>;

    /// The skills that one of its servers offers.
    fn skills<'a>(
        &'a self,
        _: &'a Workshop<'_>,
        _: &'a str,
    ) -> Pending<'a, Result<Vec<OfferedSkill>, ToolError>> {
        Box::pin(async { Err(unknown()) })
    }

    /// The bytes of a file of such a skill, by its address there.
    fn skill_file<'a>(
        &'a self,
        _: &'a Workshop<'_>,
        _: &'a str,
        _: &'a str,
    ) -> Pending<'a, Result<Vec<u8>, ToolError>> {
        Box::pin(async { Err(unknown()) })
    }
}

impl ToolError {
    /// The same for whoever asked.
    pub(crate) fn refusal(&self) -> Refusal {
        let code = match self {
            Self::Denied(_) => Code::ProviderPolicyDenied,
            Self::Input(_) => Code::ToolInputInvalid,
            Self::Unavailable(_) => Code::ProviderUnavailable,
            Self::TimedOut(_) => Code::ToolTimedOut,
            Self::Crashed(_) => Code::ToolCrashed,
            Self::RuntimeMissing(_) => Code::ToolRuntimeMissing,
            Self::NoAnswer(_) => Code::ToolNoAnswer,
            Self::NotJson(_) => Code::ToolAnswerNotJson,
            Self::NotAnObject(_) => Code::ToolAnswerNotObject,
            Self::Conflict(_) => Code::ToolConflict,
            Self::Failed(_) => Code::ProviderExecutionFailed,
        };
        Refusal::new(code, self.to_string())
    }
}

impl ToolResult {
    /// Text for people, and data for programs.
    pub fn new(text: impl Into<String>, structured: Value) -> Self {
        let content = vec![Content::Text { text: text.into() }];
        Self { content, structured: Some(structured), contained: None }
    }

    /// Its texts, one after the other.
    pub fn text(&self) -> String {
        let texts = self.content.iter().filter_map(|content| match content {
            Content::Text { text } => Some(text.as_str()),
            Content::Data { .. } => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    }
}
