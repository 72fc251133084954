//! The record of an application under way, from which it is brought to its end or back.

use std::fs;
use std::io;
use std::path::PathBuf;

use rustix::fs::{FileType, Stat};
use serde::{Deserialize, Serialize};

use super::super::file::{ReadFileError, read_json, sync_directory, write_json};
use super::super::path_text;
use super::super::set::{ChangeSet, ChangeSetId};
use super::super::store::{ChangeStore, StoreError};
use super::error::ApplyError;
use super::staging_name;

const JOURNAL: &str = "journal.json";

/// The newest version of a journal.
const JOURNAL_VERSION: u32 = 1;

/// An application under way.
#[derive(Debug, Serialize, Deserialize)]
pub struct Journal {
    version: u32,
    /// Which set.
    pub id: ChangeSetId,
    /// Where it is applied.
    #[serde(with = "path_text")]
    pub source: PathBuf,
    /// The staging directory, at the top of the source.
    pub staging: String,
    /// Its inode, once it is there.
    pub staging_inode: u64,
    /// How far it has come.
    pub phase: Phase,
    /// What is moved, in this order; back in the opposite one.
    pub actions: Vec<Action>,
}

/// How far an application has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// The source is as it was, but for the staging directory.
    Preparing,
    /// Some of the actions are taken.
    Moving,
    /// All of the actions are taken.
    Moved,
    /// An action met something else than it was made for, and those that were taken are taken back.
    Undoing,
    /// All of the actions are taken back.
    Undone,
}

/// One step that is taken or not, by one system call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum Action {
    /// Lets the owner of a directory change it, as long as other actions do. Where that directory is another one by now, it is
    /// left alone.
    Open(ModeChange),
    /// Moves what is at a path out, and something new in.
    Move(Move),
    /// Changes permissions.
    Mode(ModeChange),
}

/// Moves what is at a path out, and something new in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Move {
    /// Where, relative to the source.
    #[serde(with = "path_text")]
    pub path: PathBuf,
    /// What it is called in the staging directory.
    pub slot: u64,
    /// What is moved out.
    pub old: Option<Moved>,
    /// What is moved in.
    pub new: Option<Moved>,
}

/// Changes permissions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModeChange {
    /// Where, relative to the source.
    #[serde(with = "path_text")]
    pub path: PathBuf,
    /// What is there.
    pub inode: u64,
    /// Permissions as they are.
    pub from: u32,
    /// Permissions as they will be.
    pub to: u32,
}

/// By what something is known wherever it has been moved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moved {
    /// Its inode.
    pub inode: u64,
    /// Whether it is a directory, which changes with what is moved in and out of it.
    pub directory: bool,
    size: i64,
    modified: (i64, i64),
}

impl Journal {
    /// A journal that says that something is about to be written into the source.
    pub fn announce(set: &ChangeSet) -> Journal {
        Journal {
            version: JOURNAL_VERSION,
            id: set.id.clone(),
            source: set.source.clone(),
            staging: staging_name(&set.id),
            staging_inode: 0,
            phase: Phase::Preparing,
            actions: Vec::new(),
        }
    }

    /// The journal of a set, if it has one.
    pub fn read(store: &ChangeStore, id: &ChangeSetId) -> Result<Option<Journal>, StoreError> {
        match read_json::<Journal>(&store.of(id).join(JOURNAL), JOURNAL_VERSION) {
            // It says where everything is removed; so it is held to the name that it must have.
            Ok(journal) if journal.id == *id && journal.staging == staging_name(id) => Ok(Some(journal)),
            Ok(_) => Err(StoreError::Unsound { id: id.clone() }),
            Err(ReadFileError::Io(error)) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(StoreError::Record { id: id.clone(), source }),
        }
    }

    /// Writes the journal, to stay.
    pub fn write(&self, store: &ChangeStore) -> Result<(), StoreError> {
        let path = store.of(&self.id);
        write_json(&path, JOURNAL, self).map_err(|source| StoreError::Io { path, source })
    }

    /// Removes the journal.
    pub fn remove(&self, store: &ChangeStore) -> Result<(), StoreError> {
        let path = store.of(&self.id);
        fs::remove_file(path.join(JOURNAL))
            .and_then(|()| sync_directory(&path))
            .map_err(|source| StoreError::Io { path, source })
    }

    /// The error that says that some paths were not put back.
    pub fn disturbed(&self, paths: Vec<PathBuf>) -> ApplyError {
        ApplyError::Disturbed { paths, kept: self.source.join(&self.staging) }
    }
}

impl Moved {
    /// What the system says of something, as far as moving does not change it.
    pub fn of(stat: &Stat) -> Moved {
        Moved {
            inode: stat.st_ino,
            directory: FileType::from_raw_mode(stat.st_mode) == FileType::Directory,
            size: stat.st_size,
            modified: (stat.st_mtime, i64::try_from(stat.st_mtime_nsec).unwrap_or_default()),
        }
    }

    /// Whether this is it.
    pub fn is(&self, stat: Option<&Stat>) -> bool {
        stat.is_some_and(|stat| stat.st_ino == self.inode)
    }

    /// Whether this is it, and nobody has written to it. What is in a directory is looked at on its own.
    pub fn is_untouched(&self, stat: &Stat) -> bool {
        let now = Moved::of(stat);
        if self.directory { now.inode == self.inode && now.directory } else { now == *self }
    }
}
