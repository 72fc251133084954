//! The replies about agents and about the configuration.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::ProblemLine;

/// The agents that are configured.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Agents {
    /// The agents, by id; `default` answers for all that nobody configured.
    pub agents: Vec<AgentLine>,
    /// How many there are.
    pub count: usize,
}

/// One agent.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AgentLine {
    /// Its id.
    pub id: String,
    /// The skills that it is allowed, in its order; null where every one is.
    pub skills: Option<Vec<String>>,
    /// The tools that it is allowed, as `provider:tool`; null where nobody said.
    pub tools: Option<Vec<String>>,
    /// How many skills it is offered now.
    pub available: usize,
}

/// The configuration in effect.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Configuration<'a> {
    /// The files that it comes from, the weakest first.
    pub files: &'a [String],
    /// Everything that is set or holds by default; free tables, which may hold credentials, are digests.
    pub settings: Value,
    /// What is wrong with the files.
    pub problems: Vec<ProblemLine<'a>>,
}
