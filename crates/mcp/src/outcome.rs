//! An envelope as the result of a tool's call: text for the model, the whole envelope for programs.

use guild_engine::{Code, Envelope, Refusal, Status};
use rmcp::model::{CallToolResult, ContentBlock};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// Hosts cut longer results, some of them without a word.
pub(crate) const MOST_CHARACTERS: usize = 40_000;

/// The result of an operation; `text` is what the model reads where it went well.
pub(crate) fn of<T: Serialize>(envelope: &Envelope<T>, text: String) -> CallToolResult {
    let value = serde_json::to_value(envelope).unwrap_or_else(|error| unserialisable(&error));
    match envelope.status {
        Status::Ok => whole(value, text, false),
        Status::Error => {
            let text = if text.is_empty() { said(envelope.code, &envelope.message) } else { text };
            whole(value, text, true)
        }
    }
}

/// The result of a call that makes no sense, for the model to mend it.
pub(crate) fn misused(message: &str) -> CallToolResult {
    let code = Code::Usage;
    let value = json!({"status": "error", "code": code.as_str(), "message": message, "data": {}});
    whole(value, said(code, message), true)
}

/// The result of what is not done.
pub(crate) fn refused(refusal: Refusal) -> CallToolResult {
    of(&refusal.into_envelope::<Map<String, Value>>(), String::new())
}

/// `code: message`
pub(crate) fn said(code: Code, message: &str) -> String {
    format!("{}: {message}", code.as_str())
}

fn whole(value: Value, text: String, is_error: bool) -> CallToolResult {
    let mut result =
        if is_error { CallToolResult::structured_error(value) } else { CallToolResult::structured(value) };
    result.content = vec![ContentBlock::text(text)];
    result
}

fn unserialisable(error: &serde_json::Error) -> Value {
    json!({"status": "error", "code": Code::Internal.as_str(), "message": error.to_string(), "data": {}})
}
