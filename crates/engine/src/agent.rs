//! What one agent may use: its allowlist over what this machine offers to models.
//!
//! Nothing at all while a person's or the machine's configuration, or the registry, cannot be read. Calling a skill is decided elsewhere.

use crate::hall::Hall;
use guild_catalog::{Entry, Lookup, near};
use guild_manifest::config::Allowlist;

/// The skills that an agent may use, in the order of its allowlist, else by name.
///
/// Skills that are off, ineligible here, hidden from models or without a description are not among them. Where a
/// person's or the machine's configuration or the registry cannot be read, nobody knows what is allowed, so nothing is.
pub fn skills_of<'a>(hall: &'a Hall, agent: &str) -> Vec<&'a Entry> {
    if !hall.ignored_config.is_empty() || hall.unread_registry.is_some() {
        return Vec::new();
    }
    let offered = |entry: &&Entry| entry.is_offered() && !entry.is_off_for(agent);
    match hall.config.allowlist(agent) {
        Allowlist::Everything => hall.snapshot.skills.iter().filter(offered).collect(),
        Allowlist::Only(names) => {
            let mut found: Vec<&Entry> = Vec::new();
            for name in &names {
                if let Lookup::Found(entry) = hall.snapshot.find(name)
                    && !found.iter().any(|known| std::ptr::eq(*known, entry))
                {
                    found.push(entry);
                }
            }
            found.into_iter().filter(offered).collect()
        }
    }
}

/// What to say of an agent that nobody configured but whose name is near to one that is; such a slip would else go
/// unseen, because `default` answers for it.
pub fn slip(hall: &Hall, agent: &str) -> Option<String> {
    if hall.config.agents.contains_key(agent) {
        return None;
    }
    let near = near(agent, hall.config.agents.keys().cloned());
    (!near.is_empty()).then(|| {
        format!(
            "no agent `{agent}` is configured, so `default` counts; did you mean `{}`?",
            near.join("`, `")
        )
    })
}
