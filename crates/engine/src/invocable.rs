//! Whether a caller may have a skill: it is on, it is eligible here, and it is meant for this kind of caller.
//!
//! Approval is no question here: this only decides what a caller is told of and may ask for.

use crate::agent::skills_of;
use crate::hall::Hall;
use guild_catalog::Entry;

/// Who asks for a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caller<'a> {
    /// A person.
    Person,
    /// The agent of this id.
    Agent(&'a str),
}

/// Why the caller may not have the skill; `None` if it may.
pub fn refusal(hall: &Hall, entry: &Entry, caller: Caller<'_>) -> Option<String> {
    let name = entry.qualified_name();
    if !entry.enabled {
        return Some(format!("skill `{name}` is switched off in the configuration"));
    }
    if !entry.is_eligible() {
        return Some(format!("skill `{name}` cannot be used here: {}", entry.unmet.join("; ")));
    }
    match caller {
        Caller::Person if !entry.skill.user_invocable => {
            Some(format!("skill `{name}` is not for people to call; `guild show {name}` shows it"))
        }
        Caller::Agent(_) if !entry.skill.model_invocable => {
            Some(format!("skill `{name}` is for people alone, not for agents"))
        }
        Caller::Agent(agent) if !skills_of(hall, agent).iter().any(|known| std::ptr::eq(*known, entry)) => {
            Some(format!(
                "skill `{name}` is not among those of agent `{agent}`; `guild list --agent {agent}` shows them"
            ))
        }
        Caller::Person | Caller::Agent(_) => None,
    }
}
