//! `skill_uninstall`

use guild_engine::{InstallScope, Wish};
use rmcp::model::ToolAnnotations;
use serde::Deserialize;
use serde_json::json;

use super::super::Entry;
use crate::{arguments, outcome};

pub(super) const TOOL: Entry = Entry {
    name: "skill_uninstall",
    description: "Ask for an installed skill or plugin to be removed from the project. Ask the user first; an admin has to approve it",
    input: || json!({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}),
    annotations: || ToolAnnotations::new().read_only(false).destructive(true).open_world(false),
    call: |server, request, _| {
        Box::pin(async move {
            let Arguments { name } = match arguments::read(&request) {
                Ok(arguments) => arguments,
                Err(reason) => return Ok(outcome::misused(&reason).into()),
            };
            let wish = Wish::Uninstall { names: vec![name], scope: InstallScope::Project };
            Ok(super::wished(server, wish).await.into())
        })
    },
};

#[derive(Deserialize)]
struct Arguments {
    name: String,
}
