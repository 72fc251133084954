//! When a file was last seen, and as what.

use crate::directory::{Directory, Facts, Kind};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A file changed this shortly before the index was written might have changed again within one tick of the clock.
const RACY_NANOSECONDS: i128 = 50_000_000;

/// When a file or directory was last seen, and as what.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    /// Relative to the root.
    path: String,
    modified: i128,
    size: u64,
    inode: u64,
}

impl Stamp {
    /// The stamp of what stands at `path` in a root.
    pub fn new(path: impl Into<String>, facts: &Facts) -> Self {
        Self { path: path.into(), modified: facts.modified, size: size(facts), inode: facts.inode }
    }

    /// Whether what is there now is what was seen, and was not changing while the index was written.
    pub fn holds(&self, root: &Directory, written: i128) -> bool {
        let path = if self.path.is_empty() { Path::new(".") } else { Path::new(&self.path) };
        let same = |facts: &Facts| {
            (facts.modified, size(facts), facts.inode) == (self.modified, self.size, self.inode)
        };
        self.modified + RACY_NANOSECONDS < written && root.facts_of(path).is_ok_and(|facts| same(&facts))
    }
}

/// A directory's size says nothing that its modification time does not.
fn size(facts: &Facts) -> u64 {
    if facts.kind == Kind::Directory { 0 } else { facts.size }
}
