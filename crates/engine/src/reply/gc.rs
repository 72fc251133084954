//! What went out of the store.

use schemars::JsonSchema;
use serde::Serialize;

/// `gc`: what was removed, or would be.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Gc {
    /// Whether it was only counted.
    pub dry_run: bool,
    /// Receipts since then count, and what was used since then stays; nothing where all receipts count.
    pub since: Option<String>,
    /// How many blobs, logs and trees went, or would go.
    pub removed: usize,
    /// How many stay.
    pub kept: usize,
    /// How many bytes that frees.
    pub freed: u64,
}
