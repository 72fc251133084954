//! What a receipt says: what happened, to which skill, at whose wish, and how it ended.
//!
//! Fields that do not apply are absent. Values that must not be read are not here: the caller has redacted them.

use guild_manifest::Digest;
use serde::{Deserialize, Serialize};

use super::{Outcome, Plan};
use crate::{Principal, RunId};

/// What kind of thing happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A run was let begin.
    Started,
    /// A run has ended, well or not.
    Finished,
    /// A run never came to its end: its process is gone.
    Interrupted,
    /// Something was refused.
    Denied,
    /// A skill's instructions were read or rendered.
    Load,
    /// A person's decision was asked for.
    Asked,
    /// A person has decided: granted, denied, revoked, lifted, applied, trusted.
    Decision,
    /// A person has accepted that the end of the chain is lost.
    Cut,
}

/// What a receipt says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// What kind of thing happened.
    pub kind: Kind,
    /// How it ended, as the envelope has it: `ok` or another stable code.
    pub code: String,
    /// At whose wish.
    pub principal: Principal,
    /// With which skill.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill: Option<SkillRef>,
    /// In which run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
    /// What was to be run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Plan>,
    /// What came of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// How much of the chain is lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut: Option<Cut>,
    /// A sentence for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A skill as it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillRef {
    /// Its qualified name.
    pub name: String,
    /// The digest over everything that decides its behaviour, where one was computed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub security_hash: Option<Digest>,
}

/// The lost end of a chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cut {
    /// The number of the last receipt that was acknowledged, if the head still knew.
    pub acknowledged: Option<u64>,
    /// The digest of that receipt.
    pub hash: Option<Digest>,
    /// The number of the last receipt that was found.
    pub found: u64,
}

impl Entry {
    /// An entry that says this much and no more.
    pub fn new(kind: Kind, code: impl Into<String>, principal: Principal) -> Self {
        let code = code.into();
        Self {
            kind,
            code,
            principal,
            skill: None,
            run: None,
            plan: None,
            outcome: None,
            cut: None,
            note: None,
        }
    }
}

impl Kind {
    /// Every kind.
    pub const ALL: &'static [Self] = &[
        Self::Started,
        Self::Finished,
        Self::Interrupted,
        Self::Denied,
        Self::Load,
        Self::Asked,
        Self::Decision,
        Self::Cut,
    ];

    /// The word that stands in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Started => "started",
            Self::Finished => "finished",
            Self::Interrupted => "interrupted",
            Self::Denied => "denied",
            Self::Load => "load",
            Self::Asked => "asked",
            Self::Decision => "decision",
            Self::Cut => "cut",
        }
    }
}
