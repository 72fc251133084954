//! Verbs: skills for a child agent that agents may call by a name of their own, where the skill, its enablement and a runner exist.

use guild_catalog::Lookup;
use guild_ledger::Principal;
use guild_manifest::skill::Kind;

use crate::invocable::refusal;
use crate::workshop::Workshop;

/// The verbs and their skills.
const VERBS: &[(&str, &str)] = &[("review", "review"), ("security_review", "security-review")];

/// A verb that a caller has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verb {
    /// Its name.
    pub name: &'static str,
    /// The skill's qualified name.
    pub skill: String,
    /// What the skill says it does.
    pub description: String,
}

/// The verbs of a caller. One whose skill is overridden by another kind of skill is none.
pub fn verbs(workshop: &Workshop<'_>, caller: &Principal) -> Vec<Verb> {
    let verb = |(name, skill): &(&'static str, &str)| {
        let Lookup::Found(entry) = workshop.hall.snapshot.find(skill) else { return None };
        let skill = entry.qualified_name().into_owned();
        let is_meant = entry.skill.kind == Kind::Subagent && refusal(workshop.hall, entry, caller).is_none();
        let runner = workshop.subagents?.choose(workshop, &skill, None);
        let description = entry.skill.description.clone();
        (is_meant && runner.is_some()).then_some(Verb { name, skill, description })
    };
    VERBS.iter().filter_map(verb).collect()
}
