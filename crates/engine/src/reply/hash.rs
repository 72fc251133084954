//! The reply about a security hash.

use crate::security_hash::Payload;
use schemars::JsonSchema;
use serde::Serialize;

/// `hash`: the security hash of a skill.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Hash {
    /// Whether the skill was found.
    pub found: bool,
    /// Its qualified name.
    pub skill: Option<String>,
    /// The hash; null where the skill cannot be staged.
    pub security_hash: Option<String>,
    /// What was hashed.
    pub payload: Option<Payload>,
    /// Names near what was asked for, or the qualified names of those that bear it.
    pub candidates: Vec<String>,
}

impl Hash {
    /// Whether somebody else's tool or a runner may stand behind the skill, which only a workshop can ask.
    pub fn may_be_bound(&self) -> bool {
        self.payload
            .as_ref()
            .is_some_and(|payload| matches!(payload.skill.kind.as_str(), "tool" | "subagent"))
    }
}
