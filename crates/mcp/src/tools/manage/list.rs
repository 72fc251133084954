//! `skill_list`

use guild_engine::{Envelope, ListRequest, Status, counted, list};
use rmcp::model::ToolAnnotations;
use serde::Deserialize;
use serde_json::json;

use super::super::{Entry, line};
use crate::{arguments, outcome};

/// More skills than this are more than a model should read.
const MOST: usize = 200;

pub(super) const TOOL: Entry = Entry {
    name: "skill_list",
    description: "List the skills that you may use, all or of one source; `skill_search` finds one sooner",
    input: || {
        json!({
            "type": "object",
            "properties": {
                "source": {"type": "string", "description": "project, user, system, extra, plugin or builtin"},
            },
        })
    },
    annotations: || ToolAnnotations::new().read_only(true).open_world(false),
    call: |server, request, _| {
        Box::pin(async move {
            let Arguments { source } = match arguments::read(&request) {
                Ok(arguments) => arguments,
                Err(reason) => return Ok(outcome::misused(&reason).into()),
            };
            let hall = server.hall();
            let asked = ListRequest {
                source: source.as_deref(),
                agent: Some(server.agent()),
                ..ListRequest::default()
            };
            let listed = list(&hall, &asked);
            if listed.status == Status::Error {
                return Ok(outcome::of(&listed, String::new()).into());
            }
            let count = counted(listed.data.count, "skill");
            if listed.data.count > MOST {
                let text = format!("{count}, too many to list; `skill_search` finds them.");
                return Ok(outcome::of(&Envelope::ok(json!({"count": listed.data.count})), text).into());
            }
            let lines: Vec<String> = listed.data.skills.iter().map(|skill| line(&skill)).collect();
            Ok(outcome::of(&listed, format!("{count}\n{}", lines.join("\n")).trim_end().to_owned()).into())
        })
    },
};

#[derive(Deserialize)]
struct Arguments {
    source: Option<String>,
}
