//! What a plugin brings, shown before somebody switches it on.

use super::manifest::manifest;
use crate::events::written;
use crate::reply::{InstalledChange, PluginPreview};
use guild_manifest::plugin::{Lifecycle, Plugin};
use guild_source::lock::{Entry, Kind, Lock};
use guild_source::store::Store;

/// The previews of the plugins that have come and are off.
pub fn previews(store: &Store, lock: &Lock, changes: &[InstalledChange]) -> Vec<PluginPreview> {
    let is_off = |change: &&InstalledChange| {
        change.kind == Kind::Plugin.word()
            && change.change == "installed"
            && change.status.is_some_and(|status| status != "enabled")
    };
    let entry = |change: &InstalledChange| lock.get(Kind::Plugin, &change.name);
    let found = changes.iter().filter(is_off).filter_map(entry);
    found.map(|entry| preview(store, entry)).collect()
}

/// What is to be done about plugins that are off, behind a sentence; nothing where there are none.
pub fn waiting(previews: &[PluginPreview]) -> String {
    let command = |preview: &PluginPreview| format!("`guild enable {}`", preview.name);
    match previews {
        [] => String::new(),
        [one] => format!("; plugin `{}` is off until you have looked at it: {}", one.name, command(one)),
        several => {
            let commands: Vec<String> = several.iter().map(command).collect();
            format!(
                "; {} plugins are off until you have looked at them: {}",
                several.len(),
                commands.join(", ")
            )
        }
    }
}

fn preview(store: &Store, entry: &Entry) -> PluginPreview {
    let read = |path: &str| store.get(&entry.tree.file(path)?.digest).ok();
    match manifest(store, entry) {
        Some(plugin) => {
            let hooks = written(&plugin.hooks, &read);
            of_plugin(&entry.name, skills(entry), hooks, plugin)
        }
        None => PluginPreview { name: entry.name.clone(), skills: skills(entry), ..PluginPreview::default() },
    }
}

/// What a plugin with these skills and hooks brings.
pub fn of_plugin(name: &str, skills: Vec<String>, hooks: Vec<String>, plugin: Plugin) -> PluginPreview {
    let mut preview = PluginPreview { name: name.to_owned(), skills, ..PluginPreview::default() };
    preview.hooks = moments(&plugin).chain(hooks).collect();
    preview.version = plugin.version;
    preview.description = plugin.description.unwrap_or_default();
    preview.author = plugin.author.and_then(|author| author.name);
    preview.tools = plugin.tools.into_iter().map(|tool| tool.name).collect();
    preview.servers = plugin.mcp_servers.into_iter().map(|server| server.name).collect();
    preview.prompt_sections = plugin.prompt_sections.into_iter().map(|section| section.heading).collect();
    preview.commands = plugin.commands;
    preview.agents = plugin.agents;
    preview.required_env = plugin.required_env;
    preview.dependencies = plugin.dependencies.into_iter().map(|needed| needed.name).collect();
    preview
}

/// The skills that a plugin ships, by the names of their directories.
fn skills(entry: &Entry) -> Vec<String> {
    let directory = |path: &str| {
        let (directory, file) = path.rsplit_once('/').unwrap_or((entry.name.as_str(), path));
        let name = directory.rsplit('/').next().unwrap_or(directory);
        file.eq_ignore_ascii_case("SKILL.md").then(|| name.to_owned())
    };
    entry.tree.files().iter().filter_map(|file| directory(&file.path)).collect()
}

/// What runs when it is switched.
fn moments(plugin: &Plugin) -> impl Iterator<Item = String> {
    let is_declared = |moment: &Lifecycle| !matches!(plugin.lifecycle(*moment), Ok(None));
    let moments = [Lifecycle::Enable, Lifecycle::Disable].into_iter().filter(is_declared);
    moments.map(|moment| moment.as_str().to_owned()).collect::<Vec<_>>().into_iter()
}
