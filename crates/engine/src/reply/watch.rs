//! What changed between two looks.

use schemars::JsonSchema;
use serde::Serialize;

/// `watch`: what a refresh changed; all lists are empty where it failed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Watch {
    /// Skills that were not there before.
    pub added: Vec<WatchLine>,
    /// Skills that are not there any more.
    pub removed: Vec<WatchLine>,
    /// Skills whose file, place or state is another.
    pub changed: Vec<WatchLine>,
    /// How many skills load now.
    pub skill_count: usize,
    /// The version of the snapshot that is in effect now.
    pub snapshot: String,
}

/// One skill that changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WatchLine {
    /// Its qualified name.
    pub name: String,
    /// Where it came from.
    pub scope: &'static str,
    /// Its file.
    pub path: String,
    /// Whether it loads.
    pub loaded: bool,
}
