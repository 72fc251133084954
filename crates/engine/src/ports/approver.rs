//! Whoever can be asked now: a person at a terminal, a page, a client that passes the question on.

use std::time::Duration;

use super::Pending;
use crate::Shown;

/// What a person is asked, everything of it still to be escaped by whoever shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// For which agent.
    pub agent: String,
    /// With which skill.
    pub skill: String,
    /// In which state of it.
    pub security_hash: String,
    /// In which workspace.
    pub workspace: String,
    /// What would be run, what it needs, what changed, what the vet found.
    pub shown: Shown,
}

/// What a person says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// This once.
    Once,
    /// From now on, or for so long.
    Always {
        /// For how long; for ever if absent.
        lasting: Option<Duration>,
    },
    /// No, until the skill changes.
    Deny,
}

/// Somebody who can be asked.
pub trait Approver: Send + Sync {
    /// Asks; nothing if nobody answered.
    fn ask<'a>(&'a self, question: &'a Question) -> Pending<'a, Option<Answer>>;

    /// How the answer comes: `terminal`, `flag`, `http`, …
    fn via(&self) -> &'static str;
}
