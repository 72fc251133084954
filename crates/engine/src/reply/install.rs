//! The replies about what is installed.

use super::skill_diff::Comparison;
use super::vet::FindingLine;
use crate::diff::Difference;
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
    /// What the plugins bring that have come and are off until somebody switches them on.
    pub previews: Vec<PluginPreview>,
    /// The request that an agent's wish has become.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<String>,
}

/// What a plugin brings.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PluginPreview {
    /// Its name.
    pub name: String,
    /// Its version, as written.
    pub version: Option<String>,
    /// What it is for.
    pub description: String,
    /// Who made it, as they say.
    pub author: Option<String>,
    /// Its skills.
    pub skills: Vec<String>,
    /// The tools that it brings.
    pub tools: Vec<String>,
    /// The MCP servers that it brings.
    pub servers: Vec<String>,
    /// The headings of what it adds to prompts.
    pub prompt_sections: Vec<String>,
    /// What of it runs by itself: its hooks, and the files that have more of them.
    pub hooks: Vec<String>,
    /// Files and directories of commands.
    pub commands: Vec<String>,
    /// Files and directories of agents.
    pub agents: Vec<String>,
    /// Variables of the environment that it cannot do without.
    pub required_env: Vec<String>,
    /// Plugins that it builds on.
    pub dependencies: Vec<String>,
}

/// Where something came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SourceLine {
    /// The address, or the path.
    pub source: String,
    /// `local`, `git`, `archive`, `skills` (a file at an address), `well-known` (a site's index), `npm` or `marketplace`.
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
    /// Whether it is on: `enabled`, `disabled` or `error`; null once it is removed.
    pub status: Option<&'static str>,
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

/// `remove`, `sync`, `pin` and their like: what has become of what is installed.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Changed {
    /// Where: `project` or `user`.
    pub scope: &'static str,
    /// What has become of each.
    pub changes: Vec<InstalledChange>,
    /// What differs from the lock and was left alone.
    pub drift: Vec<DriftLine>,
    /// What the vet said, of those alone in which something was found.
    pub vetted: Vec<VettedCandidate>,
    /// What the plugins bring that have come and are off until somebody switches them on.
    pub previews: Vec<PluginPreview>,
    /// The request that an agent's wish has become.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<String>,
}

/// Something installed that is not what the lock says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DriftLine {
    /// Its name.
    pub name: String,
    /// `skill` or `plugin`.
    pub kind: &'static str,
    /// `edited`, or `extra` where it was installed here and the lock does not name it any more.
    pub state: &'static str,
}

/// `verify`: every installed byte against the lock.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Verify {
    /// Whether everything is what the lock says.
    pub ok: bool,
    /// Files that are not what they were, with what has changed.
    pub changed: Vec<FileDrift>,
    /// Files that are gone; one without a path is all of it.
    pub missing: Vec<FileDrift>,
    /// Files that were not there.
    pub extra: Vec<FileDrift>,
    /// Where: `project` or `user`.
    pub scope: &'static str,
    /// How many skills and plugins were looked at.
    pub checked: usize,
    /// Those that are links to their source, and so are not compared.
    pub linked: Vec<String>,
}

/// A file that is not what the lock says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileDrift {
    /// The skill or plugin.
    pub name: String,
    /// `skill` or `plugin`.
    pub kind: &'static str,
    /// The file in it; empty for all of it.
    pub path: String,
    /// Whether the lock says that it is executable; nothing of files that are gone or were not there.
    pub was_executable: Option<bool>,
    /// Whether it is executable now.
    pub is_executable: Option<bool>,
    /// What has changed in it.
    pub difference: Difference,
}

/// `list --installed`: what is installed.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Installed {
    /// The project's first, then the person's own.
    pub installed: Vec<InstalledLine>,
    /// How many there are.
    pub count: usize,
}

/// Something that is installed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct InstalledLine {
    /// Its name.
    pub name: String,
    /// `skill` or `plugin`.
    pub kind: &'static str,
    /// `project` or `user`.
    pub scope: &'static str,
    /// `intact`, `edited`, `missing` or `linked`.
    pub state: &'static str,
    /// Whether it is on.
    pub enabled: bool,
    /// Why it is off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub off: Option<String>,
    /// Whether it is off because its own hook has failed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
    /// Where it came from.
    pub source: String,
    /// `local`, `git`, `archive`, `skills` (a file at an address), `well-known` (a site's index) or `npm`.
    pub source_type: &'static str,
    /// Where it lies in the source; null for all of it.
    pub source_path: Option<String>,
    /// The ref that was asked for; null for the default branch.
    pub r#ref: Option<String>,
    /// The commit, or the digest of the archive.
    pub resolved: Option<String>,
    /// Whether updates leave it alone.
    pub pinned: bool,
    /// Its directory.
    pub path: String,
    /// The digest of its files.
    pub digest: String,
    /// How many files it has.
    pub files: usize,
    /// The first 200 characters of a skill's instructions.
    pub preview: String,
}

/// `outdated`: what has moved at its source.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Outdated {
    /// Where: `project` or `user`.
    pub scope: &'static str,
    /// Everything that is installed there, or what was asked for.
    pub skills: Vec<OutdatedLine>,
    /// How many of them can be updated.
    pub count: usize,
}

/// Something installed, and what is at its source now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OutdatedLine {
    /// Its name.
    pub name: String,
    /// `skill` or `plugin`.
    pub kind: &'static str,
    /// `current`, `outdated`, `pinned` (outdated, and left alone) or `unknown`.
    pub state: &'static str,
    /// The ref that was asked for; null for the default branch.
    pub r#ref: Option<String>,
    /// What is installed: a commit or a digest.
    pub current: Option<String>,
    /// What is at the source.
    pub latest: Option<String>,
    /// Why that is not known.
    pub reason: Option<String>,
    /// Where it came from.
    pub source: String,
}

/// `update`: what would change, and what has.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Update {
    /// Where: `project` or `user`.
    pub scope: &'static str,
    /// Everything that was looked at.
    pub updates: Vec<UpdateLine>,
    /// What the vet says of what would be installed, of those alone in which something was found.
    pub vetted: Vec<VettedCandidate>,
    /// What has become of each; empty before it is confirmed.
    pub changes: Vec<InstalledChange>,
}

/// One thing, and what an update does to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UpdateLine {
    /// Its name.
    pub name: String,
    /// `skill` or `plugin`.
    pub kind: &'static str,
    /// `update`, `current`, `pinned`, `kept`, or `unknown` where its source cannot be had.
    pub state: &'static str,
    /// Why that is not known.
    pub reason: Option<String>,
    /// What is installed: a commit or a digest.
    pub from: Option<String>,
    /// What would be.
    pub to: Option<String>,
    /// What becomes of edits: `none`, `kept`, `replaced`, `merged`; `undecided` or `contradicting` where they stop the update.
    pub edits: &'static str,
    /// What it may do then and cannot now, and every file that changes.
    #[serde(flatten)]
    pub comparison: Comparison,
}
