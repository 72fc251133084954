//! How much is read of a tree that a stranger has written.

use std::io;
use std::path::{Path, PathBuf};

/// How much of a tree is read or copied; one that has more is refused as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Files, directories and links.
    pub entries: u64,
    /// Bytes of all files together.
    pub bytes: u64,
}

/// Why a tree was not read to its end.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// More entries than the bounds allow.
    #[error("there are more than {limit} entries")]
    TooMany {
        /// How many there may be.
        limit: u64,
    },
    /// More bytes than the bounds allow.
    #[error("there are more than {limit} bytes")]
    TooLarge {
        /// How many there may be.
        limit: u64,
    },
    /// Longer paths and links than the bounds allow.
    #[error("all paths and links together are longer than {limit} bytes")]
    TooLong {
        /// How long they may be.
        limit: u64,
    },
    /// A path that is longer than the kernel takes.
    #[error("a path is longer than {limit} bytes")]
    TooDeep {
        /// How long it may be.
        limit: usize,
    },
    /// The system refused.
    #[error("cannot read {path:?}")]
    Io {
        /// Where.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// What is left of some bounds.
#[derive(Debug)]
pub(super) struct Budget {
    bounds: Bounds,
    entries: u64,
    bytes: u64,
    text: u64,
}

/// Bytes of paths and links for each entry that is allowed, which they have to share: a list of a stranger's longest is no longer than
/// one of ordinary ones.
const TEXT_OF_AN_ENTRY: u64 = 160;

impl Default for Bounds {
    /// 200,000 entries and 2 GiB.
    fn default() -> Bounds {
        Bounds { entries: 200_000, bytes: 2 << 30 }
    }
}

impl Bounds {
    pub(super) const fn budget(self) -> Budget {
        Budget { bounds: self, entries: self.entries, bytes: self.bytes, text: self.text() }
    }

    const fn text(self) -> u64 {
        self.entries.saturating_mul(TEXT_OF_AN_ENTRY)
    }
}

impl Budget {
    /// Counts one entry at this path.
    pub fn entry(&mut self, path: &Path) -> Result<(), ReadError> {
        let left = self.entries.checked_sub(1);
        self.entries = left.ok_or(ReadError::TooMany { limit: self.bounds.entries })?;
        self.text(path)
    }

    /// Counts what a path or link says.
    pub fn text(&mut self, text: &Path) -> Result<(), ReadError> {
        let left = self.text.checked_sub(text.as_os_str().len() as u64);
        self.text = left.ok_or(ReadError::TooLong { limit: self.bounds.text() })?;
        Ok(())
    }

    /// Whether this many bytes are left.
    pub fn allow(&self, bytes: u64) -> Result<(), ReadError> {
        if bytes > self.bytes { Err(ReadError::TooLarge { limit: self.bounds.bytes }) } else { Ok(()) }
    }

    /// Counts bytes.
    pub fn spend(&mut self, bytes: u64) -> Result<(), ReadError> {
        self.allow(bytes)?;
        self.bytes -= bytes;
        Ok(())
    }

    /// Entries that are left.
    pub const fn entries_left(&self) -> u64 {
        self.entries
    }

    /// Bytes that are left.
    pub const fn bytes_left(&self) -> u64 {
        self.bytes
    }
}
