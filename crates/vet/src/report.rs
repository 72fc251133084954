//! What came of vetting one skill.

use crate::codes::Code;
use crate::finding::Finding;
use crate::needs::Needs;
use crate::verdict::{Policy, RULES, Verdict, Version};
use guild_manifest::Digest;

/// What came of vetting one skill.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The content that was looked at.
    pub digest: Digest,
    /// The rules it was looked at with.
    pub rules: Version,
    /// What was found, by file and line.
    pub findings: Vec<Finding>,
    /// What was left unread, and why; where anything was, the result is never clean.
    pub partial: Vec<String>,
    /// What the scripts evidently need.
    pub needs: Needs,
}

impl Report {
    /// A report under the current rules.
    pub(crate) fn new(digest: Digest, findings: Vec<Finding>, partial: Vec<String>, needs: Needs) -> Self {
        Self { digest, rules: RULES, findings, partial, needs }
    }

    /// The verdict under a policy: it depends on the codes alone.
    pub fn verdict(&self, policy: &Policy) -> Verdict {
        policy.verdict(self.codes(), self.digest)
    }

    /// The codes that were found.
    pub fn codes(&self) -> impl Iterator<Item = Code> + '_ {
        self.findings.iter().map(|finding| finding.code)
    }
}
