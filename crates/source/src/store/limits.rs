//! How much one tree may hold. Reading stops where a limit is reached, and nothing of the tree is kept as one.

use super::error::StageError;
use std::fmt;

/// How many names of files, directories and links there may be.
pub const MAX_NAMES: u64 = 10_000;
/// How many bytes there may be in all files together.
pub const MAX_BYTES: u64 = 256 * 1024 * 1024;
/// How many bytes there may be in one file.
pub const MAX_FILE_BYTES: u64 = 128 * 1024 * 1024;
/// How many directories may lie within each other.
pub const MAX_DEPTH: usize = 32;

/// A limit that was reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Limit {
    /// There are more names than [`MAX_NAMES`].
    Names,
    /// There are more bytes than [`MAX_BYTES`].
    Bytes,
    /// One file has more bytes than [`MAX_FILE_BYTES`].
    FileBytes {
        /// Which one.
        path: String,
    },
    /// Directories lie deeper than [`MAX_DEPTH`].
    Depth {
        /// The first that does.
        path: String,
    },
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Names => write!(f, "there are more than {MAX_NAMES} files"),
            Self::Bytes => write!(f, "the files have more than {MAX_BYTES} bytes together"),
            Self::FileBytes { path } => write!(f, "`{path}` has more than {MAX_FILE_BYTES} bytes"),
            Self::Depth { path } => write!(f, "`{path}` lies more than {MAX_DEPTH} directories deep"),
        }
    }
}

/// What is left of the limits while a tree is read.
#[derive(Debug)]
pub struct Budget {
    names: u64,
    bytes: u64,
}

impl Budget {
    /// Everything.
    pub const fn full() -> Self {
        Self { names: MAX_NAMES, bytes: MAX_BYTES }
    }

    /// Takes one name.
    pub fn name(&mut self) -> Result<(), StageError> {
        self.names = self.names.checked_sub(1).ok_or(StageError::TooLarge(Limit::Names))?;
        Ok(())
    }

    /// Takes the bytes of a file.
    pub fn file(&mut self, path: &str, bytes: u64) -> Result<(), StageError> {
        if bytes > MAX_FILE_BYTES {
            return Err(StageError::TooLarge(Limit::FileBytes { path: path.to_owned() }));
        }
        self.bytes = self.bytes.checked_sub(bytes).ok_or(StageError::TooLarge(Limit::Bytes))?;
        Ok(())
    }

    /// How many bytes are worth reading of one file: one more than is allowed.
    pub fn worth_reading(&self) -> u64 {
        self.bytes.min(MAX_FILE_BYTES) + 1
    }
}
