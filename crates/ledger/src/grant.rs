//! Grants: what a person has allowed or denied an agent to run.
//!
//! A grant is for one agent, one skill and one security hash. What was allowed holds in one workspace; what was denied is
//! denied everywhere. Which runs need a grant is the engine's to say, and a run takes one by `start`, never here.

mod give;
mod standing;

use guild_manifest::Digest;
use serde::{Deserialize, Serialize};

pub use give::{GiveError, NewGrant};
pub(crate) use standing::standing;
pub use standing::{Ask, Standing};

use crate::record::{Lookup, Record};
use crate::{GrantId, Principal, RequestId, Timestamp};

/// The kind of records that allow.
pub(crate) const ALLOWING: &str = "grant";
/// The kind of records that deny.
pub(crate) const DENYING: &str = "deny";

/// A person's decision about a skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    /// Its name.
    pub id: GrantId,
    /// For which agent.
    pub agent: String,
    /// For which skill, by its qualified name.
    pub skill: String,
    /// For which state of the skill.
    pub security_hash: Digest,
    /// For which workspace, by its path.
    pub workspace: String,
    /// What was decided.
    pub mode: Mode,
    /// When.
    pub at: Timestamp,
    /// Until when it holds; for ever if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<Timestamp>,
    /// By whom.
    pub by: Principal,
    /// The request that it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<RequestId>,
}

/// What a grant allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// One run, of exactly the plan with this digest.
    RunOnce {
        /// The digest of what was shown.
        plan: Digest,
    },
    /// Every run.
    AlwaysAllow,
    /// None, until the hash changes or a person lifts it.
    Deny,
}

impl Grant {
    /// Whether it holds no longer at `now`.
    pub fn is_expired(&self, now: Timestamp) -> bool {
        self.expires.is_some_and(|expires| expires <= now)
    }
}

impl Mode {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::RunOnce { .. } => "run_once",
            Self::AlwaysAllow => "always_allow",
            Self::Deny => "deny",
        }
    }
}

impl Record for Grant {
    fn kind(&self) -> &'static str {
        if self.mode == Mode::Deny { DENYING } else { ALLOWING }
    }

    fn lookup(&self) -> Lookup<'_> {
        Lookup {
            id: self.id.to_string(),
            agent: Some(&self.agent),
            skill: Some(&self.skill),
            digest: Some(self.security_hash),
            expires: self.expires,
        }
    }
}
