//! When a file was last seen, and as what.
//!
//! A stamp says whether to read again; it says nothing of the content.

use crate::directory::{Facts, Kind};
use serde::{Deserialize, Serialize};

/// A file changed this shortly before the look at it might have changed again within one tick of the clock.
const RACY_NANOSECONDS: i64 = 50_000_000;

/// When a file or directory was last seen, and as what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Stamp {
    modified: i64,
    size: u64,
    inode: u64,
}

impl Stamp {
    /// The stamp of what has these facts.
    pub fn of(facts: &Facts) -> Self {
        // A directory's size says nothing that its modification time does not.
        let size = if facts.kind == Kind::Directory { 0 } else { facts.size };
        Self { modified: facts.modified, size, inode: facts.inode }
    }

    /// The bytes of a file.
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// Whether what was seen had been at rest when the look began.
    pub fn is_settled(&self, begun: i64) -> bool {
        self.modified.saturating_add(RACY_NANOSECONDS) < begun
    }
}
