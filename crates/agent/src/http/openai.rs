//! Chat completions, as OpenAI and many others have them: what is asked, and a turn out of the pieces that come.

use std::collections::BTreeMap;

use guild_engine::ports::OfferedTool;
use serde_json::{Value, json};

use super::turn::{Call, Stop, Turn};
use super::{Said, Talk, insert, object_of};

/// How many calls one turn may have in the stream.
const MOST_CALLS: usize = 64;

/// The path behind the runner's address.
pub(super) const PATH: &str = "/chat/completions";

/// What is asked.
pub(super) fn body(talk: &Talk<'_>) -> Value {
    let system = json!({"role": "system", "content": talk.system});
    let messages: Vec<Value> = std::iter::once(system).chain(talk.messages.iter().cloned()).collect();
    // The service that this protocol comes from has given the limit another name.
    let is_home = talk.runner.url.starts_with("https://api.openai.com");
    let limit = if is_home { "max_completion_tokens" } else { "max_tokens" };
    let mut body = json!({
        "model": talk.model,
        "messages": messages,
        "stream": true,
        "stream_options": {"include_usage": true},
    });
    insert(&mut body, limit, json!(talk.runner.max_tokens));
    if !talk.tools.is_empty() {
        let tool = |tool: &OfferedTool| {
            let function =
                json!({"name": tool.short, "description": tool.description, "parameters": tool.input});
            json!({"type": "function", "function": function})
        };
        insert(&mut body, "tools", talk.tools.iter().map(tool).collect());
    }
    body
}

/// Adds a turn and what its calls gave.
pub(super) fn append(messages: &mut Vec<Value>, turn: &Turn, said: &[Said<'_>]) {
    let calls: Vec<Value> = turn
        .calls
        .iter()
        .map(|call| {
            let arguments = Value::Object(call.input.clone().unwrap_or_default()).to_string();
            json!({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}})
        })
        .collect();
    messages.push(json!({"role": "assistant", "content": turn.text, "tool_calls": calls}));
    let results = said
        .iter()
        .map(|said| json!({"role": "tool", "tool_call_id": said.call.id, "content": said.word.text}));
    messages.extend(results);
}

/// A turn that is being read.
#[derive(Debug, Default)]
pub(super) struct Reader {
    text: String,
    calls: BTreeMap<u64, Piece>,
    stop: Option<Stop>,
    tokens: Option<u64>,
    is_done: bool,
}

#[derive(Debug, Default)]
struct Piece {
    id: String,
    name: String,
    arguments: String,
}

impl Reader {
    /// Reads one event; an error is what the server says is wrong.
    pub(super) fn event(&mut self, data: &str) -> Result<(), String> {
        if data.trim() == "[DONE]" {
            self.is_done = true;
            return Ok(());
        }
        let event: Value =
            serde_json::from_str(data).map_err(|_| "it sent an event that is no JSON".to_owned())?;
        if let Some(error) = event.get("error").filter(|error| !error.is_null()) {
            return Err(super::client::message_of(error));
        }
        self.usage(&event);
        let Some(choice) = event.pointer("/choices/0") else { return Ok(()) };
        // A server that does not stream says all of it in a message.
        let delta = choice.get("delta").or_else(|| choice.get("message")).unwrap_or(&Value::Null);
        self.text.push_str(delta.get("content").and_then(Value::as_str).unwrap_or_default());
        let calls = delta.get("tool_calls").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        for (at, call) in calls.iter().enumerate() {
            self.call(call, at as u64)?;
        }
        match choice.get("finish_reason").and_then(Value::as_str) {
            Some("length") => self.stop = Some(Stop::Length),
            Some("content_filter") => self.stop = Some(Stop::Refused),
            Some(_) => self.stop = Some(Stop::Done),
            None => {}
        }
        Ok(())
    }

    fn usage(&mut self, event: &Value) {
        let count = |name: &str| event.pointer(&format!("/usage/{name}")).and_then(Value::as_u64);
        if let (Some(read), Some(written)) = (count("prompt_tokens"), count("completion_tokens")) {
            self.tokens = Some(read.saturating_add(written));
        }
    }

    fn call(&mut self, call: &Value, at: u64) -> Result<(), String> {
        let index = call.get("index").and_then(Value::as_u64).unwrap_or(at);
        if self.calls.len() >= MOST_CALLS && !self.calls.contains_key(&index) {
            return Err(format!("it wants more than {MOST_CALLS} calls at once"));
        }
        let piece = self.calls.entry(index).or_default();
        let text = |path: &str| call.pointer(path).and_then(Value::as_str).unwrap_or_default();
        if piece.id.is_empty() {
            text("/id").clone_into(&mut piece.id);
        }
        if piece.name.is_empty() {
            text("/function/name").clone_into(&mut piece.name);
        }
        piece.arguments.push_str(text("/function/arguments"));
        Ok(())
    }

    /// Whether everything has come.
    pub(super) fn is_complete(&self) -> bool {
        self.is_done || self.stop.is_some()
    }

    /// The turn.
    pub(super) fn turn(self, guess: u64) -> Turn {
        let call = |(index, piece): (u64, Piece)| Call {
            id: if piece.id.is_empty() { format!("call_{index}") } else { piece.id },
            name: piece.name,
            input: object_of(&piece.arguments),
        };
        Turn {
            text: self.text,
            calls: self.calls.into_iter().map(call).collect(),
            stop: self.stop.unwrap_or_default(),
            tokens: self.tokens.unwrap_or(guess),
            content: Vec::new(),
        }
    }
}
