//! The immutable result of one discovery.
//!
//! It holds what was found as it was then, and never looks at a disk again.

mod lookup;
mod version;

use crate::precedence::Resolved;
use crate::{Fingerprint, Root, Scope, Switched};
use guild_manifest::Problem;
use guild_manifest::plugin::Plugin;
use guild_manifest::skill::{Form, Skill};
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use lookup::{Lookup, near};

/// Everything one discovery found, and everything that went wrong.
#[derive(Debug)]
pub struct Snapshot {
    /// The skills that won their names, by qualified name.
    pub skills: Vec<Entry>,
    /// Skills that a problem keeps out, by qualified name; each still holds its name against lower roots.
    pub broken: Vec<Broken>,
    /// The plugins that won their names, by name.
    pub plugins: Vec<PluginEntry>,
    /// Plugins that were skipped, because a variable that they need is not set.
    pub lacking: Vec<PluginEntry>,
    /// Plugins that a problem keeps out; which one is among the problems.
    pub broken_plugins: Vec<BrokenPlugin>,
    /// What was kept out by something of the same name, and by what.
    pub collisions: Vec<Collision>,
    /// The directories that were searched, highest precedence first.
    pub roots: Vec<Root>,
    /// What is wrong with roots, plugins and configuration.
    pub problems: Vec<Problem>,
    /// A fingerprint of all that: equal snapshots have equal versions, and a difference that shows changes it.
    pub version: Fingerprint,
}

/// A skill in a snapshot.
#[derive(Debug)]
pub struct Entry {
    /// What its file says.
    pub skill: Box<Skill>,
    /// Where it was found.
    pub place: Place,
    /// Other places that hold the same content under the same name.
    pub also_at: Vec<PathBuf>,
    /// The fingerprint of its file.
    pub fingerprint: Fingerprint,
    /// What is wrong with it.
    pub problems: Vec<Problem>,
    /// Why it cannot be used on this machine; empty if it can.
    pub unmet: Vec<String>,
    /// Whether it is on: neither the configuration nor a person's command has switched it off.
    pub enabled: bool,
    /// Why it is off, and for whom; nothing where it is on for everybody.
    pub switched: Option<Box<Switched>>,
}

/// A skill that a problem keeps out.
#[derive(Debug)]
pub struct Broken {
    /// The name it would have.
    pub name: String,
    /// Where it was found.
    pub place: Place,
    /// Why it is out, and what else is wrong.
    pub problems: Vec<Problem>,
}

/// Where a skill was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The scope of the root.
    pub scope: Scope,
    /// The plugin that ships it.
    pub plugin: Option<Arc<str>>,
    /// The skill's directory; for a flat skill the directory that its file stands in.
    pub directory: PathBuf,
    /// The skill's file in that directory.
    pub file: Cow<'static, str>,
    /// Whether the skill is one file without a directory of its own.
    pub flat: bool,
    /// As what its file is read.
    pub form: Form,
}

/// A plugin in a snapshot.
#[derive(Debug)]
pub struct PluginEntry {
    /// What its manifest says.
    pub plugin: Plugin,
    /// The scope of the root.
    pub scope: Scope,
    /// Its directory.
    pub directory: PathBuf,
    /// Whether it is on: neither the configuration nor a person's command has switched it off.
    pub enabled: bool,
    /// Why it is off, and for whom.
    pub switched: Switched,
    /// How many skills it ships that load.
    pub skill_count: usize,
}

/// A plugin that a problem keeps out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokenPlugin {
    /// The name of its directory, since its own cannot be trusted.
    pub name: String,
    /// Its directory.
    pub directory: PathBuf,
}

/// Two of one name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collision {
    /// The qualified name, or `plugin:<name>`.
    pub name: String,
    /// What won.
    pub kept: (Scope, PathBuf),
    /// What lost.
    pub skipped: (Scope, PathBuf),
}

impl Place {
    /// The skill's file.
    pub fn path(&self) -> PathBuf {
        self.directory.join(self.file.as_ref())
    }

    /// Whether it is of this source; what a plugin ships is the plugin's, a bundled plugin's too.
    pub fn is_from(&self, source: Scope) -> bool {
        self.scope == source || (source == Scope::Plugin && self.plugin.is_some())
    }

    /// What is compared and counted as the skill's own: its directory, or its file.
    pub fn own(&self) -> PathBuf {
        if self.flat { self.path() } else { self.directory.clone() }
    }

    /// The name under which a skill of this place is listed: `plugin/skill`, or the skill's alone.
    pub fn qualified<'a>(&self, name: &'a str) -> Cow<'a, str> {
        self.plugin.as_ref().map_or(Cow::Borrowed(name), |plugin| Cow::Owned(format!("{plugin}/{name}")))
    }
}

impl Entry {
    /// The name that lists show and that always finds it.
    pub fn qualified_name(&self) -> Cow<'_, str> {
        self.place.qualified(&self.skill.name)
    }

    /// Every name that the configuration may call it by.
    pub fn names(&self) -> Vec<Cow<'_, str>> {
        let aliases = self.skill.aliases.iter().map(|alias| Cow::Borrowed(alias.as_str()));
        [Cow::Borrowed(self.skill.name.as_str()), self.qualified_name()].into_iter().chain(aliases).collect()
    }

    /// Whether it can be used on this machine.
    pub fn is_eligible(&self) -> bool {
        self.unmet.is_empty()
    }

    /// Why it is off, in words that follow "it is"; none while it is on.
    pub fn off(&self) -> Option<&str> {
        self.switched.as_ref()?.off.as_deref()
    }

    /// Whether it is switched off for this agent.
    pub fn is_off_for(&self, agent: &str) -> bool {
        self.switched.as_ref().is_some_and(|switched| switched.off_for.contains(agent))
    }

    /// Whether models are told of it: switched on, eligible, described and not hidden from them.
    pub fn is_offered(&self) -> bool {
        self.enabled && self.is_eligible() && self.skill.model_invocable && !self.skill.description.is_empty()
    }
}

impl Snapshot {
    /// Everything that was found, sorted where the order of discovery means nothing; not sealed yet. Names were decided
    /// in the order of names, so skills come sorted.
    pub(crate) fn new(
        roots: Vec<Root>,
        resolved: Resolved,
        mut plugins: Vec<PluginEntry>,
        problems: Vec<Problem>,
    ) -> Self {
        let Resolved { skills, broken, mut collisions } = resolved;
        plugins.sort_by(|a, b| a.plugin.name.cmp(&b.plugin.name));
        collisions.sort_by(|a, b| (&a.name, &a.skipped).cmp(&(&b.name, &b.skipped)));
        let (lacking, broken_plugins, version) = (Vec::new(), Vec::new(), Fingerprint::default());
        Self { skills, broken, plugins, lacking, broken_plugins, collisions, roots, problems, version }
    }

    /// Fixes the version; nothing changes after this.
    pub(crate) fn seal(&mut self) {
        self.version = version::of(self);
    }

    /// The entry whose file is `path`.
    pub fn at_path(&self, path: &Path) -> Option<&Entry> {
        self.skills.iter().find(|entry| entry.place.path() == path)
    }
}
