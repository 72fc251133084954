//! How what lies in its place differs from what the lock says of it.

use super::refetch::local_place;
use crate::Refusal;
use crate::diff::{Difference, difference};
use crate::reply::FileDrift;
use guild_manifest::{Digest, FileEntry};
use guild_source::lock::Entry;
use guild_source::site::Site;
use guild_source::store::{StageError, Store, is_executable, scan_installed};
use std::fs::{self, File};
use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// Where Python keeps what it has compiled, beside the scripts that other agents run in their place.
const COMPILED: &str = "__pycache__";

/// Longer files are named and not shown.
const MOST_BYTES: u64 = 512 << 10;

/// What was found in the place of an entry.
#[derive(Debug, PartialEq, Eq)]
pub enum Drift {
    /// Every byte of it, and nothing else.
    None,
    /// A link to its source, which is the person's to edit.
    Linked,
    /// Nothing.
    Absent,
    /// Something else.
    Edited {
        /// Files that are not what they were.
        changed: Vec<String>,
        /// Files that are gone.
        missing: Vec<String>,
        /// Files that were not there.
        extra: Vec<String>,
    },
}

impl Drift {
    /// The word for it.
    pub fn word(&self) -> &'static str {
        match self {
            Self::None => "intact",
            Self::Linked => "linked",
            Self::Absent => "missing",
            Self::Edited { .. } => "edited",
        }
    }

    /// Whether something would be lost that a person may have written. What was compiled is told, and nobody's work.
    pub fn has_edits(&self) -> bool {
        let Self::Edited { changed, missing, extra } = self else { return false };
        let is_compiled = |path: &String| path.split('/').any(|name| name == COMPILED);
        !changed.is_empty() || !missing.is_empty() || !extra.iter().all(is_compiled)
    }
}

/// Looks at the place of an entry, every byte of it.
pub fn drift(site: &Site, entry: &Entry) -> Drift {
    let place = site.place(entry.kind, &entry.name);
    let Ok(metadata) = fs::symlink_metadata(&place) else { return Drift::Absent };
    // A link in the place of a directory shows the files of another, whatever those are now.
    let changed_whole =
        || Drift::Edited { changed: vec![String::new()], missing: Vec::new(), extra: Vec::new() };
    if entry.linked && metadata.is_symlink() {
        // What is linked to is the person's to edit; that the link leads there and nowhere else is what the lock says.
        return match (place.canonicalize(), local_place(site, entry).canonicalize()) {
            (_, Err(_)) => Drift::Absent,
            (Ok(there), Ok(meant)) if there == meant => Drift::Linked,
            _ => changed_whole(),
        };
    }
    if !metadata.is_dir() {
        return changed_whole();
    }
    let tree = match scan_installed(&place) {
        Ok(tree) => tree,
        Err(StageError::Refused { path, .. }) if entry.tree.file(&path).is_some() => {
            return Drift::Edited { changed: vec![path], missing: Vec::new(), extra: Vec::new() };
        }
        Err(StageError::Refused { path, .. }) => {
            return Drift::Edited { changed: Vec::new(), missing: Vec::new(), extra: vec![path] };
        }
        Err(_) => return changed_whole(),
    };
    if tree == entry.tree {
        return Drift::None;
    }
    let same =
        |one: &FileEntry, other: &FileEntry| one.digest == other.digest && one.executable == other.executable;
    let (mut changed, mut missing) = (Vec::new(), Vec::new());
    for file in entry.tree.files() {
        match tree.file(&file.path) {
            None => missing.push(file.path.clone()),
            Some(found) if !same(found, file) => changed.push(file.path.clone()),
            Some(_) => {}
        }
    }
    let is_extra = |file: &&FileEntry| entry.tree.file(&file.path).is_none();
    let extra = tree.files().iter().filter(is_extra).map(|file| file.path.clone()).collect();
    Drift::Edited { changed, missing, extra }
}

/// A file that is not what the lock says, with what has changed in it.
pub fn changed(site: &Site, entry: &Entry, path: &str, store: &Store) -> Result<FileDrift, Refusal> {
    let whole = site.place(entry.kind, &entry.name).join(path);
    if !fs::symlink_metadata(&whole).is_ok_and(|there| there.is_file()) {
        // A link in its place is not followed, and a pipe not waited for.
        return Ok(named(entry, path));
    }
    let locked = entry.tree.file(path);
    let difference = match (locked.filter(|file| file.size <= MOST_BYTES), read(&whole)) {
        (Some(old), Some(new)) if old.digest == Digest::of(&new) => Difference::None,
        // What was installed elsewhere is in the store there.
        (Some(old), Some(new)) => {
            store.get(&old.digest).map_or(Difference::Unknown, |old| difference(&old, &new))
        }
        _ => Difference::TooLong,
    };
    let was_executable = locked.map(|file| file.executable);
    let is_executable = fs::metadata(&whole).ok().map(|there| is_executable(there.mode()));
    Ok(FileDrift { was_executable, is_executable, difference, ..named(entry, path) })
}

/// A file by its name alone.
pub fn named(entry: &Entry, path: &str) -> FileDrift {
    FileDrift {
        name: entry.name.clone(),
        kind: entry.kind.word(),
        path: path.to_owned(),
        was_executable: None,
        is_executable: None,
        difference: Difference::None,
    }
}

fn read(path: &Path) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let count = File::open(path).ok()?.take(MOST_BYTES + 1).read_to_end(&mut bytes).ok()?;
    (count as u64 <= MOST_BYTES).then_some(bytes)
}
