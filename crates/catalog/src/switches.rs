//! What a person has switched on and off by command, as the surface read it: by the place where a skill or plugin lies.
//!
//! Where it is kept is not known here. It only narrows, with one exception: a plugin that is off by default is on once somebody
//! has switched it on.

use crate::snapshot::Place;
use crate::{PluginEntry, Scope};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What was switched, by place.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Switches {
    by_place: BTreeMap<String, Switched>,
}

/// How one skill or plugin was switched.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Switched {
    /// Why it is off for everybody, in words that follow "it is"; none while it is on.
    pub off: Option<String>,
    /// Whether it is off because something of its own has failed.
    pub failed: bool,
    /// The agents that it is off for although it is on.
    pub off_for: BTreeSet<String>,
    /// Whether a person has switched it on, and it is not merely on by itself.
    pub by_person: bool,
}

impl Switches {
    /// Notes how what lies at a place was switched.
    pub fn insert(&mut self, place: String, switched: Switched) {
        self.by_place.insert(place, switched);
    }

    /// Whether nothing was ever switched.
    pub fn is_empty(&self) -> bool {
        self.by_place.is_empty()
    }

    /// How what lies at a place was switched, if it was.
    pub fn at(&self, place: &str) -> Option<&Switched> {
        self.by_place.get(place)
    }
}

impl Place {
    /// What a skill's place is called where switches are kept.
    pub fn key(&self) -> String {
        key(self.scope, &self.own())
    }
}

impl PluginEntry {
    /// What a plugin's place is called where switches are kept.
    pub fn key(&self) -> String {
        key(self.scope, &self.directory)
    }
}

/// Built-in skills lie nowhere, so that their made-up path is marked as one.
pub(crate) fn key(scope: Scope, path: &Path) -> String {
    let path = path.to_string_lossy();
    if scope == Scope::Builtin { format!("builtin:{path}") } else { path.into_owned() }
}
