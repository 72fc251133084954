//! One difference between a source directory and what a command made of it, and what is refused as a difference.
//!
//! Owners, times and extended attributes are no part of it: what is applied belongs to whom the source belongs.

use std::path::PathBuf;

use rustix::fs::FileType;
use serde::{Deserialize, Serialize};

use super::path_text;
use crate::digest::Digest;

/// One path that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// Where, relative to the source.
    #[serde(with = "path_text")]
    pub path: PathBuf,
    /// What the source has there; `None` where it has nothing.
    pub base: Option<Node>,
    /// What the command left there; `None` where it left nothing.
    pub new: Option<Node>,
    /// Whether the caller asked for such paths to be confirmed on their own.
    pub sensitive: bool,
    /// Whether somebody else changed the source's file while the command ran, so that nobody knows which content the command saw.
    pub edited_meanwhile: bool,
}

/// What stands at a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Node {
    /// A regular file.
    File {
        /// Permissions with set-id bits.
        mode: u32,
        /// Bytes.
        size: u64,
        /// Of its content.
        digest: Digest,
    },
    /// A directory. What is in it are changes of their own.
    Directory {
        /// Permissions with the sticky bit. The set-group bit only says whose group new files get, and is left as it is.
        mode: u32,
    },
    /// A symbolic link.
    Link {
        /// What it says, which is not always where it leads.
        #[serde(with = "path_text")]
        target: PathBuf,
    },
}

/// How a path differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// The source has nothing there.
    Added,
    /// Both have something there.
    Changed,
    /// The command left nothing there.
    Deleted,
}

/// Something that the command left behind and that is never applied. One of these refuses its whole set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    /// Where, relative to the source.
    #[serde(with = "path_text")]
    pub path: PathBuf,
    /// Why.
    #[serde(flatten)]
    pub reason: Reason,
}

/// Why an entry is refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum Reason {
    /// A block or character device.
    #[error("is a device")]
    Device,
    /// A named pipe.
    #[error("is a named pipe")]
    Fifo,
    /// A socket.
    #[error("is a socket")]
    Socket,
    /// A file that would run as somebody else.
    #[error("has set-id bits (mode {mode:o})")]
    SetId {
        /// Its mode.
        mode: u32,
    },
    /// A link that leads out of the source, by itself or through others.
    #[error("links to {target:?}, which leads out of the directory")]
    LinkOut {
        /// What it says.
        #[serde(with = "path_text")]
        target: PathBuf,
    },
    /// Permissions that keep even this user out.
    #[error("cannot be read")]
    Unreadable,
    /// What it would replace cannot be read, so that nobody could tell whether it has changed.
    #[error("replaces something that cannot be read")]
    BaseUnreadable,
    /// What it would replace is a device, pipe or socket.
    #[error("replaces something that is neither file, directory nor link")]
    BaseSpecial,
    /// A file system is mounted over that place of the source.
    #[error("lies on another file system than the directory")]
    OtherFileSystem,
    /// The layer refers to other places, which a layer as we mount it never does.
    #[error("refers to another place of the layer")]
    Redirected,
    /// A name that applying uses for itself.
    #[error("has a name that is reserved for applying changes")]
    Reserved,
}

impl Change {
    /// How the path differs.
    pub fn kind(&self) -> ChangeKind {
        match (&self.base, &self.new) {
            (None, _) => ChangeKind::Added,
            (Some(_), Some(_)) => ChangeKind::Changed,
            (Some(_), None) => ChangeKind::Deleted,
        }
    }

    /// Whether nothing but the permissions differs.
    pub fn is_mode_only(&self) -> bool {
        match (&self.base, &self.new) {
            (Some(Node::Directory { .. }), Some(Node::Directory { .. })) => true,
            (Some(Node::File { digest: old, .. }), Some(Node::File { digest: new, .. })) => old == new,
            _ => false,
        }
    }
}

impl Reason {
    /// Why something is refused that is neither file, directory nor link.
    pub(super) fn of(kind: FileType) -> Reason {
        match kind {
            FileType::Fifo => Reason::Fifo,
            FileType::Socket => Reason::Socket,
            _ => Reason::Device,
        }
    }
}

impl Node {
    /// Permissions, where it has any of its own.
    pub fn mode(&self) -> Option<u32> {
        match self {
            Node::File { mode, .. } | Node::Directory { mode } => Some(*mode),
            Node::Link { .. } => None,
        }
    }

    /// Whether it is a directory.
    pub fn is_directory(&self) -> bool {
        matches!(self, Node::Directory { .. })
    }
}
