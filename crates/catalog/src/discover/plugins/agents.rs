//! The agents that a plugin ships: one Markdown file each, found and named like its skills, and always run by a child agent.
//!
//! They are few and read every time; the index has none of them.

use crate::Scope;
use crate::bounds::{is_inside, leaves};
use crate::directory::{self, Directory, Kind};
use crate::discover::scan::Scanner;
use crate::discover::skill_reader::{Manner, read_flat};
use crate::precedence::Candidate;
use crate::snapshot::{Place, PluginEntry};
use guild_manifest::skill::Form;
use std::path::Path;
use std::sync::Arc;

/// A plugin has no more agents than this.
const MOST: usize = 256;

/// Every agent of a plugin.
pub fn all(scanner: &Scanner<'_>, entry: &PluginEntry) -> Vec<Candidate> {
    let plugin: Arc<str> = Arc::from(entry.plugin.name.as_str());
    let manner = Manner { form: Form::Agent, ..Manner::lenient(scanner.config) };
    let agent = |path: String| {
        let (below, file) = path.rsplit_once('/').unwrap_or(("", &path));
        let directory = if below.is_empty() { entry.directory.clone() } else { entry.directory.join(below) };
        let record = read_flat(&Directory::open(&directory).ok()?, Path::new(file), manner)?;
        let place = Place {
            scope: Scope::Plugin,
            plugin: Some(plugin.clone()),
            directory,
            file: record.file,
            flat: true,
            form: Form::Agent,
        };
        Some(Candidate::new(place, record.skill, record.fingerprint, record.problems))
    };
    files(entry).into_iter().filter_map(agent).collect()
}

/// The files of a plugin's agents, relative to it: those that it names, and those in the directories that it names. One that leads
/// out of the plugin is none.
pub fn files(entry: &PluginEntry) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for place in &entry.plugin.agents {
        let path = entry.directory.join(place);
        if !path.is_dir() {
            found.push(place.clone());
            continue;
        }
        let names = directory::names(&path).unwrap_or_default().into_iter();
        let names = names.filter(|name| name.kind != Kind::Directory);
        let names = names.filter_map(|name| name.name.into_string().ok());
        found.extend(names.map(|name| format!("{place}/{name}")));
    }
    let is_markdown =
        |path: &str| path.rsplit_once('.').is_some_and(|(_, end)| end.eq_ignore_ascii_case("md"));
    let is_own = |path: &String| {
        let whole = entry.directory.join(path);
        !leaves(path) && is_markdown(path) && whole.is_file() && is_inside(&entry.directory, &whole)
    };
    found.retain(is_own);
    found.truncate(MOST);
    found
}
