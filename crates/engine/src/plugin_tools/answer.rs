//! What a tool answered: an object, in `/output/response.json` or as the whole of standard output; every failure has its own name.

use std::path::Path;

use guild_sandbox::{ExitStatus, Outcome};
use serde_json::Value;

use crate::ports::{Contained, ToolError, ToolResult};
use crate::run::response;

/// What a shell says of a program that is not there.
const NOT_THERE: i32 = 127;
/// The most that is told of what a tool said before it failed.
const LONGEST_COMPLAINT: usize = 400;

/// The answer, or why there is none.
pub(super) fn read(outcome: &Outcome, output: &Path) -> Result<ToolResult, ToolError> {
    let said = complaint(outcome);
    match outcome.status {
        _ if outcome.timed_out => return Err(ToolError::TimedOut("the tool's time was up".to_owned())),
        _ if outcome.oom => return Err(ToolError::Crashed(format!("the tool ran out of memory{said}"))),
        ExitStatus::Code(0) => {}
        ExitStatus::Code(NOT_THERE) => {
            return Err(ToolError::RuntimeMissing(format!(
                "what runs the tool is not in its container{said}"
            )));
        }
        ExitStatus::Code(code) => {
            return Err(ToolError::Crashed(format!("the tool ended with exit code {code}{said}")));
        }
        ExitStatus::Signal(signal) => {
            return Err(ToolError::Crashed(format!("the tool was killed by signal {signal}{said}")));
        }
    }
    let written = response(output).map_err(ToolError::NotJson)?;
    let bytes = written.as_deref().unwrap_or(&outcome.stdout.bytes);
    if bytes.trim_ascii().is_empty() {
        let message = "the tool wrote neither /output/response.json nor anything to standard output";
        return Err(ToolError::NoAnswer(message.to_owned()));
    }
    let contained = Contained { backend: outcome.backend.clone().into_owned(), wall: outcome.usage.wall };
    Ok(ToolResult { contained: Some(contained), ..result(json(bytes)?)? })
}

/// An answer as JSON.
pub(super) fn json(bytes: &[u8]) -> Result<Value, ToolError> {
    serde_json::from_slice(bytes)
        .map_err(|error| ToolError::NotJson(format!("the tool's answer is no JSON: {error}")))
}

/// An answer as what callers get.
pub(super) fn result(value: Value) -> Result<ToolResult, ToolError> {
    if !value.is_object() {
        return Err(ToolError::NotAnObject("the tool's answer is JSON, but no object".to_owned()));
    }
    let text = value.get("text").and_then(Value::as_str).map_or_else(|| value.to_string(), str::to_owned);
    Ok(ToolResult::new(text, value))
}

fn complaint(outcome: &Outcome) -> String {
    let text = String::from_utf8_lossy(&outcome.stderr.bytes);
    let last: String = text.trim().chars().rev().take(LONGEST_COMPLAINT).collect();
    if last.is_empty() {
        String::new()
    } else {
        format!("; it said: {}", last.chars().rev().collect::<String>())
    }
}
