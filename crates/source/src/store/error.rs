//! What goes wrong with trees and with the store.

use super::limits::Limit;
use guild_manifest::{Digest, NotATree};
use std::fmt;
use std::io;
use std::path::PathBuf;

/// Why a tree was not staged.
#[derive(Debug, thiserror::Error)]
pub enum StageError {
    /// Something in it has no place in a skill.
    #[error("`{path}` {reason}")]
    Refused {
        /// Where, below the root of the tree.
        path: String,
        /// Why.
        reason: Reason,
    },
    /// There is too much of it.
    #[error("{0}")]
    TooLarge(Limit),
    /// It cannot be read.
    #[error("cannot read {}", .path.display())]
    Read {
        /// What could not be read.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Its paths make no tree.
    #[error(transparent)]
    Tree(#[from] NotATree),
    /// It cannot be kept.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why something has no place in a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// A link that leads out of the tree.
    LeadsOut,
    /// A link that leads to nothing.
    LeadsNowhere,
    /// Links that lead back to where they came from.
    LeadsBack,
    /// A link, where there can be none.
    Link,
    /// A pipe.
    Pipe,
    /// A socket.
    Socket,
    /// A device.
    Device,
    /// A name that is no text.
    NotText,
}

/// Why the store cannot be used, or does not have what was asked for.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The content is not there.
    #[error("the store has no content {digest}")]
    Missing {
        /// Its digest.
        digest: Digest,
    },
    /// The content is not what its digest says.
    #[error("the stored content {} is damaged", .path.display())]
    Damaged {
        /// Its digest.
        digest: Digest,
        /// Its file.
        path: PathBuf,
    },
    /// The content is no manifest of a tree.
    #[error("the content {digest} is no tree")]
    NotATree {
        /// Its digest.
        digest: Digest,
    },
    /// The store is of a version that this program does not know.
    #[error("the store is of version `{found}`, which this program does not know; see {}", .path.display())]
    Version {
        /// Where it says so.
        path: PathBuf,
        /// The version.
        found: String,
    },
    /// The system refused something.
    #[error("cannot {action} {}", .path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// With which file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::LeadsOut => "is a link that leads out of the directory",
            Self::LeadsNowhere => "is a link that leads nowhere",
            Self::LeadsBack => "is a link that leads back to a directory above it, or to itself",
            Self::Link => "is a link",
            Self::Pipe => "is a pipe",
            Self::Socket => "is a socket",
            Self::Device => "is a device",
            Self::NotText => "has a name that is no UTF-8 text",
        })
    }
}
