//! The reply about two security hashes of one skill.

use crate::diff::Difference;
use schemars::JsonSchema;
use serde::Serialize;

/// `diff`: what has changed in a skill between two security hashes.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct SkillDiff {
    /// Whether the skill was found.
    pub found: bool,
    /// Its qualified name.
    pub skill: Option<String>,
    /// The hash that it had.
    pub from: Option<String>,
    /// The hash that it has.
    pub to: Option<String>,
    /// Whether these differ.
    pub changed: bool,
    /// What differs.
    #[serde(flatten)]
    pub comparison: Comparison,
    /// Names near what was asked for, or the qualified names of those that bear it.
    pub candidates: Vec<String>,
}

/// What differs between two security hashes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Comparison {
    /// What it may do now and could not before, or no longer, or otherwise.
    pub capabilities: Vec<CapabilityChange>,
    /// Its files, those alone that changed, sorted by path.
    pub files: Vec<FileChange>,
}

/// One thing that a skill may do, and how that has changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CapabilityChange {
    /// What it is about, such as `network`, `env` or `limits.memory_mb`.
    pub capability: &'static str,
    /// What was; null where there was nothing, or the default.
    pub before: Option<String>,
    /// What is; null where there is nothing, or the default.
    pub after: Option<String>,
    /// Whether that is more than before, or cannot be compared with it; false where it is less.
    pub wider: bool,
}

/// One file that has changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileChange {
    /// Where it lies in the skill, or in its plugin.
    pub path: String,
    /// `added`, `changed` or `removed`.
    pub change: &'static str,
    /// Whether it could be executed; null where it was not there.
    pub was_executable: Option<bool>,
    /// Whether it can be executed; null where it is gone.
    pub is_executable: Option<bool>,
    /// Whether it fixes versions of dependencies.
    pub lock: bool,
    /// What changes in it.
    pub difference: Difference,
}
