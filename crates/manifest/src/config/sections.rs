//! The tables of a configuration file, one function each.
//!
//! It reads what one file says; which file counts is `merge`'s to decide.

use super::keys;
use super::reader::{Reader, join};
use super::{
    AgentSettings, Hook, LimitSettings, Placed, PluginEntry, PromptFormat, PromptSettings, Section, Settings,
    SkillSettings, agents, sandbox,
};
use crate::Code;
use crate::tree::{Data, Entry, Node};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

const FILE_BYTES: RangeInclusive<u64> = 1_024..=64 * 1_024 * 1_024;
const DEPTH: RangeInclusive<u64> = 1..=32;
const ENTRIES: RangeInclusive<u64> = 1..=100_000_000;
const BUDGET: RangeInclusive<u64> = 1..=100_000_000;
const TIMEOUT_MS: RangeInclusive<u64> = 1..=3_600_000;

/// Reads the whole file.
pub(super) fn read(reader: &mut Reader<'_>, root: &Node) -> Settings {
    let mut settings = Settings::empty(reader.file());
    for (key, entry) in reader.known("", root, keys::TOP) {
        let node = &entry.value;
        match key {
            "skills" => read_skills(reader, node, &mut settings),
            "plugins" => read_plugins(reader, node, &mut settings),
            "agents" => settings.agents = read_agents(reader, node),
            "builtins" => settings.builtins = reader.boolean(key, node),
            "limits" => settings.limits = read_limits(reader, node),
            "prompt" => settings.prompt = read_prompt(reader, node),
            "sandbox" => settings.sandbox = sandbox::read(reader, node),
            "config" => settings.data = reader.free(key, node),
            _ => settings.sections.extend(read_section(reader, key, node)),
        }
    }
    settings
}

fn read_skills(reader: &mut Reader<'_>, node: &Node, settings: &mut Settings) {
    let mut disabled = None;
    for (key, entry) in reader.known("skills", node, keys::SKILLS) {
        let (label, node) = (join("skills", key), &entry.value);
        match key {
            "paths" => settings.skill_paths = reader.paths(&label, node),
            "extra_paths" => settings.extra_skill_paths = reader.paths(&label, node),
            "disabled" => disabled = reader.words(&label, node),
            _ => settings.skills = read_entries(reader, &label, node),
        }
    }
    // Off means off: the list holds against an entry of the same file that says otherwise.
    if let Some(Placed { value: names, at }) = disabled {
        for name in names {
            let skill = settings.skills.entry(agents::skill_name(&name).into_owned()).or_default();
            skill.enabled = Some(Placed { value: false, at });
        }
    }
}

fn read_entries(reader: &mut Reader<'_>, label: &str, node: &Node) -> BTreeMap<String, SkillSettings> {
    let mut skills = BTreeMap::new();
    for entry in reader.entries(label, node) {
        let label = join(label, &entry.key);
        let name = agents::skill_name(entry.key.trim()).into_owned();
        // Two spellings of one name add up.
        let skill: &mut SkillSettings = skills.entry(name).or_default();
        for (key, entry) in reader.known(&label, &entry.value, keys::SKILL) {
            let (label, node) = (join(&label, key), &entry.value);
            match key {
                "enabled" => skill.enabled = reader.boolean(&label, node),
                "inject" => skill.inject = reader.boolean(&label, node).map(|placed| placed.value),
                _ => skill.config = reader.free(&label, node),
            }
        }
    }
    skills
}

fn read_plugins(reader: &mut Reader<'_>, node: &Node, settings: &mut Settings) {
    if node.as_map().is_none() {
        settings.plugins = read_load(reader, "plugins", node);
        return;
    }
    for (key, entry) in reader.known("plugins", node, keys::PLUGINS) {
        let (label, node) = (join("plugins", key), &entry.value);
        match key {
            "load" => settings.plugins = read_load(reader, &label, node),
            "paths" => settings.plugin_paths = reader.paths(&label, node),
            "extra_paths" => settings.extra_plugin_paths = reader.paths(&label, node),
            _ => settings.disabled_plugins = reader.words(&label, node),
        }
    }
}

fn read_load(reader: &mut Reader<'_>, label: &str, node: &Node) -> Vec<PluginEntry> {
    let Some(items) = node.as_list() else {
        reader.wrong(label, node, "a list of paths and tables");
        return Vec::new();
    };
    items.iter().filter_map(|item| read_plugin(reader, label, item)).collect()
}

fn read_plugin(reader: &mut Reader<'_>, label: &str, node: &Node) -> Option<PluginEntry> {
    let mut path = node.as_map().is_none().then_some(node);
    let (mut enabled, mut settings, mut hooks) = (true, Data::Map(Vec::new()), BTreeMap::new());
    if path.is_none() {
        for (key, entry) in reader.known(label, node, keys::PLUGIN) {
            let (label, node) = (join(label, key), &entry.value);
            match key {
                "path" => path = Some(node),
                "enabled" => enabled = reader.boolean(&label, node).is_none_or(|placed| placed.value),
                "settings" => settings = reader.free(&label, node).unwrap_or(settings),
                _ => hooks = read_hooks(reader, &label, node),
            }
        }
    }
    let Some(path) = path else {
        let message = format!("`{label}` has a table without a `path`; it was ignored");
        reader.tell(Code::ConfigValueInvalid, node.at, message, "say where the plugin is: { path = \"…\" }");
        return None;
    };
    Some(PluginEntry { place: reader.path(label, path)?, enabled, settings, hooks })
}

fn read_hooks(reader: &mut Reader<'_>, label: &str, node: &Node) -> BTreeMap<String, Hook> {
    let mut hooks = BTreeMap::new();
    for entry in reader.entries(label, node) {
        let label = join(label, &entry.key);
        let mut hook = Hook::default();
        for (key, entry) in reader.known(&label, &entry.value, keys::HOOK) {
            let (label, node) = (join(&label, key), &entry.value);
            match key {
                "enabled" => hook.enabled = reader.boolean(&label, node).map(|placed| placed.value),
                "priority" => hook.priority = reader.signed(&label, node),
                _ => hook.timeout_ms = reader.number(&label, node, TIMEOUT_MS).map(|placed| placed.value),
            }
        }
        hooks.insert(entry.key.clone(), hook);
    }
    hooks
}

fn read_agents(reader: &mut Reader<'_>, node: &Node) -> BTreeMap<String, AgentSettings> {
    let mut agents = BTreeMap::new();
    for entry in reader.entries("agents", node) {
        agents.insert(entry.key.clone(), read_agent(reader, entry));
    }
    agents
}

/// An agent whose list cannot be read sees nothing: a slip must not open what was meant to be closed.
fn read_agent(reader: &mut Reader<'_>, entry: &Entry) -> AgentSettings {
    let label = join("agents", &entry.key);
    let nothing = |node: &Node| (!node.is_null()).then(|| Placed { value: Vec::new(), at: node.at });
    let mut agent = AgentSettings::default();
    if entry.value.as_map().is_none() {
        agent.skills = nothing(&entry.value);
    }
    for (key, entry) in reader.known(&label, &entry.value, keys::AGENT) {
        let words = reader.words(&join(&label, key), &entry.value).or_else(|| nothing(&entry.value));
        match key {
            "skills" => agent.skills = words.map(agents::skill_names),
            _ => agent.tools = words,
        }
    }
    agent
}

fn read_limits(reader: &mut Reader<'_>, node: &Node) -> LimitSettings {
    let mut limits = LimitSettings::default();
    for (key, entry) in reader.known("limits", node, keys::LIMITS) {
        let (label, node) = (join("limits", key), &entry.value);
        match key {
            "max_file_bytes" => limits.max_file_bytes = reader.number(&label, node, FILE_BYTES),
            "max_depth" => limits.max_depth = reader.number(&label, node, DEPTH),
            _ => limits.max_entries = reader.number(&label, node, ENTRIES),
        }
    }
    limits
}

fn read_prompt(reader: &mut Reader<'_>, node: &Node) -> PromptSettings {
    let mut prompt = PromptSettings::default();
    for (key, entry) in reader.known("prompt", node, keys::PROMPT) {
        let (label, node) = (join("prompt", key), &entry.value);
        match key {
            "budget" => prompt.budget = reader.number(&label, node, BUDGET),
            _ => prompt.format = reader.choice(&label, node, PromptFormat::ALL),
        }
    }
    prompt
}

/// A section of another part: any table, or a list of tables.
fn read_section(reader: &mut Reader<'_>, name: &'static str, node: &Node) -> Option<Section> {
    if node.as_scalar().is_some() {
        reader.wrong(name, node, "a table of keys and values");
        return None;
    }
    Some(Section { name, layer: reader.layer(), data: node.to_data() })
}
