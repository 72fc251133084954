//! The replies about what is installed.

use super::vet::FindingLine;
use schemars::JsonSchema;
use serde::Serialize;

/// `add`: what was brought in.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Add {
    /// Where it was installed: `project` or `user`.
    pub scope: &'static str,
    /// Where it came from.
    pub source: Option<SourceLine>,
    /// What the source holds; all of it with `--list` or where a choice is missing, else what was chosen.
    pub candidates: Vec<CandidateLine>,
    /// What was installed.
    pub installed: Vec<InstalledChange>,
    /// What the vet said of what was to be installed, those alone in which something was found.
    pub vetted: Vec<VettedCandidate>,
    /// The lock that says so.
    pub lock: Option<String>,
}

/// Where something came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SourceLine {
    /// The address, or the path.
    pub source: String,
    /// `local`, `git` or `archive`.
    pub source_type: &'static str,
    /// The ref that was asked for; null for the default branch.
    pub r#ref: Option<String>,
    /// The commit, or the digest of the archive.
    pub resolved: Option<String>,
}

/// One thing that could be installed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CandidateLine {
    /// Its name; `plugin/skill` for a skill of a plugin, which is installed with the plugin unless it is named.
    pub name: String,
    /// `skill` or `plugin`.
    pub kind: &'static str,
    /// Where it lies in the source; empty for all of it.
    pub path: String,
    /// What it is for.
    pub description: String,
    /// Whether it loads.
    pub loaded: bool,
}

/// One thing that was installed, updated or removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct InstalledChange {
    /// Its name.
    pub name: String,
    /// `skill` or `plugin`.
    pub kind: &'static str,
    /// `installed`, `updated`, `removed` or `unchanged`.
    pub change: &'static str,
    /// Its directory.
    pub path: String,
    /// The digest of its files.
    pub digest: String,
    /// What it was found to be: a commit, or the digest of an archive.
    pub resolved: Option<String>,
    /// Where it came from.
    pub source: String,
}

/// What the vet said of one thing that was to be installed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct VettedCandidate {
    /// Its name.
    pub name: String,
    /// `warn` or `deny`.
    pub verdict: &'static str,
    /// What was found, by file and line.
    pub findings: Vec<FindingLine>,
}
