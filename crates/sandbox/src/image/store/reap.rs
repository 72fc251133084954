//! Tidying up after those who did not come to their end.

use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::staging::LOCK;
use super::{Store, StoreError};
use crate::image::lock::{Lock, Mode};

/// How long what was fetched waits to be unpacked, or to be fetched to its end.
const PATIENCE: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// What was tidied away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reaped {
    /// Things that were being made.
    pub unfinished: usize,
    /// Blobs that nobody came back for.
    pub blobs: usize,
    /// Names of images that are not there.
    pub names: usize,
}

impl Store {
    /// Removes what was left by processes that ended before their time. What others are making is not touched.
    pub fn reap(&self, now: SystemTime) -> Result<Reaped, StoreError> {
        if !self.directory.is_dir() {
            return Ok(Reaped::default());
        }
        let temporary = self.temporary();
        let blobs = self.blobs();
        Ok(Reaped {
            unfinished: reap_unfinished(&temporary).map_err(StoreError::io("tidy", &temporary))?,
            blobs: reap_blobs(&blobs, now).map_err(StoreError::io("tidy", &blobs))?,
            names: self.reap_names()?,
        })
    }

    fn reap_names(&self) -> Result<usize, StoreError> {
        let _lock = self.lock()?;
        let mut names = self.names()?;
        let before = names.len();
        names.retain(|_, target| self.record_of(&target.digest).is_file());
        let gone = before - names.len();
        if gone > 0 {
            self.write_names(names)?;
        }
        Ok(gone)
    }
}

fn reap_unfinished(directory: &Path) -> io::Result<usize> {
    let mut count = 0;
    for path in entries(directory)? {
        let is_lock = path.to_str().is_some_and(|path| path.ends_with(LOCK));
        let guard = if is_lock { path.clone() } else { with_lock(&path) };
        // Whoever is making it holds the lock; without one nobody is.
        let Some(lock) = Lock::take(&guard, Mode::AloneNow)? else { continue };
        let _lock = lock.temporary();
        let made = guard.with_extension("");
        match std::fs::symlink_metadata(&made) {
            Ok(metadata) if metadata.is_dir() => std::fs::remove_dir_all(&made)?,
            Ok(_) => std::fs::remove_file(&made)?,
            Err(_) => continue,
        }
        count += 1;
    }
    Ok(count)
}

fn with_lock(path: &Path) -> std::path::PathBuf {
    let mut guard = path.as_os_str().to_owned();
    guard.push(LOCK);
    guard.into()
}

fn reap_blobs(directory: &Path, now: SystemTime) -> io::Result<usize> {
    let mut count = 0;
    for path in entries(directory)? {
        let Ok(modified) = std::fs::symlink_metadata(&path).and_then(|metadata| metadata.modified()) else {
            continue;
        };
        let is_old = now.duration_since(modified).is_ok_and(|age| age > PATIENCE);
        // Whoever is fetching it holds it.
        if is_old && let Some(lock) = Lock::take_existing(&path, Mode::AloneNow)? {
            drop(lock.temporary());
            count += 1;
        }
    }
    Ok(count)
}

fn entries(directory: &Path) -> io::Result<Vec<std::path::PathBuf>> {
    match std::fs::read_dir(directory) {
        Ok(entries) => entries.map(|entry| entry.map(|entry| entry.path())).collect(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}
