//! The merged view: what the plugins that a person has switched on bring, all together.
//!
//! A plugin that nobody has switched on contributes nothing, even where discovery finds it on by default: its texts and tools are a
//! stranger's. What the vet denies contributes nothing either. A tool's name belongs to one plugin; two that claim it are an error.

use guild_catalog::{Entry, PluginEntry, Scope};
use guild_manifest::plugin::SchemaSource;
use guild_vet::Verdict;
use serde_json::Value;

use super::claims::Claims;
use crate::agent::skills_of;
use crate::hall::Hall;
use crate::instructions::instructions;
use crate::reply::{
    MergedAction, MergedComponent, MergedPlugin, MergedQuery, MergedSection, MergedTool, Registry,
};
use crate::vet::{Gate, Plugin, Subject};
use crate::{Code, Envelope, Refusal};

/// The priority of a skill's text among prompt sections.
pub const SKILL_PRIORITY: i64 = 80;

/// What is merged, for everybody or for one agent.
pub fn registry(hall: &Hall, agent: Option<&str>) -> Envelope<Registry> {
    match merge(hall, agent) {
        Ok(registry) => Envelope::ok(registry),
        Err(refusal) => refusal.into_envelope(),
    }
}

/// Merges what is on.
///
/// # Errors
/// Where two claim one tool's name, or where nobody can tell what is on.
pub fn merge(hall: &Hall, agent: Option<&str>) -> Result<Registry, Refusal> {
    let merged = gather(hall, agent)?;
    let mut claims = Claims::default();
    for tool in &merged.tools {
        claims.claim(&tool.name, &tool.plugin)?;
    }
    Ok(merged)
}

/// What is on all together, whoever claims whose name: for callers to whom one plugin's tools are no other's matter.
///
/// # Errors
/// Where nobody can tell what is on.
pub(crate) fn gather(hall: &Hall, agent: Option<&str>) -> Result<Registry, Refusal> {
    if let Some(why) = &hall.unread_registry {
        return Err(Refusal::new(Code::LedgerUnavailable, why.clone()));
    }
    let mut gate = Gate::open(hall);
    let mut merged = Registry::default();
    for entry in hall.snapshot.plugins.iter().filter(|entry| counts(hall, entry, agent)) {
        if is_denied(&mut gate, entry) {
            merged.denied.push(entry.plugin.name.clone());
            continue;
        }
        merged.plugins.push(MergedPlugin {
            name: entry.plugin.name.clone(),
            version: entry.plugin.version.clone(),
            path: entry.directory.to_string_lossy().into_owned(),
        });
        merged.take(entry);
    }
    merged.prompt_sections.extend(skill_sections(hall, &mut gate, agent));
    gate.close();
    merged.prompt_sections.sort_by_key(|section| section.priority);
    Ok(merged)
}

/// The prompt sections of the plugins that count for an agent, as they come.
pub(crate) fn plugin_sections(hall: &Hall, gate: &mut Gate, agent: &str) -> Vec<MergedSection> {
    let mut merged = Registry::default();
    for entry in hall.snapshot.plugins.iter().filter(|entry| counts(hall, entry, Some(agent))) {
        if !entry.plugin.prompt_sections.is_empty() && !is_denied(gate, entry) {
            merged.take(entry);
        }
    }
    merged.prompt_sections
}

/// The plugin of this name, if a person has switched it on.
///
/// # Errors
/// Where the vet denies it, or where nobody can tell what is on.
pub(crate) fn plugin_that_counts<'h>(hall: &'h Hall, name: &str) -> Result<Option<&'h PluginEntry>, Refusal> {
    if let Some(why) = &hall.unread_registry {
        return Err(Refusal::new(Code::LedgerUnavailable, why.clone()));
    }
    let Some(entry) = plugin_that_is_on(hall, name) else { return Ok(None) };
    let mut gate = Gate::open(hall);
    let denied = is_denied(&mut gate, entry);
    gate.close();
    if denied {
        let message = format!("the vet denies plugin `{name}`; `guild vet` on its directory says why");
        return Err(Refusal::new(Code::SecurityPreflightDenied, message));
    }
    Ok(Some(entry))
}

/// The plugins that a person has switched on, whatever the vet says of them.
pub(crate) fn plugins_that_are_on(hall: &Hall) -> impl Iterator<Item = &PluginEntry> {
    hall.snapshot.plugins.iter().filter(|entry| counts(hall, entry, None))
}

/// One of them by name, whose vet somebody has seen already.
pub(crate) fn plugin_that_is_on<'h>(hall: &'h Hall, name: &str) -> Option<&'h PluginEntry> {
    plugins_that_are_on(hall).find(|entry| entry.plugin.name == name)
}

/// Whether it brings more than skills, and none of that is there yet, because nobody has switched it on.
pub(crate) fn waits(hall: &Hall, entry: &PluginEntry) -> bool {
    let plugin = &entry.plugin;
    let brings_more = plugin.brings_code()
        || !plugin.prompt_sections.is_empty()
        || !plugin.components.is_empty()
        || !plugin.query_types.is_empty()
        || !plugin.action_handlers.is_empty();
    entry.enabled && brings_more && !counts(hall, entry, None)
}

/// Whether a person has switched it on, and it is on for this agent.
fn counts(hall: &Hall, entry: &PluginEntry, agent: Option<&str>) -> bool {
    let by_person = hall.machine.switches.at(&entry.key());
    let is_off_for = |agent: &str| entry.switched.off_for.contains(agent);
    entry.enabled && by_person.is_some_and(|switched| switched.by_person) && !agent.is_some_and(is_off_for)
}

fn is_denied(gate: &mut Gate, entry: &PluginEntry) -> bool {
    if entry.scope == Scope::Builtin {
        return false;
    }
    let manifest = entry.plugin.dialect.manifest().unwrap_or("SKILL.md");
    let (name, root) = (entry.plugin.name.clone(), entry.directory.clone());
    let subject = Subject::of_path(&root.join(manifest), name.clone()).within(Some(Plugin { name, root }));
    gate.vet(&subject).verdict == Verdict::Deny.as_str()
}

/// The skills whose text a person wants in every prompt.
fn skill_sections(hall: &Hall, gate: &mut Gate, agent: Option<&str>) -> Vec<MergedSection> {
    let usable: Vec<&Entry> = match agent {
        Some(agent) => skills_of(hall, agent),
        None => hall.snapshot.skills.iter().filter(|entry| entry.is_offered()).collect(),
    };
    let injected = |entry: &&Entry| {
        let names = entry.names();
        hall.config.is_injected(&names.iter().map(AsRef::as_ref).collect::<Vec<_>>())
    };
    let (admitted, _) = gate.admit(hall, usable.into_iter().filter(injected).collect());
    let section = |entry: &Entry| {
        let text = instructions(hall, entry).ok()?.text;
        Some(MergedSection {
            heading: entry.skill.title.as_ref().unwrap_or(&entry.skill.name).clone(),
            content: text.trim().to_owned(),
            priority: SKILL_PRIORITY,
            plugin: None,
            skill: Some(entry.qualified_name().into_owned()),
        })
    };
    admitted.into_iter().filter_map(section).collect()
}

impl Registry {
    /// Takes in what one plugin brings.
    fn take(&mut self, entry: &PluginEntry) {
        let plugin = &entry.plugin;
        let name = || plugin.name.clone();
        self.tools.extend(plugin.tools.iter().map(|tool| MergedTool {
            name: tool.name.clone(),
            qualified_name: format!("plugin:{}/{}", plugin.name, tool.name),
            plugin: name(),
            description: tool.description.clone(),
            read_only: tool.read_only,
            input_schema: tool.input_schema.as_ref().map(schema),
            output_schema: tool.output_schema.as_ref().map(schema),
        }));
        self.prompt_sections.extend(plugin.prompt_sections.iter().map(|section| MergedSection {
            heading: section.heading.clone(),
            content: section.content.clone(),
            priority: section.priority,
            plugin: Some(name()),
            skill: None,
        }));
        self.components.extend(plugin.components.iter().map(|component| MergedComponent {
            kind: component.kind.clone(),
            description: component.description.clone(),
            props: component.props.to_json(),
            plugin: name(),
        }));
        let tool = |tool: &str| {
            if tool.contains(':') { tool.to_owned() } else { format!("plugin:{}/{tool}", plugin.name) }
        };
        self.query_types.extend(plugin.query_types.iter().map(|query| MergedQuery {
            name: query.name.clone(),
            description: query.description.clone(),
            tool: tool(&query.tool),
            plugin: name(),
        }));
        self.action_handlers.extend(plugin.action_handlers.iter().map(|handler| MergedAction {
            action: handler.action.clone(),
            description: handler.description.clone(),
            tool: tool(&handler.tool),
            plugin: name(),
        }));
    }
}

/// A schema, or the path of the file that holds it.
fn schema(source: &SchemaSource) -> Value {
    match source {
        SchemaSource::Inline(data) => data.to_json(),
        SchemaSource::File(path) => Value::from(path.as_str()),
    }
}
