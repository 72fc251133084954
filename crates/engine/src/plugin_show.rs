//! `plugins show`: everything that one plugin brings, on or off, without running any of it.

use std::fs;

use guild_catalog::{PluginEntry, agent_files};
use guild_manifest::skill::{self, Form, Profile, Source};

use crate::Envelope;
use crate::events::declared_events;
use crate::hall::Hall;
use crate::plugins::summary;
use crate::registry::{no_plugin, plugins};
use crate::reply::{PluginAgent, PluginDetail, PluginShow};
use crate::resolve::Unresolved;

/// A longer file is no agent's.
const LARGEST: u64 = 256 << 10;

/// One plugin by name, those included that lack a variable.
pub fn plugin_show<'h>(hall: &'h Hall, name: &str) -> Envelope<PluginShow<'h>> {
    let Some(entry) = plugins(hall).find(|entry| entry.plugin.name == name) else {
        let Unresolved { code, message, candidates } = no_plugin(hall, name);
        return Envelope::error(code, message, PluginShow { candidates, ..PluginShow::default() });
    };
    Envelope::ok(PluginShow { found: true, plugin: Some(detail(hall, entry)), candidates: Vec::new() })
}

fn detail<'h>(hall: &'h Hall, entry: &'h PluginEntry) -> PluginDetail<'h> {
    let plugin = &entry.plugin;
    let is_own = |place: &guild_catalog::Place| {
        place.form == Form::Skill && place.plugin.as_deref() == Some(plugin.name.as_str())
    };
    let skills = hall.snapshot.skills.iter().filter(|skill| is_own(&skill.place));
    let is_missing =
        |name: &&str| hall.machine.variable(name).is_none() && !hall.machine.credentials.contains(*name);
    PluginDetail {
        summary: summary(hall, entry),
        skills: skills.map(|skill| skill.qualified_name().into_owned()).collect(),
        tools: plugin.tools.iter().map(|tool| format!("plugin:{}/{}", plugin.name, tool.name)).collect(),
        tools_module: plugin.tools_module.as_deref(),
        servers: plugin.mcp_servers.iter().map(|server| server.name.as_str()).collect(),
        agents: agents(entry),
        commands: &plugin.commands,
        hooks: declared_events(plugin),
        prompt_sections: plugin.prompt_sections.iter().map(|section| section.heading.as_str()).collect(),
        components: plugin.components.iter().map(|component| component.kind.as_str()).collect(),
        query_types: plugin.query_types.iter().map(|query| query.name.as_str()).collect(),
        action_handlers: plugin.action_handlers.iter().map(|handler| handler.action.as_str()).collect(),
        required_env: &plugin.required_env,
        optional_env: &plugin.optional_env,
        missing_env: plugin.required_env.iter().map(String::as_str).filter(is_missing).collect(),
        dependencies: plugin.dependencies.iter().map(|needed| needed.name.as_str()).collect(),
    }
}

/// The agents of a plugin. One that does not load is none.
pub(crate) fn agents(entry: &PluginEntry) -> Vec<PluginAgent> {
    agent_files(entry).into_iter().filter_map(|path| agent(entry, path)).collect()
}

fn agent(entry: &PluginEntry, path: String) -> Option<PluginAgent> {
    let file = entry.directory.join(&path);
    if file.metadata().ok()?.len() > LARGEST {
        return None;
    }
    let stem = file.file_stem()?.to_string_lossy().into_owned();
    let bytes = fs::read(&file).ok()?;
    let source = Source { form: Form::Agent, ..Source::new(&path, &stem, &bytes) };
    let reading = skill::read(&source, Profile::Lenient);
    let (skill, hints) = (reading.skill?, reading.hints.unwrap_or_default());
    Some(PluginAgent {
        qualified_name: format!("{}/{}", entry.plugin.name, skill.name),
        name: skill.name,
        description: skill.description,
        model: hints.model,
        tools: hints.allowed_tools,
        path,
    })
}
