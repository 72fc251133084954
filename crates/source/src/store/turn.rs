//! Whose turn it is: many may add at once, and whoever sweeps is alone.
//!
//! What is there already is renewed by whoever relies on it, in their turn, so that no sweep takes it before anything refers to it.

use super::error::StoreError;
use super::seen::now;
use super::{Store, failed};
use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, UTIME_NOW, UTIME_OMIT, utimensat};
use rustix::io::Errno;
use std::collections::BTreeSet;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// What is younger is not renewed, in seconds. A sweep leaves alone what is twice as old and less.
const YOUNG: i64 = 12 * 60 * 60;

/// Waits until nobody sweeps, and keeps everybody from it while the value lives; nothing where there is no store yet.
pub fn shared(store: &Store) -> Result<Option<File>, StoreError> {
    take(store, File::lock_shared)
}

/// Waits until nobody adds, and keeps everybody from it while the value lives; nothing where there is no store yet.
pub fn alone(store: &Store) -> Result<Option<File>, StoreError> {
    take(store, File::lock)
}

fn take(store: &Store, lock: fn(&File) -> io::Result<()>) -> Result<Option<File>, StoreError> {
    let path = store.directory.join("turn");
    let opened = OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(&path);
    match opened {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        opened => opened.and_then(|file| lock(&file).map(|()| Some(file))).map_err(failed("lock", &path)),
    }
}

/// What was renewed by one that adds.
#[derive(Debug, Default)]
pub struct Freshness {
    /// The moment in seconds, once somebody has asked for it.
    now: Option<i64>,
    /// The packs and blobs that were renewed, or are young.
    known: BTreeSet<PathBuf>,
}

impl Freshness {
    /// Lets a file that is relied on count as new; false where it has just gone. Whoever has looked at it says what they saw.
    pub fn renew(&mut self, store: &Store, path: &Path, seen: Option<&Metadata>) -> Result<bool, StoreError> {
        if self.known.contains(path) {
            return Ok(true);
        }
        let now = *self.now.get_or_insert_with(|| now(store).map_or(i64::MAX, |now| now / 1_000_000_000));
        let modified = seen
            .map_or_else(|| fs::symlink_metadata(path).map(|facts| facts.mtime()), |facts| Ok(facts.mtime()));
        let is_young = modified.is_ok_and(|modified| modified.saturating_add(YOUNG) > now);
        if !is_young {
            match touch(path) {
                Err(Errno::NOENT) => return Ok(false),
                touched => touched.map_err(|error| failed("renew", path)(error.into()))?,
            }
        }
        self.known.insert(path.to_owned());
        Ok(true)
    }
}

fn touch(path: &Path) -> Result<(), Errno> {
    let time = |tv_nsec| Timespec { tv_sec: 0, tv_nsec };
    let times = Timestamps { last_access: time(UTIME_OMIT), last_modification: time(UTIME_NOW) };
    utimensat(CWD, path, &times, AtFlags::SYMLINK_NOFOLLOW)
}
