//! The persistent index: what was read from each root, so that an unchanged file is not read again.
//!
//! One file per root in the cache directory. A record counts only while modification time, size and inode of every
//! file and directory it depends on are the same. A damaged, foreign or older index is never trusted: it is read as
//! empty and written anew.

mod stamp;
mod store;

use guild_manifest::skill::Skill;
use guild_manifest::{Digest, Problem};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

pub use stamp::Stamp;

/// What was read from one skill.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The skill's directory relative to the root, or its file for a flat skill; empty for the root itself.
    pub path: String,
    /// The skill's file, relative to its directory.
    pub file: String,
    /// What the record depends on.
    pub stamps: Vec<Stamp>,
    /// The digest of the skill's file.
    pub digest: Digest,
    /// The skill, unless a problem excludes it.
    pub skill: Option<Skill>,
    /// Everything that is wrong with it; files are relative to the skill's directory.
    pub problems: Vec<Problem>,
}

/// The records of one root.
#[derive(Debug, Default)]
pub struct Index {
    file: Option<PathBuf>,
    written: i128,
    records: HashMap<String, Record>,
}

impl Index {
    /// Opens the index of `root` in the cache directory; a missing or damaged one is empty.
    pub fn open(cache: Option<&Path>, root: &Path) -> Self {
        let mut index = Self::forgotten(cache, root);
        if let Some((written, records)) = index.file.as_deref().and_then(store::load) {
            index.written = written;
            index.records = records.into_iter().map(|record| (record.path.clone(), record)).collect();
        }
        index
    }

    /// The index of `root` without what it holds, to be written anew.
    pub fn forgotten(cache: Option<&Path>, root: &Path) -> Self {
        let name = Digest::of(root.as_os_str().as_encoded_bytes()).to_hex();
        Self { file: cache.map(|cache| cache.join("index").join(name)), ..Self::default() }
    }

    /// Whether the record of `path` is there and everything it depends on is unchanged.
    pub fn is_current(&self, path: &str, directory: &Path) -> bool {
        let current = |record: &Record| record.stamps.iter().all(|stamp| stamp.holds(directory, self.written));
        self.records.get(path).is_some_and(current)
    }

    /// Takes the record of `path` out.
    pub fn take(&mut self, path: &str) -> Option<Record> {
        self.records.remove(path)
    }

    /// How many records are still in; after a scan these are of skills that are gone or have changed.
    pub fn remaining(&self) -> usize {
        self.records.len()
    }

    /// Replaces the index on disk. A cache that cannot be written costs time, not correctness, so that is no error.
    pub fn replace(&self, records: &[Record]) {
        if let Some(file) = &self.file {
            store::save(file, records).ok();
        }
    }
}
