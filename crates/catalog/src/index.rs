//! The persistent index: what was read from each root, so that an unchanged file is not read again.
//!
//! One file per root in the cache directory. A record counts only while modification time, size and inode of every
//! file and directory it depends on are the same. A damaged, foreign or older index is never trusted: it is read as
//! empty and written anew.

mod stamp;
mod store;

use crate::Fingerprint;
use crate::directory::Directory;
use guild_manifest::Problem;
use guild_manifest::skill::Skill;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

pub use stamp::Stamp;

/// What was read from one skill.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The skill's directory relative to the root, or its file for a flat skill; empty for the root itself.
    pub path: String,
    /// The skill's file, relative to its directory.
    pub file: Cow<'static, str>,
    /// Whether the skill is one file without a directory of its own.
    pub flat: bool,
    /// What the record depends on.
    pub stamps: Vec<Stamp>,
    /// The fingerprint of the skill's file.
    pub fingerprint: Fingerprint,
    /// The skill, unless a problem excludes it.
    pub skill: Option<Box<Skill>>,
    /// Everything that is wrong with it; files are relative to the skill's directory.
    pub problems: Vec<Problem>,
}

/// The records of one root.
#[derive(Debug, Default)]
pub struct Index {
    file: Option<PathBuf>,
    written: i128,
    /// By path; what is taken out leaves a gap.
    records: Vec<(String, Option<Record>)>,
}

impl Index {
    /// Opens the index of `root` in the cache directory; a missing or damaged one is empty.
    pub fn open(cache: Option<&Path>, root: &Path) -> Self {
        let mut index = Self::forgotten(cache, root);
        if let Some((written, records)) = index.file.as_deref().and_then(store::load) {
            index.written = written;
            index.records = records.into_iter().map(|mut r| (std::mem::take(&mut r.path), Some(r))).collect();
            index.records.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        }
        index
    }

    /// The index of `root` without what it holds, to be written anew.
    pub fn forgotten(cache: Option<&Path>, root: &Path) -> Self {
        let name = Fingerprint::of(root.as_os_str().as_encoded_bytes()).to_string();
        Self { file: cache.map(|cache| cache.join("index").join(name)), ..Self::default() }
    }

    /// Whether the record of `path` is there and everything it depends on is unchanged.
    pub fn is_current(&self, path: &str, root: &Directory) -> bool {
        let current = |record: &Record| record.stamps.iter().all(|stamp| stamp.holds(root, self.written));
        let place = self.place(path).and_then(|place| self.records.get(place));
        place.and_then(|(_, record)| record.as_ref()).is_some_and(current)
    }

    /// Takes the record of `path` out.
    pub fn take(&mut self, path: &str) -> Option<Record> {
        let place = self.place(path)?;
        let record = self.records.get_mut(place)?.1.take()?;
        Some(Record { path: path.to_owned(), ..record })
    }

    /// Whether some records were not taken; after a scan these are of skills that are gone or have changed.
    pub fn has_leftovers(&self) -> bool {
        self.records.iter().any(|(_, record)| record.is_some())
    }

    /// Replaces the index on disk. A cache that cannot be written costs time, not correctness, so that is no error.
    pub fn replace(&self, records: &[Record]) {
        if let Some(file) = &self.file {
            store::save(file, records).ok();
        }
    }

    fn place(&self, path: &str) -> Option<usize> {
        self.records.binary_search_by(|(known, _)| known.as_str().cmp(path)).ok()
    }
}
