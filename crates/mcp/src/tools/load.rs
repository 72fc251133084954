//! `skill_load`

use guild_engine::{Envelope, RenderRequest, Status, held_skill, load, reply};
use rmcp::model::{CallToolResult, ToolAnnotations};
use serde::Deserialize;
use serde_json::json;

use super::Entry;
use crate::server::Server;
use crate::{arguments, outcome};

pub(super) const TOOL: Entry = Entry {
    name: "skill_load",
    description: "Read a skill's instructions, or a file of it",
    input: || {
        json!({
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "arguments": {"type": "array", "items": {"type": "string"}},
                "file": {"type": "string"},
            },
            "required": ["name"],
        })
    },
    annotations: || ToolAnnotations::new().read_only(true).open_world(false),
    call: |server, request, _| {
        Box::pin(async move {
            let asked: Arguments = match arguments::read(&request) {
                Ok(arguments) => arguments,
                Err(reason) => return Ok(outcome::misused(&reason).into()),
            };
            Ok(match &asked.file {
                Some(path) => file(server, &asked.name, path).await,
                None => instructions(server, &asked).await,
            }
            .into())
        })
    },
};

#[derive(Deserialize)]
struct Arguments {
    name: String,
    #[serde(default)]
    arguments: Vec<String>,
    file: Option<String>,
}

async fn instructions(server: &Server, asked: &Arguments) -> CallToolResult {
    let (hall, caller) = (server.hall(), server.principal());
    let request = RenderRequest { name: &asked.name, arguments: &asked.arguments, caller: &caller };
    let loaded = load(&hall, &server.premises().books, server.premises().now(), &request).await;
    let text = if loaded.status == Status::Ok { loaded.data.text.clone() } else { String::new() };
    outcome::of(&loaded, text)
}

async fn file(server: &Server, name: &str, path: &str) -> CallToolResult {
    let (hall, caller) = (server.hall(), server.principal());
    let read = held_skill(&hall, name, &caller).and_then(|skill| skill.read(Some(path)));
    match read {
        Ok(bytes) => {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let reply =
                reply::SkillText { skill: name.to_owned(), path: path.to_owned(), text: text.clone() };
            outcome::of(&Envelope::ok(reply), text)
        }
        Err(refusal) => outcome::of(&refusal.into_envelope::<reply::SkillText>(), String::new()),
    }
}
