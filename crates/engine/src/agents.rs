//! `agents`: who is configured, what each is allowed, and how much of it there is.
//!
//! An agent that nobody configured is no line of its own: `default` answers for it.

use guild_manifest::config::Allowlist;

use crate::Envelope;
use crate::agent::skills_of;
use crate::hall::Hall;
use crate::reply::{AgentLine, Agents};

/// Lists the agents, or one of them.
pub fn agents(hall: &Hall, only: Option<&str>) -> Envelope<Agents> {
    let agents = hall.config.agents.iter().filter(|(id, _)| only.is_none_or(|only| only == id.as_str()));
    let line = |(id, agent): (&String, &guild_manifest::config::Agent)| AgentLine {
        id: id.clone(),
        skills: match &agent.skills {
            Allowlist::Everything => None,
            Allowlist::Only(names) => Some(names.clone()),
        },
        tools: agent.tools.clone(),
        available: skills_of(hall, id).len(),
    };
    let agents: Vec<AgentLine> = agents.map(line).collect();
    Envelope::ok(Agents { count: agents.len(), agents })
}
