//! What a child agent would change in a skill.

use schemars::JsonSchema;
use serde::Serialize;

use super::check::ProblemLine;
use super::vet::FindingLine;
use crate::diff::Difference;

/// `improve`: what is proposed, or what was written.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Improve {
    /// The skill's qualified name.
    pub skill: String,
    /// The skill's file.
    pub path: Option<String>,
    /// The proposal's digest, by which it is applied; null where there is none.
    pub proposal: Option<String>,
    /// Whether it was written.
    pub applied: bool,
    /// What changes in the file.
    pub difference: Difference,
    /// What authoring finds wrong with the proposal.
    pub problems: Vec<ProblemLine<'static>>,
    /// What the vet denies in it.
    pub findings: Vec<FindingLine>,
    /// The receipt of the run, or of the decision.
    pub receipt: Option<String>,
}
