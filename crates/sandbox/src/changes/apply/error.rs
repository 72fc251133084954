//! The ways in which a set is not applied.

use std::io;
use std::path::{Path, PathBuf};

use super::super::bounds::ReadError;
use super::super::change::Refused;
use super::super::layer::LayerError;
use super::super::set::ChangeSetId;
use super::super::store::StoreError;

/// Why a set was not applied.
#[derive(Debug, thiserror::Error)]
pub enum ApplyError {
    /// The set has entries that are never applied. Nothing was applied.
    #[error("{} of the changes cannot be applied: {}", .entries.len(), named(.entries, |entry| format!("{:?} {}", entry.path, entry.reason)))]
    Refused {
        /// Each of them.
        entries: Vec<Refused>,
    },
    /// The source is no longer what the set was made from. Nothing was applied.
    #[error("the directory has changed since: {}", named(.conflicts, |conflict| format!("{:?} {}", conflict.path, conflict.kind)))]
    Conflict {
        /// Each path that has changed.
        conflicts: Vec<Conflict>,
    },
    /// The set was applied before.
    #[error("change set `{id}` is applied already")]
    AlreadyApplied {
        /// Its name.
        id: ChangeSetId,
    },
    /// The layer no longer has what was listed. Nothing was applied.
    #[error("what was to be applied at {path:?} has changed since it was listed")]
    LayerChanged {
        /// Where, relative to the source.
        path: PathBuf,
    },
    /// A step failed, and everything was put back.
    #[error("cannot change {path:?}; everything is as it was")]
    Undone {
        /// Where, relative to the source.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A step failed, and somebody else has meanwhile changed what was to be put back. Nothing is lost.
    #[error("cannot put back {paths:?}, which somebody else has changed; what was there is kept in {kept:?}")]
    Disturbed {
        /// What was not put back, relative to the source; empty where what was kept could not be found.
        paths: Vec<PathBuf>,
        /// Where it is.
        kept: PathBuf,
    },
    /// The source could not be compared. Nothing was applied.
    #[error("cannot compare the directory")]
    Read(#[from] ReadError),
    /// The layer could not be read. Nothing was applied.
    #[error("cannot read what is to be applied")]
    Layer(#[from] LayerError),
    /// The state directory could not be used.
    #[error("cannot use the state directory")]
    Store(#[from] StoreError),
    /// The system refused.
    #[error("cannot use {path:?}")]
    Io {
        /// What was used.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// A path of the source that is not what a set was made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// Where, relative to the source.
    pub path: PathBuf,
    /// In which way.
    pub kind: ConflictKind,
}

/// In which way a path is not what a set was made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConflictKind {
    /// Something else is there.
    #[error("was changed")]
    Changed,
    /// Something is there, and was not.
    #[error("was added")]
    Appeared,
    /// Nothing is there any more.
    #[error("was deleted")]
    Vanished,
    /// It was changed while the command ran.
    #[error("was changed while the command ran")]
    EditedMeanwhile,
    /// The directory in which something is to be put is none any more.
    #[error("is in no directory any more")]
    NoDirectory,
}

/// Why one action was not taken.
#[derive(Debug)]
pub enum ActionError {
    /// Somebody else was faster.
    Conflict(Conflict),
    /// The system refused.
    Io { path: PathBuf, source: io::Error },
}

impl From<ActionError> for ApplyError {
    fn from(error: ActionError) -> ApplyError {
        match error {
            ActionError::Conflict(conflict) => ApplyError::Conflict { conflicts: vec![conflict] },
            ActionError::Io { path, source } => ApplyError::Undone { path, source },
        }
    }
}

/// Says where an error of the system happened.
pub fn at(path: &Path) -> impl FnOnce(io::Error) -> ApplyError {
    move |source| ApplyError::Io { path: path.to_owned(), source }
}

fn named<T>(items: &[T], name: impl Fn(&T) -> String) -> String {
    items.iter().map(name).collect::<Vec<_>>().join(", ")
}
