//! Why an image cannot be brought in.

use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};

use super::digest::Digest;

/// Why an image could not be brought in. Nothing of it is left behind.
#[derive(Debug, thiserror::Error)]
pub enum ImageError {
    /// It is no image, or a broken one.
    #[error("{what} cannot be used: {reason}")]
    Invalid {
        /// What was looked at.
        what: String,
        /// What is wrong with it.
        reason: String,
    },
    /// An entry would reach beyond the image's own root.
    #[error("the image holds `{path}`, which {reason}")]
    Unsafe {
        /// The entry, as the image names it.
        path: String,
        /// What is wrong with it.
        reason: String,
    },
    /// It is larger than images may be.
    #[error("the image has more than {limit} {what}")]
    TooLarge {
        /// What there is too much of.
        what: &'static str,
        /// How much there may be.
        limit: u64,
    },
    /// Its compressed form unpacks to so much more that it can only be meant to fill the disk.
    #[error("the image unpacks to more than {limit} times its size")]
    Bomb {
        /// How many times its size it may unpack to.
        limit: u64,
    },
    /// Content is not what its name says.
    #[error("{what} has the digest {found} and not {expected}")]
    Mismatch {
        /// What was read.
        what: String,
        /// What it should have been.
        expected: Digest,
        /// What it was.
        found: Digest,
    },
    /// It is an image, but none that can be kept or run here.
    #[error("{what}")]
    Unsupported {
        /// What is not supported.
        what: String,
    },
    /// An archive holds several, and nobody said which.
    #[error("there are several images: {}", .candidates.join(", "))]
    Ambiguous {
        /// Their names.
        candidates: Vec<String>,
    },
    /// A name that cannot be kept.
    #[error("`{name}` cannot name an image: {reason}")]
    Name {
        /// The name.
        name: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The store cannot be used.
    #[error(transparent)]
    Store(#[from] super::store::StoreError),
    /// A file of the store, or of the image's source, cannot be read or written.
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

/// What a reader says, inside an `io::Error`, when it has seen enough of hostile data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Refusal {
    #[error("more than {limit} {what}")]
    TooLarge { what: &'static str, limit: u64 },
    #[error("more than {limit} times its size")]
    Bomb { limit: u64 },
}

impl ImageError {
    /// The error of something that is no image, or a broken one.
    pub(super) fn invalid(what: impl Into<String>, reason: impl Into<String>) -> ImageError {
        ImageError::Invalid { what: what.into(), reason: reason.into() }
    }

    /// The error of an entry that would reach beyond the root.
    pub(super) fn harmful(path: &[u8], reason: impl Into<String>) -> ImageError {
        ImageError::Unsafe { path: shown(path), reason: reason.into() }
    }

    /// Something that was tried with a file of ours, as a function for `map_err`.
    pub(super) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> ImageError {
        let path = path.to_owned();
        move |source| ImageError::Io { action, path, source }
    }

    /// What a failed read of `what` means: the disk's fault where the system gave a number, else that of the data.
    pub(super) fn reading(what: &str, error: io::Error) -> ImageError {
        if let Some(refusal) = refusal(&error) {
            return match refusal {
                Refusal::TooLarge { what, limit } => ImageError::TooLarge { what, limit },
                Refusal::Bomb { limit } => ImageError::Bomb { limit },
            };
        }
        match error.raw_os_error() {
            Some(_) => ImageError::Io { action: "read", path: what.into(), source: error },
            None => ImageError::invalid(what, innermost(&error)),
        }
    }
}

impl From<Refusal> for io::Error {
    fn from(refusal: Refusal) -> io::Error {
        io::Error::other(refusal)
    }
}

/// The refusal inside an error, however many readers have wrapped it.
fn refusal(error: &io::Error) -> Option<Refusal> {
    let mut cause: Option<&(dyn Error + 'static)> = error.get_ref().map(|error| error as _);
    while let Some(error) = cause {
        if let Some(refusal) = error.downcast_ref::<Refusal>() {
            return Some(*refusal);
        }
        // The tar reader wraps I/O errors in its own, whose source is the I/O error.
        cause = match error.downcast_ref::<io::Error>() {
            Some(inner) => inner.get_ref().map(|error| error as _),
            None => error.source(),
        };
    }
    None
}

/// What the innermost reader said, which is what a person can act on.
fn innermost(error: &io::Error) -> String {
    let mut cause: &dyn Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}

/// A name out of an archive, for messages.
pub(super) fn shown(path: &[u8]) -> String {
    const LONGEST: usize = 200;
    let text = String::from_utf8_lossy(path);
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.into_owned(),
    }
}
