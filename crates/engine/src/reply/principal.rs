//! Who asked or decided, as every reply shows them.

use guild_ledger::Principal;
use schemars::JsonSchema;
use serde::Serialize;

/// Who a call came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PrincipalLine {
    /// `person` or `agent`.
    pub kind: &'static str,
    /// The agent that was spoken for.
    pub agent: String,
    /// `viewer`, `operator` or `admin`.
    pub role: &'static str,
    /// How the call came: `terminal`, `flag`, `command`, `mcp`, `http`, …
    pub via: String,
}

impl PrincipalLine {
    /// The line of a principal.
    pub fn of(principal: &Principal) -> Self {
        Self {
            kind: principal.kind.as_str(),
            agent: principal.agent.clone(),
            role: principal.role.as_str(),
            via: principal.via.clone(),
        }
    }
}
