//! The plugins that Guildhall ships; they come last, so that a person's plugin of the same name stands before them.

use super::Intake;
use super::search::Suspect;
use crate::bundled::{self, PLUGINS};
use crate::precedence::Candidate;
use crate::snapshot::{Place, PluginEntry};
use crate::{Fingerprint, Scope};
use guild_manifest::plugin::{self, Standing};
use guild_manifest::skill::{self, Form, Profile, Source};
use std::sync::Arc;

/// Takes every bundled plugin in.
pub fn all(intake: &mut Intake<'_>) {
    for bundle in PLUGINS {
        let directory = bundled::directory(bundle.name);
        if let Some(reading) = plugin::read(bundle.name, bundle, Standing::Anywhere) {
            let suspect = Suspect::new(directory.clone(), Standing::Anywhere);
            intake.receive(&suspect, Scope::Builtin, reading, &directory);
        }
    }
}

/// The skills of a bundled plugin.
pub fn skills(entry: &PluginEntry) -> Vec<Candidate> {
    let bundle = PLUGINS.iter().find(|bundle| bundled::directory(bundle.name) == entry.directory);
    let owner: Arc<str> = Arc::from(entry.plugin.name.as_str());
    let mut found = Vec::new();
    for dir in &entry.plugin.skill_dirs {
        for (name, bytes) in bundle.into_iter().flat_map(|bundle| bundle.skills_in(&dir.path)) {
            let reading = skill::read(&Source::new("SKILL.md", name, bytes), Profile::Lenient);
            let place = Place {
                scope: Scope::Builtin,
                plugin: Some(owner.clone()),
                directory: entry.directory.join(&dir.path).join(name),
                file: "SKILL.md".into(),
                flat: false,
                form: Form::Skill,
            };
            let skill = reading.skill.map(Box::new);
            found.push(Candidate::new(place, skill, Fingerprint::of(bytes), reading.problems));
        }
    }
    found
}
