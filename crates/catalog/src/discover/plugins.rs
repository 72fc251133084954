//! Plugins: directories with a manifest below a root or named in the configuration, and the skills they ship.
//!
//! One plugin name is one plugin: the first to claim it wins whole, and a plugin that cannot be loaded keeps its name
//! against lower ones, as a skill does. What a plugin brings besides skills is read but not looked at here.

mod agents;
mod bundled;
mod containment;
mod dependencies;
mod python;
mod search;

use super::scan::{Ground, Scanner};
use super::skill_reader::SKILL_FILE;
use crate::bounds::is_inside;
use crate::eligibility::BY_CONFIGURATION;
use crate::precedence::Candidate;
use crate::root::{self, Root};
use crate::snapshot::{BrokenPlugin, Collision, PluginEntry};
use crate::{Scope, Switched, switches};
use containment::contain;
use guild_manifest::config::PluginEntry as Configured;
use guild_manifest::plugin::{self, Dialect, Plugin, Reading, Scan, Standing};
use guild_manifest::{Code, Pos, Problem};
use search::Suspect;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use agents::files as agent_files;
pub use containment::Contained;

/// The plugins that won their names, and what came with them.
#[derive(Default)]
pub struct Plugins {
    pub entries: Vec<PluginEntry>,
    /// Those that were skipped, because a variable that they need is not set.
    pub lacking: Vec<PluginEntry>,
    pub broken: Vec<BrokenPlugin>,
    pub skills: Vec<Candidate>,
    pub collisions: Vec<Collision>,
}

/// Finds every plugin below the roots, which come in order of precedence, and every plugin that the configuration names.
pub fn find(scanner: &Scanner<'_>, roots: &[&Root], problems: &mut Vec<Problem>) -> Plugins {
    let named = Named::all(scanner, problems);
    let mut intake = Intake::new(scanner, &named, problems);
    // What is named one by one stands at the head of its scope.
    let (before, after): (Vec<&Root>, Vec<&Root>) = roots.iter().partition(|root| root.scope < Scope::Custom);
    before.into_iter().for_each(|root| search::below(root, &mut intake));
    named.iter().for_each(|named| intake.take_named(named));
    after.into_iter().for_each(|root| search::below(root, &mut intake));
    if scanner.config.builtins {
        bundled::all(&mut intake);
    }
    let found = intake.found;
    problems.extend(dependencies::missing(&found.entries));
    found
}

/// Reads the plugin in a directory anew, as a copy of one that was found.
pub fn read_again(directory: &Path, name: &str) -> Option<Plugin> {
    plugin::read(name, &Contained::new(directory), Standing::Candidate)?.plugin
}

/// A plugin that the configuration names, and where that leads.
struct Named<'a> {
    entry: &'a Configured,
    path: PathBuf,
    real: Option<PathBuf>,
}

impl<'a> Named<'a> {
    fn all(scanner: &Scanner<'a>, problems: &mut Vec<Problem>) -> Vec<Self> {
        let mut all = Vec::new();
        for entry in &scanner.config.plugins {
            match Self::path(scanner, entry) {
                Ok(path) => all.push(Self { entry, real: path.canonicalize().ok(), path }),
                Err(problem) => problems.push(problem),
            }
        }
        all
    }

    fn path(scanner: &Scanner<'_>, entry: &Configured) -> Result<PathBuf, Problem> {
        let place = &entry.place;
        match python::package(&place.path) {
            Some(package) => python::find(scanner.machine, &package).ok_or_else(|| {
                let message = format!("the Python package of `{}` is not installed", place.path);
                let hint = "install it, or remove the line";
                Problem::new(Code::ConfigPathMissing, place.at, message, hint).in_file(&place.file)
            }),
            None => root::resolve(scanner.machine, place),
        }
    }
}

/// Takes plugins in, those of higher precedence first.
struct Intake<'a> {
    scanner: &'a Scanner<'a>,
    named: &'a [Named<'a>],
    problems: &'a mut Vec<Problem>,
    /// Who bears each name.
    claimed: HashMap<String, (Scope, PathBuf)>,
    /// The real directories of the plugins seen, so that a link to one is no second plugin.
    seen: HashSet<PathBuf>,
    found: Plugins,
}

impl<'a> Intake<'a> {
    fn new(scanner: &'a Scanner<'a>, named: &'a [Named<'a>], problems: &'a mut Vec<Problem>) -> Self {
        let (claimed, seen) = (HashMap::new(), HashSet::new());
        Self { scanner, named, problems, claimed, seen, found: Plugins::default() }
    }

    fn take_named(&mut self, named: &Named<'_>) {
        let suspect = Suspect::new(named.path.clone(), Standing::Candidate);
        if !self.take(&suspect, Scope::Custom) {
            let place = &named.entry.place;
            let message = format!("there is no plugin at `{}`", named.path.display());
            let hint = "name a directory that has a plugin manifest";
            let problem = Problem::new(Code::ConfigPathMissing, place.at, message, hint);
            self.problems.push(problem.in_file(&place.file));
        }
    }

    /// Takes a directory in if it is a plugin; says whether it is one, usable or not.
    fn take(&mut self, suspect: &Suspect, scope: Scope) -> bool {
        let directory = &suspect.directory;
        let Some(reading) = plugin::read(&suspect.name, &Contained::new(directory), suspect.standing) else {
            return false;
        };
        let real = directory.canonicalize().unwrap_or_else(|_| directory.clone());
        if self.seen.insert(real.clone()) {
            self.receive(suspect, scope, reading, &real);
        }
        true
    }

    /// Takes a plugin in that was read, unless another has its name.
    fn receive(&mut self, suspect: &Suspect, scope: Scope, reading: Reading, real: &Path) {
        let directory = &suspect.directory;
        let name = reading.plugin.as_ref().map_or(&suspect.name, |plugin| &plugin.name);
        if let Some(kept) = self.claimed.get(name) {
            let (name, kept) = (format!("plugin:{name}"), kept.clone());
            self.found.collisions.push(Collision { name, kept, skipped: (scope, directory.clone()) });
            return;
        }
        self.claimed.insert(name.clone(), (scope, directory.clone()));
        self.problems.extend(reading.problems.into_iter().map(|problem| {
            let file = directory.join(&problem.file);
            problem.in_file(file.to_string_lossy())
        }));
        let Some(plugin) = reading.plugin else {
            let broken = BrokenPlugin { name: suspect.name.clone(), directory: directory.clone() };
            self.found.broken.push(broken);
            return;
        };
        let switched = self.switched(&plugin, real, &switches::key(scope, directory));
        let (enabled, directory) = (switched.off.is_none(), directory.clone());
        self.admit(PluginEntry { plugin, scope, directory, enabled, switched, skill_count: 0 });
    }

    /// Off means off, wherever it is said; a plugin that is off by default is on once somebody names it or switches it on.
    fn switched(&self, plugin: &Plugin, real: &Path, key: &str) -> Switched {
        let named = || self.named.iter().filter(|named| named.real.as_deref() == Some(real));
        let by_person = self.scanner.machine.switches.at(key);
        let is_switched_on = by_person.is_some_and(|switched| switched.by_person);
        let is_wanted = plugin.default_enabled || named().next().is_some() || is_switched_on;
        let is_configured =
            named().all(|named| named.entry.enabled) && self.scanner.config.is_plugin_enabled(&plugin.name);
        let mut switched = by_person.cloned().unwrap_or_default();
        if !is_configured {
            switched.off = Some(BY_CONFIGURATION.to_owned());
        } else if !is_wanted && switched.off.is_none() {
            switched.off = Some("off unless it is switched on".to_owned());
        }
        switched
    }

    fn admit(&mut self, entry: PluginEntry) {
        let lacks = if entry.enabled { self.missing_environment(&entry) } else { None };
        match lacks {
            Some(problem) => {
                self.problems.push(problem);
                self.found.lacking.push(entry);
            }
            None => {
                self.take_skills(&entry);
                self.found.skills.extend(agents::all(self.scanner, &entry));
                self.found.entries.push(entry);
            }
        }
    }

    fn missing_environment(&self, entry: &PluginEntry) -> Option<Problem> {
        let machine = self.scanner.machine;
        let is_missing =
            |name: &&String| machine.variable(name).is_none() && !machine.credentials.contains(*name);
        let missing: Vec<&str> =
            entry.plugin.required_env.iter().filter(is_missing).map(String::as_str).collect();
        if missing.is_empty() {
            return None;
        }
        let list = missing.join("`, `");
        let message =
            format!("the plugin `{}` needs `{list}` in the environment; it was skipped", entry.plugin.name);
        let problem = Problem::new(Code::PluginEnvMissing, Pos::START, message, format!("set `{list}`"));
        Some(problem.in_file(entry.directory.to_string_lossy()))
    }

    /// Leaves out the skills from `known` on whose file has not exactly the name that Agent Plugins give it.
    fn drop_odd_names(&mut self, known: usize) {
        for skill in self.found.skills.split_off(known) {
            if skill.place().file == SKILL_FILE {
                self.found.skills.push(skill);
                continue;
            }
            let message = format!(
                "`{}` is no `{SKILL_FILE}`, so it is no skill of an Agent Plugin",
                skill.place().file
            );
            let hint = format!("rename it to `{SKILL_FILE}`");
            let problem = Problem::new(Code::OddFileName, Pos::START, message, hint);
            self.problems.push(problem.in_file(skill.place().path().to_string_lossy()));
        }
    }

    fn take_skills(&mut self, entry: &PluginEntry) {
        if entry.scope == Scope::Builtin {
            return self.found.skills.extend(bundled::skills(entry));
        }
        let name: Arc<str> = Arc::from(entry.plugin.name.as_str());
        for dir in &entry.plugin.skill_dirs {
            let path = match dir.path.as_str() {
                "." => entry.directory.clone(),
                path => entry.directory.join(path),
            };
            if !path.is_dir() {
                continue;
            }
            if !is_inside(&entry.directory, &path) {
                let message = format!("`{}` leads out of the plugin", dir.path);
                let hint = "keep a plugin's skills inside it";
                let problem = Problem::new(Code::FileEscapes, Pos::START, message, hint);
                self.problems.push(problem.in_file(path.to_string_lossy()));
                continue;
            }
            let (itself, depth) = match dir.scan {
                Scan::Itself => (true, 0),
                Scan::Children => (false, 1),
                Scan::Grouped => (true, self.scanner.depth()),
            };
            let ground = Ground { path, scope: Scope::Plugin, plugin: Some(name.clone()), itself, depth };
            let known = self.found.skills.len();
            self.scanner.skills(&ground, &mut self.found.skills, self.problems);
            if entry.plugin.dialect == Dialect::AgentPlugin {
                self.drop_odd_names(known);
            }
            self.found.skills.iter_mut().skip(known).for_each(|skill| contain(&entry.directory, skill));
        }
    }
}
