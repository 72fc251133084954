//! The replies about what goes to other machines and installers, and comes from them.

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
