//! Whether a caller may have a skill: it is on, it is eligible here, and it is meant for this kind of caller.
//!
//! Approval is no question here: this only decides what a caller is told of and may ask for.

use crate::agent::skills_of;
use crate::hall::Hall;
use guild_catalog::Entry;
use guild_ledger::{Principal, PrincipalKind};

/// Why the caller may not have the skill; `None` if it may.
pub fn refusal(hall: &Hall, entry: &Entry, caller: &Principal) -> Option<String> {
    let name = entry.qualified_name();
    if let Some(off) = entry.off() {
        return Some(format!("skill `{name}` is {off}"));
    }
    if !entry.is_eligible() {
        return Some(format!("skill `{name}` cannot be used here: {}", entry.unmet.join("; ")));
    }
    let agent = caller.agent.as_str();
    match caller.kind {
        PrincipalKind::Person if !entry.skill.user_invocable => {
            Some(format!("skill `{name}` is not for people to call; `guild show {name}` shows it"))
        }
        PrincipalKind::Agent if !entry.skill.model_invocable => {
            Some(format!("skill `{name}` is for people alone, not for agents"))
        }
        PrincipalKind::Agent if entry.is_off_for(agent) => {
            Some(format!("skill `{name}` is switched off for agent `{agent}`"))
        }
        PrincipalKind::Agent if !skills_of(hall, agent).iter().any(|known| std::ptr::eq(*known, entry)) => {
            Some(format!(
                "skill `{name}` is not among those of agent `{agent}`; `guild list --agent {agent}` shows them"
            ))
        }
        PrincipalKind::Person | PrincipalKind::Agent => None,
    }
}
