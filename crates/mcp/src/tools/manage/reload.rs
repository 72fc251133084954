//! `skill_reload`

use guild_engine::{Code, Envelope, reload};
use rmcp::model::ToolAnnotations;
use serde_json::{Map, Value, json};

use super::super::Entry;
use crate::outcome;

pub(super) const TOOL: Entry = Entry {
    name: "skill_reload",
    description: "Look for skills again, where one was just written; what does not load is told with its reason",
    input: || json!({"type": "object", "properties": {}}),
    annotations: || ToolAnnotations::new().read_only(true).open_world(false),
    call: |server, _, _| {
        Box::pin(async move {
            if let Err(error) = server.look().await {
                let message = format!("what was known stays: {error}");
                let envelope = Envelope::error(Code::ReloadFailed, message, Map::<String, Value>::new());
                return Ok(outcome::of(&envelope, String::new()).into());
            }
            let hall = server.hall();
            let reloaded = reload(&hall);
            let text = reloaded.message.clone();
            Ok(outcome::of(&reloaded, text).into())
        })
    },
};
