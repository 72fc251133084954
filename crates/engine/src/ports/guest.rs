//! A guest: somebody whose tools, resources and prompts a surface of MCP shows beside our own, as they are.
//!
//! Descriptions, results and questions are JSON as the protocol has it; which era a client is of, how it is asked and what it
//! carries from one round to the next is the surface's business. No guest is let in by any configuration: whoever embeds Guildhall
//! brings one, and the official conformance suite's fixtures are one.

use serde_json::{Map, Value};

use super::Pending;

/// What a guest is asked.
pub struct GuestCall<'a> {
    /// `tools/call`, `resources/read` or `prompts/get`.
    pub method: &'a str,
    /// The name of the tool or prompt, or the resource's address.
    pub name: &'a str,
    /// What it is given.
    pub arguments: &'a Map<String, Value>,
    /// What a client answered to questions, by their keys; a stranger's text.
    pub answers: &'a Map<String, Value>,
    /// What the guest wanted to know again in this round.
    pub state: Option<&'a Value>,
    /// What the client can be asked, as it says.
    pub capabilities: &'a Value,
    /// Told what happens meanwhile.
    pub tell: &'a (dyn Fn(GuestNote) + Send + Sync),
}

/// What happens while a guest works.
#[derive(Debug, Clone, PartialEq)]
pub enum GuestNote {
    /// How far it is.
    Progress {
        /// What is done.
        done: f64,
        /// Of how much.
        whole: f64,
    },
    /// Something for a log, where the client wants one.
    Log(String),
    /// The list of its prompts is another.
    PromptsChanged,
}

/// What a guest answers.
#[derive(Debug, Clone, PartialEq)]
pub enum GuestAnswer {
    /// The result.
    Done(Value),
    /// It cannot go on before the client has answered.
    InputRequired {
        /// Requests to the client, `{method, params}` each, by keys of the guest's choice.
        requests: Map<String, Value>,
        /// What the guest wants to know again in the next round.
        state: Option<Value>,
    },
}

/// Why a guest gives nothing, as an error of the protocol.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct GuestError {
    /// The protocol's number for it.
    pub code: i32,
    /// What happened.
    pub message: String,
}

/// Somebody who is shown beside our own.
pub trait Guest: Send + Sync {
    /// The descriptions of its `tools`, `resources`, `resourceTemplates` or `prompts`.
    fn offers(&self, what: &str) -> Vec<Value>;

    /// Answers a request for one of them; nothing where it is none of its own.
    fn answer<'a>(&'a self, call: GuestCall<'a>) -> Pending<'a, Option<Result<GuestAnswer, GuestError>>>;
}
