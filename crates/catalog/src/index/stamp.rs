//! When a file was last seen, and as what.
//!
//! A stamp says whether to read again; it says nothing of the content.

use crate::directory::{Facts, Kind};

/// A file changed this shortly before the look at it might have changed again within one tick of the clock.
const RACY_NANOSECONDS: i64 = 50_000_000;

/// When a file or directory was last seen, and as what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stamp {
    modified: i64,
    /// Of a directory it is when it was touched: its size says nothing, and its date may have been set back.
    size: u64,
    inode: u64,
}

impl Stamp {
    /// How many bytes a stamp takes.
    pub const BYTES: usize = 24;

    /// The stamp of what has these facts.
    pub fn of(facts: &Facts) -> Self {
        let size = if facts.kind == Kind::Directory { facts.touched.cast_unsigned() } else { facts.size };
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

    /// The stamp as bytes of one length: numbers of as few bytes as possible take ten times as long to read.
    pub fn to_bytes(self) -> [u8; Self::BYTES] {
        let parts = [self.modified.to_le_bytes(), self.size.to_le_bytes(), self.inode.to_le_bytes()];
        let mut bytes = [0; Self::BYTES];
        bytes.as_chunks_mut().0.copy_from_slice(&parts);
        bytes
    }

    /// The stamp that these bytes are of.
    pub fn from_bytes(bytes: [u8; Self::BYTES]) -> Option<Self> {
        let [modified, size, inode] = *bytes.as_chunks().0.first_chunk()?;
        let (modified, size) = (i64::from_le_bytes(modified), u64::from_le_bytes(size));
        Some(Self { modified, size, inode: u64::from_le_bytes(inode) })
    }
}
