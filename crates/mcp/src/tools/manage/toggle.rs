//! `skill_toggle`

use guild_engine::{ToggleRequest, toggle};
use rmcp::model::ToolAnnotations;
use serde::Deserialize;
use serde_json::json;

use super::super::Entry;
use crate::{arguments, outcome};

pub(super) const TOOL: Entry = Entry {
    name: "skill_toggle",
    description: "Ask for a skill or plugin to be switched on or off; an admin has to approve it",
    input: || {
        json!({
            "type": "object",
            "properties": {"name": {"type": "string"}, "enabled": {"type": "boolean"}},
            "required": ["name", "enabled"],
        })
    },
    annotations: || ToolAnnotations::new().read_only(false).destructive(false).open_world(false),
    call: |server, request, _| {
        Box::pin(async move {
            let Arguments { name, enabled } = match arguments::read(&request) {
                Ok(arguments) => arguments,
                Err(reason) => return Ok(outcome::misused(&reason).into()),
            };
            let (hall, principal) = (server.hall(), server.principal());
            let asked = ToggleRequest::new(&name, enabled, &principal, server.agent());
            let switched = toggle(&server.premises().workshop(&hall), asked).await;
            let request = switched.data.request.clone();
            Ok(super::left_to_wait(&switched, request.as_deref()).into())
        })
    },
};

#[derive(Deserialize)]
struct Arguments {
    name: String,
    enabled: bool,
}
