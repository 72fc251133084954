//! Names that the configuration switches off against what was found: one that nothing bears switches nothing off.
//!
//! Whoever wrote it believes that something is off. What is off is decided elsewhere, and by exact names.

use crate::snapshot::{Entry, Snapshot, near};
use guild_manifest::config::{Config, Off};
use guild_manifest::{Code, Problem, Severity};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// A problem for each name that is switched off and that nothing here has.
pub fn check(snapshot: &Snapshot, config: &Config) -> Vec<Problem> {
    if config.off.is_empty() {
        return Vec::new();
    }
    let (skills, plugins) = (skills(snapshot), plugins(snapshot));
    let judge = |off: &Off| judge(off, if off.is_plugin { &plugins } else { &skills });
    config.off.iter().filter_map(judge).collect()
}

fn judge(off: &Off, known: &BTreeSet<String>) -> Option<Problem> {
    if known.contains(&off.name) {
        return None;
    }
    let what = if off.is_plugin { "plugin" } else { "skill" };
    let message = format!("`{}` is switched off, and no {what} here has exactly that name", off.name);
    let (severity, hint) = match near(&off.name, known.iter().cloned()).as_slice() {
        // A person's file serves all their projects: what is only absent here is worth a remark.
        [] => (Severity::Info, format!("correct the name, or leave it for a project that has the {what}")),
        near => (Code::ConfigNameUnknown.severity(), format!("did you mean `{}`?", near.join("`, `"))),
    };
    let problem = Problem::new(Code::ConfigNameUnknown, off.written.at, message, hint);
    Some(problem.with_severity(severity).in_file(&off.written.file))
}

fn skills(snapshot: &Snapshot) -> BTreeSet<String> {
    let loaded = snapshot.skills.iter().flat_map(Entry::names);
    let broken = snapshot.broken.iter();
    let broken = broken.flat_map(|it| [Cow::Borrowed(it.name.as_str()), it.place.qualified(&it.name)]);
    loaded.chain(broken).map(Cow::into_owned).collect()
}

fn plugins(snapshot: &Snapshot) -> BTreeSet<String> {
    let loaded = snapshot.plugins.iter().chain(&snapshot.lacking).map(|entry| entry.plugin.name.clone());
    loaded.chain(snapshot.broken_plugins.iter().map(|broken| broken.name.clone())).collect()
}
