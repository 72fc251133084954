//! When a file was last seen, and as what.

use serde::{Deserialize, Serialize};
use std::fs::{self, Metadata};
use std::path::Path;
use std::time::SystemTime;

/// A file changed this shortly before the index was written might have changed again within one tick of the clock.
const RACY_NANOSECONDS: i128 = 50_000_000;

/// When a file or directory was last seen, and as what.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    /// Relative to the skill's directory; empty for the directory itself.
    path: String,
    modified: i128,
    size: u64,
    inode: u64,
}

impl Stamp {
    /// The stamp of what `metadata` describes.
    pub fn new(path: impl Into<String>, metadata: &Metadata) -> Self {
        // A directory's size says nothing that its modification time does not.
        let size = if metadata.is_dir() { 0 } else { metadata.len() };
        Self { path: path.into(), modified: modified(metadata), size, inode: inode(metadata) }
    }

    /// Whether what is there now is what was seen, and was not changing while the index was written.
    pub fn holds(&self, directory: &Path, written: i128) -> bool {
        let seen = if self.path.is_empty() { fs::metadata(directory) } else { fs::metadata(directory.join(&self.path)) };
        let same = |metadata: &Metadata| {
            let now = Self::new(String::new(), metadata);
            (now.modified, now.size, now.inode) == (self.modified, self.size, self.inode)
        };
        self.modified + RACY_NANOSECONDS < written && seen.is_ok_and(|metadata| same(&metadata))
    }
}

/// Nanoseconds since 1970.
pub fn modified(metadata: &Metadata) -> i128 {
    let since = metadata.modified().ok().and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
    since.and_then(|since| i128::try_from(since.as_nanos()).ok()).unwrap_or(-1)
}

#[cfg(unix)]
fn inode(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(not(unix))]
fn inode(_: &Metadata) -> u64 {
    0
}
