//! The replies about secrets; no value is in any of them.

use guild_ledger::Secret;
use schemars::JsonSchema;
use serde::Serialize;

use super::PrincipalLine;

/// `secret set` and `secret remove`.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct SecretChanged {
    /// The variable.
    pub name: String,
    /// Whether it was done.
    pub done: bool,
    /// The receipt of it.
    pub receipt: Option<String>,
}

/// `secret list`: the secrets that are kept.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct Secrets {
    /// The secrets, by name.
    pub secrets: Vec<SecretLine>,
    /// How many there are.
    pub count: usize,
}

/// A secret that is kept.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SecretLine {
    /// The variable.
    pub name: String,
    /// Since when it has its value.
    pub at: String,
    /// Who set it.
    pub by: PrincipalLine,
}

impl SecretLine {
    pub(crate) fn of(secret: &Secret) -> Self {
        Self { name: secret.name.clone(), at: secret.at.to_string(), by: PrincipalLine::of(&secret.by) }
    }
}
