//! `skill_install`

use guild_engine::{InstallScope, Wish};
use rmcp::model::ToolAnnotations;
use serde::Deserialize;
use serde_json::json;

use super::super::Entry;
use crate::{arguments, outcome};

pub(super) const TOOL: Entry = Entry {
    name: "skill_install",
    description: "Ask for skills or plugins to be installed into the project. Ask the user first; an admin has to approve it",
    input: || {
        json!({
            "type": "object",
            "properties": {
                "source": {"type": "string", "description": "owner/repo, a URL, a directory or an archive"},
                "ref": {"type": "string", "description": "a branch, tag or commit"},
                "names": {"type": "array", "items": {"type": "string"}, "description": "which, where there are several"},
            },
            "required": ["source"],
        })
    },
    annotations: || ToolAnnotations::new().read_only(false).destructive(false).open_world(true),
    call: |server, request, _| {
        Box::pin(async move {
            let Arguments { source, reference, names } = match arguments::read(&request) {
                Ok(arguments) => arguments,
                Err(reason) => return Ok(outcome::misused(&reason).into()),
            };
            let scope = InstallScope::Project;
            let wish = Wish::Install { source, reference, names, all: false, scope };
            Ok(super::wished(server, wish).await.into())
        })
    },
};

#[derive(Deserialize)]
struct Arguments {
    source: String,
    #[serde(rename = "ref")]
    reference: Option<String>,
    #[serde(default)]
    names: Vec<String>,
}
