//! `plugins show`: everything that one plugin brings, on or off, without running any of it.

use std::fs;
use std::path::Path;

use guild_catalog::{PluginEntry, near};
use guild_manifest::skill::{self, Profile, Source};

use crate::events::declared_events;
use crate::hall::Hall;
use crate::plugins::summary;
use crate::reply::{PluginAgent, PluginDetail, PluginShow};
use crate::{Code, Envelope};

/// A longer file is no agent's.
const LARGEST: u64 = 256 << 10;
/// A plugin has no more agents than this.
const MOST_AGENTS: usize = 256;

/// One plugin by name, those included that lack a variable.
pub fn plugin_show<'h>(hall: &'h Hall, name: &str) -> Envelope<PluginShow<'h>> {
    let all = || hall.snapshot.plugins.iter().chain(&hall.snapshot.lacking);
    let Some(entry) = all().find(|entry| entry.plugin.name == name) else {
        let candidates = near(name, all().map(|entry| entry.plugin.name.clone()));
        let message = match candidates.as_slice() {
            [] => format!("plugin `{name}` not found; `guild plugins` shows every plugin"),
            near => format!("plugin `{name}` not found; did you mean `{}`?", near.join("`, `")),
        };
        let reply = PluginShow { candidates, ..PluginShow::default() };
        return Envelope::error(Code::PluginNotFound, message, reply);
    };
    Envelope::ok(PluginShow { found: true, plugin: Some(detail(hall, entry)), candidates: Vec::new() })
}

fn detail<'h>(hall: &'h Hall, entry: &'h PluginEntry) -> PluginDetail<'h> {
    let plugin = &entry.plugin;
    let is_own = |place: &guild_catalog::Place| place.plugin.as_deref() == Some(plugin.name.as_str());
    let skills = hall.snapshot.skills.iter().filter(|skill| is_own(&skill.place));
    let is_missing =
        |name: &&str| hall.machine.variable(name).is_none() && !hall.machine.credentials.contains(*name);
    PluginDetail {
        summary: summary(entry),
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

/// The agents of a plugin: the files that it names, and those in the directories that it names. One that leads out of the plugin,
/// or does not load, is none.
pub(crate) fn agents(entry: &PluginEntry) -> Vec<PluginAgent> {
    let mut found = Vec::new();
    for place in &entry.plugin.agents {
        let path = entry.directory.join(place);
        if !path.is_dir() {
            found.extend(agent(&entry.directory, place));
            continue;
        }
        let names = fs::read_dir(&path).into_iter().flatten().flatten();
        let mut names: Vec<String> = names.filter_map(|name| name.file_name().into_string().ok()).collect();
        names.sort();
        names.truncate(MOST_AGENTS);
        found.extend(names.iter().filter_map(|name| agent(&entry.directory, &format!("{place}/{name}"))));
    }
    found
}

fn agent(directory: &Path, path: &str) -> Option<PluginAgent> {
    let stem = path.rsplit('/').next()?.strip_suffix(".md")?;
    let (root, file) = (directory.canonicalize().ok()?, directory.join(path).canonicalize().ok()?);
    let is_inside = file.starts_with(&root) && file.is_file();
    if !is_inside || file.metadata().ok()?.len() > LARGEST {
        return None;
    }
    let bytes = fs::read(file).ok()?;
    let reading = skill::read(&Source::new(path, stem, &bytes), Profile::Lenient);
    let (skill, hints) = (reading.skill?, reading.hints.unwrap_or_default());
    Some(PluginAgent {
        name: skill.name,
        description: skill.description,
        model: hints.model,
        tools: hints.allowed_tools,
        path: path.to_owned(),
    })
}
