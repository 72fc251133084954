//! `plugins`: every plugin, with how many skills it ships.
//!
//! What a plugin ships besides skills is not told here.

use crate::Envelope;
use crate::events::{read_file, written};
use crate::hall::Hall;
use crate::install::of_plugin;
use crate::registry::{plugins as all_plugins, waits};
use crate::reply::{PluginPreview, PluginSummary, Plugins, ProblemLine};
use guild_catalog::PluginEntry;
use guild_manifest::{Code, Problem};

/// Lists the plugins.
pub fn plugins(hall: &Hall) -> Envelope<Plugins<'_>> {
    let plugins: Vec<PluginSummary<'_>> =
        hall.snapshot.plugins.iter().map(|entry| summary(hall, entry)).collect();
    let problems =
        hall.snapshot.problems.iter().filter(|problem| is_of_plugins(problem)).map(ProblemLine::of);
    Envelope::ok(Plugins { count: plugins.len(), plugins, problems: problems.collect() })
}

/// What a plugin that is here brings, and in what state it is; nothing where there is none of that name.
pub fn plugin_preview<'h>(hall: &'h Hall, name: &str) -> Option<(PluginPreview, PluginSummary<'h>)> {
    let entry = all_plugins(hall).find(|entry| entry.plugin.name == name)?;
    let own = hall.snapshot.skills.iter().filter(|skill| skill.place.plugin.as_deref() == Some(name));
    let skills = own.map(|skill| skill.skill.name.clone()).collect();
    let hooks = written(&entry.plugin.hooks, &|path| read_file(&entry.directory.join(path)));
    Some((of_plugin(name, skills, hooks, entry.plugin.clone()), summary(hall, entry)))
}

/// One of them in a line.
pub(crate) fn summary<'h>(hall: &Hall, entry: &'h PluginEntry) -> PluginSummary<'h> {
    let plugin = &entry.plugin;
    PluginSummary {
        name: &plugin.name,
        version: plugin.version.as_deref(),
        description: plugin.description.as_deref().unwrap_or_default(),
        author: plugin.author.as_ref().and_then(|author| author.name.as_deref()),
        scope: entry.scope.as_str(),
        path: entry.directory.to_string_lossy().into_owned(),
        dialect: plugin.dialect.as_str(),
        skill_count: entry.skill_count,
        enabled: entry.enabled,
        waits: waits(hall, entry),
        off: entry.switched.off.as_deref(),
        failed: entry.switched.failed,
        off_for: entry.switched.off_for.iter().map(String::as_str).collect(),
    }
}

fn is_of_plugins(problem: &Problem) -> bool {
    let about = [Code::ServerInvalid, Code::HooksInvalid, Code::HookEventUnknown];
    problem.code.as_str().starts_with("plugin_") || about.contains(&problem.code)
}
