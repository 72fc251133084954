//! `plugin_list`

use guild_engine::{counted, plugins};
use rmcp::model::ToolAnnotations;
use serde_json::json;

use super::super::Entry;
use crate::outcome;

pub(super) const TOOL: Entry = Entry {
    name: "plugin_list",
    description: "List the plugins, with how many skills each ships and whether it is on",
    input: || json!({"type": "object", "properties": {}}),
    annotations: || ToolAnnotations::new().read_only(true).open_world(false),
    call: |server, _, _| {
        Box::pin(async move {
            let hall = server.hall();
            let listed = plugins(&hall);
            let lines = listed.data.plugins.iter().map(|plugin| {
                let state = if plugin.enabled { "on" } else { "off" };
                let skills = counted(plugin.skill_count, "skill");
                format!("- {} ({state}, {skills}): {}", plugin.name, plugin.description.replace('\n', " "))
            });
            let lines: Vec<String> = lines.collect();
            let text = format!("{}\n{}", counted(lines.len(), "plugin"), lines.join("\n"));
            Ok(outcome::of(&listed, text.trim_end().to_owned()).into())
        })
    },
};
