//! The replies about what goes to other machines and installers, and comes from them.

use super::approvals::GrantLine;
use super::install::{InstalledChange, PluginPreview, VettedCandidate};
use guild_source::lock::Entry;
use schemars::JsonSchema;
use serde::Serialize;

/// `import`: what was brought in.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Import {
    /// Where it was installed: `project` or `user`.
    pub scope: &'static str,
    /// What the file is: `bundle`, `skills-lock`, `skill-lock` or `clawhub`.
    pub form: &'static str,
    /// What was installed.
    pub installed: Vec<InstalledChange>,
    /// What was not, and why.
    pub skipped: Vec<SkippedLine>,
    /// What the vet said of what was to be installed, those alone in which something was found.
    pub vetted: Vec<VettedCandidate>,
    /// The lock that says so.
    pub lock: Option<String>,
    /// What the plugins bring that have come and are off until somebody switches them on.
    pub previews: Vec<PluginPreview>,
    /// The installation that made the bundle; null for a lock.
    pub installation: Option<String>,
    /// Whether its key is trusted here, so that its approvals count.
    pub trusted: Option<bool>,
    /// The approvals that were taken on.
    pub grants: Vec<GrantLine>,
    /// The approvals that are only proposed: each is a request that a person answers.
    pub proposals: Vec<ProposalLine>,
    /// How many receipts came and were verified.
    pub receipts: Option<u64>,
    /// Where they are kept, for `receipts verify --file`.
    pub chain: Option<String>,
}

/// An approval of somebody who is not trusted here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ProposalLine {
    /// The request, for `approve` and `deny`.
    pub request: String,
    /// For which agent.
    pub agent: String,
    /// For which skill.
    pub skill: String,
    /// For which state of it.
    pub security_hash: String,
}

/// `export`: what was written for others.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Export {
    /// Whose installation it is: `project` or `user`.
    pub scope: &'static str,
    /// What was written: `bundle`, `skills-lock` or `skill-lock`.
    pub form: &'static str,
    /// The file.
    pub path: Option<String>,
    /// What is in it.
    pub exported: Vec<ExportLine>,
    /// What is not, and why.
    pub skipped: Vec<SkippedLine>,
    /// How many approvals are in it.
    pub grants: usize,
    /// How many receipts are in it.
    pub receipts: u64,
}

/// Something that was exported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ExportLine {
    /// Its name.
    pub name: String,
    /// `skill` or `plugin`.
    pub kind: &'static str,
    /// The digest of its files.
    pub digest: String,
}

impl ExportLine {
    /// The line of an entry of the lock.
    pub(crate) fn of(entry: &Entry) -> Self {
        Self { name: entry.name.clone(), kind: entry.kind.word(), digest: entry.digest.to_string() }
    }
}

/// Something that was left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SkippedLine {
    /// Its name.
    pub name: String,
    /// Why.
    pub reason: String,
}
