//! Several files to one configuration: owners' files override each other, a project's only narrows.
//!
//! A project's settings that a reader would have refused have no way in here either.

use super::agents::{Agent, Allowlist, Written, intersect};
use super::reader::{join, shorten, untrusted};
use super::settings::{AgentSettings, Placed, SkillSettings};
use super::{Config, Layer, Off, Settings, sandbox};
use crate::tree::Data;
use crate::{Pos, Problem};

/// How many refused names a message repeats.
const SHOWN: usize = 3;

/// One configuration out of all layers, in any order; total, with every default filled in.
pub fn merge(mut layers: Vec<(Layer, Settings)>) -> Config {
    layers.sort_by_key(|(layer, _)| *layer);
    let mut config = Config::default();
    // Whoever has a table begins with nothing. What `default` is without one holds only where no file has one.
    let unconfigured = std::mem::take(&mut config.agents);
    for (layer, mut settings) in layers {
        add_lists(&mut config, layer, &mut settings);
        match layer {
            Layer::System | Layer::User => replace(&mut config, settings),
            Layer::Project => Narrowing { settings, config: &mut config, problems: Vec::new() }.apply(),
        }
    }
    for (id, agent) in unconfigured {
        config.agents.entry(id).or_insert(agent);
    }
    config
}

/// What grows in every layer. A nearer layer's directories come first.
fn add_lists(config: &mut Config, layer: Layer, settings: &mut Settings) {
    let take = |into: &mut Vec<_>, from: &mut Vec<super::Place>| {
        into.splice(0..0, from.drain(..).filter(|place| place.layer == layer));
    };
    take(&mut config.skill_paths, &mut settings.skill_paths);
    take(&mut config.extra_skill_paths, &mut settings.extra_skill_paths);
    take(&mut config.plugin_paths, &mut settings.plugin_paths);
    take(&mut config.extra_plugin_paths, &mut settings.extra_plugin_paths);
    let plugins = settings.plugins.drain(..).filter(|plugin| plugin.place.layer == layer);
    config.plugins.splice(0..0, plugins);
    config.off.extend(off(settings));
    config
        .disabled_plugins
        .extend(settings.disabled_plugins.take().map(|placed| placed.value).unwrap_or_default());
}

/// Every name that a file switches off.
fn off(settings: &Settings) -> Vec<Off> {
    let written = |at: Pos| Written { file: settings.file.clone(), at };
    let skills = settings.skills.iter().filter_map(|(name, skill)| match &skill.enabled {
        Some(Placed { value: false, at }) => {
            Some(Off { name: name.clone(), is_plugin: false, written: written(*at) })
        }
        _ => None,
    });
    let plugins = settings.disabled_plugins.iter();
    let plugins = plugins.flat_map(|placed| placed.value.iter().map(move |name| (name, placed.at)));
    let plugins = plugins.map(|(name, at)| Off { name: name.clone(), is_plugin: true, written: written(at) });
    skills.chain(plugins).collect()
}

fn replace(config: &mut Config, settings: Settings) {
    for (name, skill) in settings.skills {
        let known = config.skills.entry(name).or_default();
        set(&mut known.enabled, skill.enabled.map(|placed| placed.value));
        set(&mut known.inject, skill.inject);
        overlay(&mut known.config, skill.config);
    }
    for (id, agent) in settings.agents {
        let known = config.agents.entry(id).or_insert_with(configured);
        if let Some(Placed { value, at }) = agent.skills {
            known.skills = Allowlist::of(value);
            known.written = Some(Written { file: settings.file.clone(), at });
        }
        known.tools = agent.tools.map(|placed| placed.value).or(known.tools.take());
    }
    set(&mut config.builtins, settings.builtins.map(|placed| placed.value));
    set(&mut config.limits.max_file_bytes, settings.limits.max_file_bytes.map(|placed| placed.value));
    set(&mut config.limits.max_depth, settings.limits.max_depth.map(|placed| placed.value));
    set(&mut config.limits.max_entries, settings.limits.max_entries.map(|placed| placed.value));
    set(&mut config.prompt.budget, settings.prompt.budget.map(|placed| placed.value));
    set(&mut config.prompt.format, settings.prompt.format);
    sandbox::replace(&mut config.sandbox, settings.sandbox);
    overlay(&mut config.data, settings.data);
    config.sections.extend(settings.sections);
}

/// A project's file on its way into a configuration.
struct Narrowing<'a> {
    config: &'a mut Config,
    settings: Settings,
    problems: Vec<Problem>,
}

impl Narrowing<'_> {
    fn apply(mut self) {
        let agents = std::mem::take(&mut self.settings.agents);
        // Every agent is narrowed from what held before this file, so that the order of its tables means nothing.
        let agents: Vec<(String, Agent)> =
            agents.into_iter().map(|(id, agent)| (id.clone(), self.agent(&id, agent))).collect();
        self.config.agents.extend(agents);
        for (name, skill) in std::mem::take(&mut self.settings.skills) {
            self.skill(name, &skill);
        }
        self.builtins();
        self.limits();
        self.problems.extend(sandbox::narrow(&mut self.config.sandbox, &self.settings.sandbox));
        self.problems.sort_by_key(|problem| problem.at);
        let file = &self.settings.file;
        self.config.problems.extend(self.problems.into_iter().map(|problem| problem.in_file(file)));
    }

    fn agent(&mut self, id: &str, asked: AgentSettings) -> Agent {
        let label = join("agents", id);
        let held = self.config.agents.get(id).cloned();
        let (skills, written) = match (asked.skills, held) {
            (Some(asked), _) => self.skills(&format!("{label}.skills"), id, asked),
            (None, Some(held)) => (held.skills, held.written),
            (None, None) => (configured().skills, None),
        };
        let tools = self.config.tools(id).map(<[String]>::to_vec);
        let tools = match asked.tools {
            Some(asked) => self.tools(&format!("{label}.tools"), tools, &asked),
            None => tools,
        };
        Agent { skills, tools, written }
    }

    /// The narrowed list, and where its names are written: in the owner's file, unless that allows everything.
    fn skills(&mut self, label: &str, id: &str, asked: Placed<Vec<String>>) -> (Allowlist, Option<Written>) {
        let here = || Written { file: self.settings.file.clone(), at: asked.at };
        let written = match self.config.agent(id) {
            Some(Agent { skills: Allowlist::Only(_), written: Some(written), .. }) => written.clone(),
            _ => here(),
        };
        let (skills, refused) = self.config.allowlist(id).narrowed(Allowlist::of(asked.value));
        self.refuse(label, asked.at, &refused);
        (skills, Some(written))
    }

    /// Where nobody said which tools an agent has, a list of some would be a grant; only the empty one narrows.
    fn tools(
        &mut self,
        label: &str,
        held: Option<Vec<String>>,
        asked: &Placed<Vec<String>>,
    ) -> Option<Vec<String>> {
        let allowed = held.as_deref().unwrap_or_default();
        let (kept, refused) = intersect(allowed, &asked.value, |one, other| one == other);
        self.refuse(label, asked.at, &refused);
        (held.is_some() || asked.value.is_empty()).then_some(kept)
    }

    fn skill(&mut self, name: String, asked: &SkillSettings) {
        let Some(Placed { value: enabled, at }) = asked.enabled else { return };
        if !enabled {
            self.config.skills.entry(name).or_default().enabled = false;
        } else if !self.config.is_enabled(&[&name]) {
            let label = join("skills.entries", &name);
            self.problems.push(untrusted(&format!("{label}.enabled"), at, "cannot be switched on"));
        }
    }

    fn builtins(&mut self) {
        match &self.settings.builtins {
            Some(Placed { value: false, .. }) => self.config.builtins = false,
            Some(Placed { at, .. }) if !self.config.builtins => {
                self.problems.push(untrusted("builtins", *at, "cannot be switched on"));
            }
            _ => {}
        }
    }

    fn limits(&mut self) {
        let (asked, held) = (&self.settings.limits, &mut self.config.limits);
        for (label, held, asked) in [
            ("limits.max_file_bytes", &mut held.max_file_bytes, &asked.max_file_bytes),
            ("limits.max_depth", &mut held.max_depth, &asked.max_depth),
            ("limits.max_entries", &mut held.max_entries, &asked.max_entries),
            ("prompt.budget", &mut self.config.prompt.budget, &self.settings.prompt.budget),
        ] {
            match asked {
                Some(Placed { value, at }) if value > held => {
                    let what = format!("cannot be raised from {held} to {value}");
                    self.problems.push(untrusted(label, *at, &what));
                }
                Some(Placed { value, .. }) => *held = *value,
                None => {}
            }
        }
    }

    fn refuse(&mut self, label: &str, at: Pos, names: &[String]) {
        if names.is_empty() {
            return;
        }
        let shown: Vec<String> =
            names.iter().take(SHOWN).map(|name| format!("`{}`", shorten(name))).collect();
        let more = names.len().saturating_sub(SHOWN);
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        let what = format!("cannot be widened to {}{more}", shown.join(", "));
        self.problems.push(untrusted(label, at, &what));
    }
}

/// An agent that somebody configured, before what they said: it has no skills.
fn configured() -> Agent {
    Agent { skills: Allowlist::Only(Vec::new()), tools: None, written: None }
}

fn set<T>(held: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *held = value;
    }
}

/// Lays one table over another, key by key; what is no table replaces what was there.
fn overlay(held: &mut Data, value: Option<Data>) {
    match (held, value) {
        (_, None) => {}
        (Data::Map(held), Some(Data::Map(pairs))) => {
            for (key, value) in pairs {
                match held.iter_mut().find(|(known, _)| *known == key) {
                    Some((_, known)) => overlay(known, Some(value)),
                    None => held.push((key, value)),
                }
            }
        }
        (held, Some(value)) => *held = value,
    }
}
