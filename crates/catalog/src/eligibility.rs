//! Whether a skill can be used here: what it asks for against what this machine has. Every reason is told.
//!
//! It asks whether something is there and never what it holds: no program is run, and no credential is read.

mod programs;

use crate::bounds::leaves;
use crate::snapshot::{Entry, Snapshot};
use crate::{Machine, PluginEntry, Switched};
use guild_manifest::config::Config;
use guild_manifest::skill::{Form, Requirements};
use programs::{Ground, Programs};
use std::collections::HashMap;
use std::sync::Arc;

/// Why something is off that the configuration switches off.
pub const BY_CONFIGURATION: &str = "switched off in the configuration";

/// Judges every skill of a snapshot.
pub fn judge(snapshot: &mut Snapshot, machine: &Machine, config: &Config) {
    let mut judge = Judge { machine, config, programs: Programs::new(machine, config) };
    let by_name = |entry: &'_ PluginEntry| (entry.plugin.name.clone(), entry.switched.clone());
    let plugins: HashMap<String, Switched> = snapshot.plugins.iter().map(by_name).collect();
    let mut counts: HashMap<Arc<str>, usize> = HashMap::new();
    for entry in &mut snapshot.skills {
        let plugin = entry.place.plugin.as_ref();
        let around = plugin.and_then(|plugin| plugins.get(&**plugin));
        entry.switched = switched(entry, around, machine, config);
        entry.enabled = entry.off().is_none();
        if let Some(requirements) = &entry.skill.requirements {
            entry.unmet = judge.unmet(requirements, &entry.skill.name, &Ground::of(entry, config));
        }
        if let Some(plugin) = plugin.filter(|_| entry.place.form == Form::Skill) {
            *counts.entry(plugin.clone()).or_default() += 1;
        }
    }
    for entry in &mut snapshot.plugins {
        entry.skill_count = counts.get(entry.plugin.name.as_str()).copied().unwrap_or_default();
    }
}

/// Why a skill is off and for whom: what its plugin is, it is too.
fn switched(
    entry: &Entry,
    plugin: Option<&Switched>,
    machine: &Machine,
    config: &Config,
) -> Option<Box<Switched>> {
    let by_person = if machine.switches.is_empty() { None } else { machine.switches.at(&entry.place.key()) };
    let mut switched = by_person.cloned().unwrap_or_default();
    if !is_configured(entry, config) {
        switched.off = Some(BY_CONFIGURATION.to_owned());
    }
    if let Some(plugin) = plugin {
        let name = entry.place.plugin.as_deref().unwrap_or_default();
        let with_plugin = |off: &String| format!("off with its plugin `{name}`, which is {off}");
        switched.off = plugin.off.as_ref().map(with_plugin).or(switched.off);
        switched.off_for.extend(plugin.off_for.iter().cloned());
    }
    (switched.off.is_some() || !switched.off_for.is_empty()).then(|| Box::new(switched))
}

fn is_configured(entry: &Entry, config: &Config) -> bool {
    if config.skills.is_empty() {
        return true;
    }
    config.is_enabled(&entry.names().iter().map(AsRef::as_ref).collect::<Vec<_>>())
}

struct Judge<'a> {
    machine: &'a Machine,
    config: &'a Config,
    programs: Programs<'a>,
}

impl Judge<'_> {
    /// Why the requirements are not met; empty if they are. `always` is stronger than everything else.
    fn unmet(&mut self, asked: &Requirements, skill: &str, ground: &Ground) -> Vec<String> {
        if asked.always {
            return Vec::new();
        }
        let mut unmet = Vec::new();
        if !asked.os.is_empty() && !asked.os.iter().any(|os| is_this_os(os, &self.machine.os)) {
            unmet.push(format!("it is for {}, and this is {}", asked.os.join(", "), self.machine.os));
        }
        let mut has_program = |bin: &str| self.programs.has(ground, bin);
        let no_program = |bin: &str| format!("{}{}", lacks("program", bin), ground.in_words());
        unmet.extend(missing(&asked.bins, &mut has_program, no_program));
        if !asked.any_bins.is_empty() && !asked.any_bins.iter().any(|bin| has_program(bin)) {
            let names = asked.any_bins.join("`, `");
            unmet.push(format!("none of the programs `{names}` is found{}", ground.in_words()));
        }
        let is_unset = |what: &str, name: &str| format!("the {what} `{name}` is not set");
        let has_variable = |name: &str| self.has_variable(name, asked, skill);
        unmet.extend(missing(&asked.env, has_variable, |name| is_unset("environment variable", name)));
        let is_configured = |path: &str| self.config.truthy(path);
        unmet.extend(missing(&asked.config, is_configured, |path| is_unset("configuration value", path)));
        let has_file = |file: &str| self.has_file(file);
        unmet.extend(missing(&asked.credential_files, has_file, |file| lacks("credential file", file)));
        if let Some(tools) = &self.machine.tools {
            unmet.extend(missing(&asked.tools, |tool| tools.contains(tool), |tool| lacks("tool", tool)));
        }
        unmet
    }

    /// A variable counts if it is set, stored as a credential, or filled by the skill's own configuration.
    fn has_variable(&self, name: &str, asked: &Requirements, skill: &str) -> bool {
        let key = asked.config_key.as_deref().unwrap_or(skill);
        let from_config = asked.primary_env.as_deref() == Some(name)
            && self.config.truthy(&format!("skills.entries.{key}.config.apiKey"));
        self.machine.variable(name).is_some() || self.machine.credentials.contains(name) || from_config
    }

    fn has_file(&self, file: &str) -> bool {
        let relative = file.trim_start_matches("~/");
        !leaves(relative) && self.machine.home.as_ref().is_some_and(|home| home.join(relative).is_file())
    }
}

/// What is to be said of each name that is not had.
fn missing(names: &[String], mut has: impl FnMut(&str) -> bool, say: impl Fn(&str) -> String) -> Vec<String> {
    names.iter().filter(|name| !has(name)).map(|name| say(name)).collect()
}

fn lacks(what: &str, name: &str) -> String {
    format!("the {what} `{name}` is not found")
}

/// Vendors name one system in several ways.
fn is_this_os(asked: &str, os: &str) -> bool {
    let canonical = |name: &str| match name.trim().to_ascii_lowercase().as_str() {
        "darwin" | "macos" | "mac" | "osx" => "macos".to_owned(),
        "windows" | "win" | "win32" => "windows".to_owned(),
        other => other.to_owned(),
    };
    canonical(asked) == canonical(os)
}
