//! The reply about an agent's wish to have something installed, removed or written.

use schemars::JsonSchema;
use serde::Serialize;

use super::InstalledChange;

/// A wish: what became of it.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct Wished {
    /// `install`, `uninstall` or `create`.
    pub action: String,
    /// What it is about: a source, or a name.
    pub name: String,
    /// The request that waits for an admin.
    pub request: Option<String>,
    /// The receipt of having asked.
    pub receipt: Option<String>,
    /// Whether it was done.
    pub done: bool,
    /// What was installed or removed.
    pub installed: Vec<InstalledChange>,
}
