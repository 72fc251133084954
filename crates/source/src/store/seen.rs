//! What a process that lives on has read before: a tree that looks from outside as it did then is not read again.
//!
//! Every name, time, size, mode and inode counts, and what was changed in the last moments is never trusted: a second change may bear
//! the same time. A tree with links or too much in it is read each time. Blobs are remembered too, as long as no sweep can want them.

use super::Store;
use super::walk::{Manner, is_skipped};
use guild_manifest::{Digest, TreeManifest};
use std::collections::HashMap;
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// So long after a change another one may bear the same time; networks included.
const TICK: i64 = 2_000_000_000;
/// A tree with more names than this is read each time.
const MOST_NAMES: usize = 4096;
/// No more trees are remembered.
const MOST_TREES: usize = 256;

/// No more blobs are remembered.
const MOST_BLOBS: usize = 1024;
/// For so long a blob that was young stays so: a sweep leaves alone what is many hours older.
const STAYS_YOUNG: Duration = Duration::from_secs(60 * 60);

/// Everything that was seen.
#[derive(Debug, Default)]
pub struct Seen {
    trees: Mutex<HashMap<PathBuf, Known>>,
    /// When these were last put into the store, or renewed there.
    young: Mutex<HashMap<Digest, Instant>>,
}

#[derive(Debug)]
struct Known {
    look: Look,
    tree: TreeManifest,
    digest: Digest,
}

/// How a tree looks from outside.
#[derive(Debug, PartialEq, Eq)]
pub struct Look(Vec<Stamp>);

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Stamp {
    path: PathBuf,
    identity: (u64, u64),
    mode: u32,
    size: u64,
    modified: (i64, i64),
    /// Nobody sets this by hand.
    changed: (i64, i64),
}

impl Seen {
    /// The tree in a directory that still looks so.
    pub fn recall(&self, place: &Path, look: &Look) -> Option<(TreeManifest, Digest)> {
        let known = lock(&self.trees);
        let found = known.get(place).filter(|known| known.look == *look)?;
        Some((found.tree.clone(), found.digest))
    }

    /// Remembers what was read in a directory after it looked so, unless that was in the making.
    pub fn remember(&self, store: &Store, place: &Path, look: Look, read: (&TreeManifest, &Digest)) {
        if let Some(now) = now(store) {
            self.remember_at(now, place, look, read);
        }
    }

    fn remember_at(&self, now: i64, place: &Path, look: Look, (tree, digest): (&TreeManifest, &Digest)) {
        if look.0.iter().any(|stamp| nanoseconds(stamp.changed).saturating_add(TICK) > now) {
            return;
        }
        let mut known = lock(&self.trees);
        if known.len() >= MOST_TREES {
            known.clear();
        }
        known.insert(place.to_owned(), Known { look, tree: tree.clone(), digest: *digest });
    }

    /// Whether a blob was put into the store so lately that no sweep takes it.
    pub fn is_young(&self, blob: &Digest) -> bool {
        lock(&self.young).get(blob).is_some_and(|since| since.elapsed() < STAYS_YOUNG)
    }

    /// Remembers a blob that was just put into the store.
    pub fn put(&self, blob: Digest) {
        let mut young = lock(&self.young);
        if young.len() >= MOST_BLOBS {
            young.clear();
        }
        young.insert(blob, Instant::now());
    }
}

fn lock<T>(known: &Mutex<T>) -> MutexGuard<'_, T> {
    known.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Look {
    /// How a directory looks; nothing where that does not tell what is in it.
    pub fn at(place: &Path, manner: Manner) -> Option<Self> {
        let mut look = Self(vec![stamp(PathBuf::new(), &fs::metadata(place).ok()?)]);
        look.directory(place, Path::new(""), manner)?;
        look.0.sort();
        Some(look)
    }

    fn directory(&mut self, root: &Path, below: &Path, manner: Manner) -> Option<()> {
        for entry in fs::read_dir(root.join(below)).ok()? {
            let entry = entry.ok()?;
            let (name, metadata) = (entry.file_name(), entry.metadata().ok()?);
            let is_tools = manner == Manner::Foreign && metadata.is_dir() && is_skipped(&name);
            if is_tools {
                continue;
            }
            let path = below.join(name);
            self.0.push(stamp(path.clone(), &metadata));
            match metadata.file_type() {
                kind if kind.is_dir() => self.directory(root, &path, manner)?,
                kind if kind.is_file() && self.0.len() <= MOST_NAMES => {}
                _ => return None,
            }
        }
        Some(())
    }
}

fn stamp(path: PathBuf, metadata: &Metadata) -> Stamp {
    Stamp {
        path,
        identity: (metadata.dev(), metadata.ino()),
        mode: metadata.mode(),
        size: metadata.size(),
        modified: (metadata.mtime(), metadata.mtime_nsec()),
        changed: (metadata.ctime(), metadata.ctime_nsec()),
    }
}

fn nanoseconds((seconds, rest): (i64, i64)) -> i64 {
    seconds.saturating_mul(1_000_000_000).saturating_add(rest)
}

/// The moment as disks tell it: the time of a file that was made just now.
pub fn now(store: &Store) -> Option<i64> {
    let file = tempfile::tempfile_in(store.temporary()).ok()?;
    let metadata = file.metadata().ok()?;
    Some(nanoseconds((metadata.mtime(), metadata.mtime_nsec())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    /// Whether a tree is still known after a change; it was seen so long after the last change before.
    #[track_caller]
    fn check(later: i64, change: impl FnOnce(&Path), is_known: bool) {
        let directory = tempfile::tempdir().unwrap();
        let place = directory.path();
        fs::create_dir(place.join("below")).unwrap();
        fs::write(place.join("below/file"), "one").unwrap();
        let look = Look::at(place, Manner::Foreign).unwrap();
        let now = look.0.iter().map(|stamp| nanoseconds(stamp.changed)).max().unwrap() + later;
        let (seen, tree) = (Seen::default(), TreeManifest::new(Vec::new()).unwrap());
        seen.remember_at(now, place, look, (&tree, &Digest::of(b"x")));
        change(place);
        let found = Look::at(place, Manner::Foreign).and_then(|look| seen.recall(place, &look));
        assert_eq!(found.is_some(), is_known);
    }

    #[test]
    fn every_change_is_noticed() {
        check(TICK, |_| {}, true);
        check(TICK, |place| fs::create_dir(place.join(".git")).unwrap(), false);
        check(TICK, |place| fs::write(place.join("below/file"), "two").unwrap(), false);
        check(TICK, |place| fs::write(place.join("below/more"), "").unwrap(), false);
        check(TICK, |place| fs::remove_file(place.join("below/file")).unwrap(), false);
        check(TICK, |place| fs::rename(place.join("below"), place.join("above")).unwrap(), false);
        check(TICK, |place| symlink("below/file", place.join("link")).unwrap(), false);
        let executable = fs::Permissions::from_mode(0o755);
        check(TICK, |place| fs::set_permissions(place.join("below/file"), executable).unwrap(), false);
        let turned_back = |place: &Path| {
            let file = fs::File::options().write(true).open(place.join("below/file")).unwrap();
            let modified = file.metadata().unwrap().modified().unwrap();
            fs::write(place.join("below/file"), "two").unwrap();
            file.set_modified(modified).unwrap();
        };
        check(TICK, turned_back, false);
    }

    #[test]
    fn what_was_just_changed_is_not_trusted() {
        check(TICK - 1, |_| {}, false);
    }
}
