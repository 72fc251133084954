//! The replies about warnings that a person has allowed.

use guild_ledger::Suppression;
use schemars::JsonSchema;
use serde::Serialize;

use super::PrincipalLine;

/// A warning that a person has looked at and allowed.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct AllowedWarning {
    /// Its name, for `vet disallow`.
    pub id: String,
    /// The warning.
    pub code: String,
    /// The digest of the content in which it was found.
    pub digest: String,
    /// The rules under which it was found; under others it is shown again.
    pub rules: String,
    /// Why it is nothing to worry about.
    pub reason: String,
    /// When it was allowed.
    pub at: String,
    /// Who allowed it.
    pub by: PrincipalLine,
}

/// `vet allow`: a warning that is shown no more for this content.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct VetAllow {
    /// The skill.
    pub skill: Option<String>,
    /// The warning; null where none was allowed.
    pub warning: Option<AllowedWarning>,
    /// Names near the skill's, or the qualified names of those that bear it.
    pub candidates: Vec<String>,
}

/// `vet allowed`: every warning that was allowed.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct VetAllowed {
    /// The warnings, the oldest first.
    pub warnings: Vec<AllowedWarning>,
    /// How many there are.
    pub count: usize,
}

impl AllowedWarning {
    pub(crate) fn of(suppression: &Suppression) -> Self {
        let warning = &suppression.warning;
        Self {
            id: suppression.id.to_string(),
            code: warning.code.clone(),
            digest: warning.content.to_string(),
            rules: warning.rules.clone(),
            reason: warning.why.clone(),
            at: suppression.at.to_string(),
            by: PrincipalLine::of(&suppression.by),
        }
    }
}
