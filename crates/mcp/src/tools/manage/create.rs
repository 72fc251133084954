//! `skill_create`

use guild_engine::Wish;
use rmcp::model::ToolAnnotations;
use serde::Deserialize;
use serde_json::json;

use super::super::Entry;
use crate::{arguments, outcome};

pub(super) const TOOL: Entry = Entry {
    name: "skill_create",
    description: "Propose a new skill for the project, as the whole text of its SKILL.md; an admin has to approve it",
    input: || {
        json!({
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "content": {"type": "string", "description": "frontmatter with name and description, then the instructions"},
            },
            "required": ["name", "content"],
        })
    },
    annotations: || ToolAnnotations::new().read_only(false).destructive(false).open_world(false),
    call: |server, request, _| {
        Box::pin(async move {
            let Arguments { name, content } = match arguments::read(&request) {
                Ok(arguments) => arguments,
                Err(reason) => return Ok(outcome::misused(&reason).into()),
            };
            Ok(super::wished(server, Wish::Create { name, content }).await.into())
        })
    },
};

#[derive(Deserialize)]
struct Arguments {
    name: String,
    content: String,
}
