//! The tools, resources and prompts that the official conformance suite of MCP wants of a server, as a guest of ours.
//!
//! Each row of the tables is what the suite's description of a scenario asks for, and nothing more. The rest of the server is ours.

mod prompts;
mod resources;
mod rounds;
mod tools;

use guild_engine::ports::{Guest, GuestAnswer, GuestCall, GuestError, Pending};
use serde_json::{Value, json};

/// A picture of one dot, and a sound of no length.
pub(crate) const DOT: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
pub(crate) const SILENCE: &str = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";

/// The suite's guest.
#[derive(Debug, Default)]
pub struct SuiteGuest;

/// What a row answers.
pub(crate) type Answer = Option<Result<GuestAnswer, GuestError>>;

impl Guest for SuiteGuest {
    fn offers(&self, what: &str) -> Vec<Value> {
        match what {
            "tools" => tools::described(),
            "resources" => resources::described(),
            "resourceTemplates" => resources::templates(),
            "prompts" => prompts::described(),
            _ => Vec::new(),
        }
    }

    fn answer<'a>(&'a self, call: GuestCall<'a>) -> Pending<'a, Answer> {
        Box::pin(async move {
            match call.method {
                "tools/call" => tools::answer(&call),
                "resources/read" => resources::answer(&call),
                "prompts/get" => prompts::answer(&call),
                _ => None,
            }
        })
    }
}

pub(crate) fn done(value: Value) -> Answer {
    Some(Ok(GuestAnswer::Done(value)))
}

pub(crate) fn said(text: impl Into<String>) -> Answer {
    done(json!({"content": [{"type": "text", "text": text.into()}]}))
}

pub(crate) fn asks(requests: Value, state: Option<Value>) -> Answer {
    let requests = requests.as_object().cloned().unwrap_or_default();
    Some(Ok(GuestAnswer::InputRequired { requests, state }))
}

/// A form with one field that has to be filled in.
pub(crate) fn form(message: &str, field: &str, kind: &str) -> Value {
    let schema = json!({"type": "object", "properties": {field: {"type": kind}}, "required": [field]});
    elicit(message, schema)
}

pub(crate) fn elicit(message: &str, schema: Value) -> Value {
    json!({"method": "elicitation/create", "params": {"message": message, "requestedSchema": schema}})
}

pub(crate) fn sample(prompt: &str, most: u32) -> Value {
    let message = json!({"role": "user", "content": {"type": "text", "text": prompt}});
    json!({"method": "sampling/createMessage", "params": {"messages": [message], "maxTokens": most}})
}

/// A field of a form that a client has filled in.
pub(crate) fn field<'a>(call: &'a GuestCall<'_>, key: &str, field: &str) -> Option<&'a Value> {
    call.answers.get(key)?.get("content")?.get(field)
}
