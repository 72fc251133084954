//! Messages, as Anthropic has them: what is asked, and a turn out of the blocks that come.

use std::collections::BTreeMap;

use guild_engine::ports::OfferedTool;
use serde_json::{Map, Value, json};

use super::turn::{Call, Stop, Turn};
use super::{Said, Talk, insert, object_of};

/// How many blocks one turn may have.
const MOST_BLOCKS: usize = 128;

/// The path behind the runner's address.
pub(super) const PATH: &str = "/v1/messages";
/// The version of the protocol.
pub(super) const VERSION: &str = "2023-06-01";

/// What is asked.
pub(super) fn body(talk: &Talk<'_>) -> Value {
    let mut body = json!({
        "model": talk.model,
        "max_tokens": talk.runner.max_tokens,
        "system": talk.system,
        "messages": talk.messages,
        "stream": true,
    });
    if !talk.tools.is_empty() {
        let tool = |tool: &OfferedTool| json!({"name": tool.short, "description": tool.description, "input_schema": tool.input});
        insert(&mut body, "tools", talk.tools.iter().map(tool).collect());
    }
    body
}

/// Adds a turn and what its calls gave.
pub(super) fn append(messages: &mut Vec<Value>, turn: &Turn, said: &[Said<'_>]) {
    messages.push(json!({"role": "assistant", "content": turn.content}));
    let result = |said: &Said<'_>| {
        json!({
            "type": "tool_result",
            "tool_use_id": said.call.id,
            "content": said.word.text,
            "is_error": said.word.code != guild_engine::Code::Ok,
        })
    };
    messages.push(json!({"role": "user", "content": said.iter().map(result).collect::<Vec<_>>()}));
}

/// A turn that is being read.
#[derive(Debug, Default)]
pub(super) struct Reader {
    blocks: BTreeMap<u64, Block>,
    stop: Option<Stop>,
    read: Option<u64>,
    written: Option<u64>,
    is_done: bool,
}

/// A block as it began, and what was added to it.
#[derive(Debug, Default)]
struct Block {
    begun: Map<String, Value>,
    text: String,
    input: String,
    thinking: String,
    signature: String,
}

impl Reader {
    /// Reads one event; an error is what the server says is wrong.
    pub(super) fn event(&mut self, data: &str) -> Result<(), String> {
        let event: Value =
            serde_json::from_str(data).map_err(|_| "it sent an event that is no JSON".to_owned())?;
        let text = |path: &str| event.pointer(path).and_then(Value::as_str).unwrap_or_default();
        match text("/type") {
            "error" => return Err(super::client::message_of(event.get("error").unwrap_or(&event))),
            "message_start" => self.usage(event.pointer("/message/usage")),
            "content_block_start" => {
                let block = self.block(&event)?;
                block.begun =
                    event.get("content_block").and_then(Value::as_object).cloned().unwrap_or_default();
            }
            "content_block_delta" => {
                let block = self.block(&event)?;
                block.text.push_str(text("/delta/text"));
                block.input.push_str(text("/delta/partial_json"));
                block.thinking.push_str(text("/delta/thinking"));
                block.signature.push_str(text("/delta/signature"));
            }
            "message_delta" => {
                self.usage(event.get("usage"));
                self.stopped(text("/delta/stop_reason"));
            }
            "message_stop" => self.is_done = true,
            // A server that does not stream says all of it at once.
            "message" => self.whole(&event),
            _ => {}
        }
        Ok(())
    }

    fn stopped(&mut self, reason: &str) {
        self.stop = match reason {
            "" => self.stop,
            "max_tokens" | "model_context_window_exceeded" => Some(Stop::Length),
            "refusal" => Some(Stop::Refused),
            _ => Some(Stop::Done),
        };
    }

    fn usage(&mut self, usage: Option<&Value>) {
        let count = |name: &str| usage.and_then(|usage| usage.get(name)).and_then(Value::as_u64);
        self.read = count("input_tokens").or(self.read);
        self.written = count("output_tokens").or(self.written);
    }

    fn whole(&mut self, message: &Value) {
        let blocks = message.get("content").and_then(Value::as_array).cloned().unwrap_or_default();
        for (at, block) in blocks.into_iter().take(MOST_BLOCKS).enumerate() {
            let begun = block.as_object().cloned().unwrap_or_default();
            self.blocks.insert(at as u64, Block { begun, ..Block::default() });
        }
        self.usage(message.get("usage"));
        self.stopped(message.get("stop_reason").and_then(Value::as_str).unwrap_or_default());
        self.is_done = true;
    }

    fn block(&mut self, event: &Value) -> Result<&mut Block, String> {
        let index = event.get("index").and_then(Value::as_u64).unwrap_or_default();
        if self.blocks.len() >= MOST_BLOCKS && !self.blocks.contains_key(&index) {
            return Err(format!("it sends more than {MOST_BLOCKS} blocks at once"));
        }
        Ok(self.blocks.entry(index).or_default())
    }

    /// Whether everything has come.
    pub(super) fn is_complete(&self) -> bool {
        self.is_done
    }

    /// The turn.
    pub(super) fn turn(self, guess: u64) -> Turn {
        let tokens = match (self.read, self.written) {
            (None, None) => guess,
            (read, written) => read.unwrap_or_default().saturating_add(written.unwrap_or_default()),
        };
        let mut turn = Turn { stop: self.stop.unwrap_or_default(), tokens, ..Turn::default() };
        for block in self.blocks.into_values() {
            block.into_turn(&mut turn);
        }
        turn
    }
}

impl Block {
    fn into_turn(self, turn: &mut Turn) {
        let field = |name: &str| self.begun.get(name).and_then(Value::as_str).unwrap_or_default();
        match field("type") {
            "text" => {
                let text = format!("{}{}", field("text"), self.text);
                if !text.is_empty() {
                    turn.content.push(json!({"type": "text", "text": text}));
                }
                turn.text.push_str(&text);
            }
            "tool_use" => {
                let begun =
                    self.begun.get("input").and_then(Value::as_object).filter(|input| !input.is_empty());
                let input = begun.cloned().or_else(|| object_of(&self.input));
                let (id, name) = (field("id").to_owned(), field("name").to_owned());
                let shown = input.clone().unwrap_or_default();
                turn.content.push(json!({"type": "tool_use", "id": id, "name": name, "input": shown}));
                turn.calls.push(Call { id, name, input });
            }
            // What it thought is given back as it came: the server checks that it is its own.
            "thinking" => turn.content.push(json!({
                "type": "thinking",
                "thinking": format!("{}{}", field("thinking"), self.thinking),
                "signature": format!("{}{}", field("signature"), self.signature),
            })),
            "redacted_thinking" => turn.content.push(Value::Object(self.begun)),
            _ => {}
        }
    }
}
