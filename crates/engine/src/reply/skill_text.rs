//! The reply about one file of a skill.

use schemars::JsonSchema;
use serde::Serialize;

/// A file of a skill, as a model reads it.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct SkillText {
    /// The skill, as it was asked for.
    pub skill: String,
    /// Where the file lies in it.
    pub path: String,
    /// What is in it; bytes that are no UTF-8 are replaced.
    pub text: String,
}
