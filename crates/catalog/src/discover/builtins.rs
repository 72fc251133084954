//! The skills that Guildhall ships, compiled in; a person's skill of the same name stands before them.
//!
//! They have no file on the disk, so nothing can link, edit or damage them.

use crate::bundled;
use crate::precedence::Candidate;
use crate::snapshot::Place;
use crate::{Fingerprint, Scope};
use guild_manifest::skill::{self, Form, Profile, Source};

macro_rules! builtins {
    ($($name:literal),+ $(,)?) => {
        /// Name and text of each.
        const TEXTS: &[(&str, &str)] = &[$(($name, include_str!(concat!("../../builtins/", $name, "/SKILL.md")))),+];
    };
}

builtins!("init", "review", "security-review", "test", "arch-review", "health-check", "auto-fix");

/// Every built-in skill.
pub fn candidates() -> impl Iterator<Item = Candidate> {
    TEXTS.iter().map(|(name, text)| {
        let reading = skill::read(&Source::new("SKILL.md", name, text.as_bytes()), Profile::Lenient);
        let directory = bundled::directory(name);
        let place = Place {
            scope: Scope::Builtin,
            plugin: None,
            directory,
            file: "SKILL.md".into(),
            flat: false,
            form: Form::Skill,
        };
        let fingerprint = Fingerprint::of(text.as_bytes());
        Candidate::new(place, reading.skill.map(Box::new), fingerprint, reading.problems)
    })
}

/// The text of a built-in skill.
pub fn text(name: &str) -> Option<&'static str> {
    TEXTS.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::Entry;
    use guild_manifest::skill::Kind;

    /// Every built-in skill, all of which load.
    fn entries() -> impl Iterator<Item = Entry> {
        candidates().map(|candidate| match candidate {
            Candidate::Skill(entry) => entry,
            Candidate::Broken(broken, _) => panic!("{broken:?}"),
        })
    }

    #[test]
    fn every_built_in_skill_reads_without_a_problem() {
        for Entry { skill, place, problems, .. } in entries() {
            assert_eq!(problems, [], "{place:?}");
            assert!(place.directory.ends_with(&skill.name));
            assert!((120..=300).contains(&skill.description.chars().count()), "{}", skill.name);
        }
    }

    #[test]
    fn init_and_test_are_inline_and_the_rest_are_subagents() {
        let inline: Vec<String> = entries()
            .filter(|entry| entry.skill.kind == Kind::Inline)
            .map(|entry| entry.skill.name)
            .collect();
        assert_eq!(inline, ["init", "test"]);
    }

    #[test]
    fn every_body_says_when_to_use_it_what_to_do_and_how_to_verify() {
        for (name, text) in TEXTS {
            for heading in ["## When to use", "## Steps", "## Verification"] {
                assert!(text.contains(heading), "{name} lacks {heading}");
            }
        }
    }
}
