//! The configuration in effect: every default filled in, and the questions that others ask of it.

use super::agents::{Agent, Allowlist, Written, skill_name};
use super::sandbox::Sandbox;
use super::settings::{Place, PluginEntry, PromptFormat, Section, by_digest};
use crate::Problem;
use crate::fold::fold;
use crate::tree::Data;
use serde::Serialize;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// The agent that answers for all that nobody configured.
const DEFAULT_AGENT: &str = "default";

/// All layers as one. Its JSON shows free tables by digest, so that it can be hashed and printed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Config {
    /// Directories of skills of scope `custom`, the strongest layer's first.
    pub skill_paths: Vec<Place>,
    /// Directories of skills of scope `extra`.
    pub extra_skill_paths: Vec<Place>,
    /// What is set for single skills, by name.
    pub skills: BTreeMap<String, SkillEntry>,
    /// Plugins named one by one, the strongest layer's first.
    pub plugins: Vec<PluginEntry>,
    /// Directories of plugins of scope `custom`.
    pub plugin_paths: Vec<Place>,
    /// Directories of plugins of scope `extra`.
    pub extra_plugin_paths: Vec<Place>,
    /// Names of plugins that are off.
    pub disabled_plugins: BTreeSet<String>,
    /// Every name that a file switches off, with its place; what is off by them stands in the fields above.
    #[serde(skip)]
    pub off: Vec<Off>,
    /// The configured agents, `default` always among them.
    pub agents: BTreeMap<String, Agent>,
    /// Whether the built-in skills are there.
    pub builtins: bool,
    /// The limits of discovery.
    pub limits: Limits,
    /// How prompt catalogs are made.
    pub prompt: Prompt,
    /// How containers are made.
    pub sandbox: Sandbox,
    /// The free table that skills ask.
    #[serde(serialize_with = "by_digest")]
    pub data: Data,
    /// The sections of other parts, the weakest layer's first.
    pub sections: Vec<Section>,
    /// Where a project's file wanted more than the others allow.
    #[serde(skip)]
    pub problems: Vec<Problem>,
}

/// A name that a file switches off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Off {
    /// The name, with a slash behind a plugin's part.
    pub name: String,
    /// Whether a plugin is meant, and not a skill.
    pub is_plugin: bool,
    /// Where it is written.
    pub written: Written,
}

/// What is set for one skill.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SkillEntry {
    /// Whether it is on.
    pub enabled: bool,
    /// Whether its body goes whole into the prompt.
    pub inject: bool,
    /// Its free table.
    #[serde(serialize_with = "by_digest")]
    pub config: Data,
}

/// The limits of discovery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Limits {
    /// The largest file that is read, in bytes.
    pub max_file_bytes: u64,
    /// How deep a root is searched.
    pub max_depth: u64,
    /// How many directory entries of a root are looked at.
    pub max_entries: u64,
}

/// How prompt catalogs are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Prompt {
    /// Characters of a catalog.
    pub budget: u64,
    /// The form of a catalog.
    pub format: PromptFormat,
}

impl Config {
    /// The skills that an agent sees. An agent that nobody configured is `default`.
    pub fn allowlist(&self, agent: &str) -> Allowlist {
        self.agent(agent).map_or(Allowlist::Everything, |agent| agent.skills.clone())
    }

    /// The tools that an agent has, where somebody said.
    pub fn tools(&self, agent: &str) -> Option<&[String]> {
        self.agent(agent)?.tools.as_deref()
    }

    /// Whether a skill is on, under each of its names.
    pub fn is_enabled(&self, skill_names: &[&str]) -> bool {
        !self.entries(skill_names).any(|skill| !skill.enabled)
    }

    /// Whether a person asked for a skill's body whole in the prompt, under any of its names.
    pub fn is_injected(&self, skill_names: &[&str]) -> bool {
        self.entries(skill_names).any(|skill| skill.inject)
    }

    /// Whether a plugin is not switched off by name.
    pub fn is_plugin_enabled(&self, name: &str) -> bool {
        !self.disabled_plugins.contains(name)
    }

    /// Whether a dotted path leads to a value that counts as yes: not null, false, zero or empty.
    pub fn truthy(&self, path: &str) -> bool {
        self.lookup(path).is_some_and(|value| is_truthy(&value))
    }

    /// The value at a dotted path of the free table, or at `skills.entries.<name>.…` of a skill's settings.
    pub fn lookup(&self, path: &str) -> Option<Cow<'_, Data>> {
        self.lookup_skill(path).or_else(|| descend(&self.data, path).map(Cow::Borrowed))
    }

    /// What holds for an agent: its own settings, or those of `default`.
    pub(super) fn agent(&self, id: &str) -> Option<&Agent> {
        self.agents.get(id).or_else(|| self.agents.get(DEFAULT_AGENT))
    }

    fn entries<'a>(&'a self, names: &'a [&str]) -> impl Iterator<Item = &'a SkillEntry> {
        names.iter().filter_map(|name| self.skills.get(&*skill_name(name)))
    }

    fn lookup_skill(&self, path: &str) -> Option<Cow<'_, Data>> {
        let rest = path.strip_prefix("skills.entries.")?;
        self.skills.iter().find_map(|(name, skill)| {
            match rest.strip_prefix(name.as_str())?.strip_prefix('.')? {
                "enabled" => Some(Cow::Owned(Data::Bool(skill.enabled))),
                "inject" => Some(Cow::Owned(Data::Bool(skill.inject))),
                "config" => Some(Cow::Borrowed(&skill.config)),
                key => descend(&skill.config, key.strip_prefix("config.")?).map(Cow::Borrowed),
            }
        })
    }
}

impl Default for Config {
    /// What holds where nobody configured anything.
    fn default() -> Self {
        let anyone = Agent { skills: Allowlist::Everything, tools: None, written: None };
        Self {
            skill_paths: Vec::new(),
            extra_skill_paths: Vec::new(),
            skills: BTreeMap::new(),
            plugins: Vec::new(),
            plugin_paths: Vec::new(),
            extra_plugin_paths: Vec::new(),
            disabled_plugins: BTreeSet::new(),
            off: Vec::new(),
            agents: BTreeMap::from([(DEFAULT_AGENT.to_owned(), anyone)]),
            builtins: true,
            limits: Limits::default(),
            prompt: Prompt::default(),
            sandbox: Sandbox::default(),
            data: Data::Map(Vec::new()),
            sections: Vec::new(),
            problems: Vec::new(),
        }
    }
}

impl Default for SkillEntry {
    fn default() -> Self {
        Self { enabled: true, inject: false, config: Data::Map(Vec::new()) }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_file_bytes: 256 * 1024, max_depth: 6, max_entries: 1_000_000 }
    }
}

impl Default for Prompt {
    fn default() -> Self {
        Self { budget: 8_000, format: PromptFormat::Xml }
    }
}

/// The value at a dotted path; each step by its exact spelling, else by the folded one.
fn descend<'a>(data: &'a Data, path: &str) -> Option<&'a Data> {
    path.split('.').try_fold(data, |data, step| {
        let Data::Map(pairs) = data else { return None };
        let folded = || pairs.iter().find(|(key, _)| fold(key) == fold(step)).map(|(_, value)| value);
        data.get(step).or_else(folded)
    })
}

fn is_truthy(data: &Data) -> bool {
    match data {
        Data::Null => false,
        Data::Bool(value) => *value,
        Data::Int(value) => *value != 0,
        Data::Float(value) => *value != 0.0,
        Data::Text(value) => !value.is_empty(),
        Data::List(items) => !items.is_empty(),
        Data::Map(pairs) => !pairs.is_empty(),
    }
}
