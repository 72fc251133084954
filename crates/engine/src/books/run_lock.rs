//! The lock by which a run says that it lives: a file that is held while it does.
//!
//! A killed process lets go of it, whatever it left behind. The file's name is the run's id; it holds nothing.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use guild_ledger::RunId;

/// A run that lives; dropping it lets go of the lock and removes its file.
#[derive(Debug)]
pub struct RunLock {
    path: PathBuf,
    /// Held until the file is removed.
    _file: File,
}

impl RunLock {
    /// Takes the lock of a run that is about to begin.
    pub(super) fn take(directory: &Path, run: RunId) -> io::Result<Self> {
        make_private(directory)?;
        let path = directory.join(run.to_string());
        loop {
            let file = private().create(true).truncate(false).open(&path)?;
            file.lock()?;
            // Whoever cleans up may have taken the file for a dead run's before it was locked.
            if is_at(&file, &path)? {
                return Ok(Self { path, _file: file });
            }
        }
    }

    /// Takes the lock of a run that is dead; nothing if it lives.
    pub(super) fn take_over(directory: &Path, run: RunId) -> io::Result<Option<Self>> {
        make_private(directory)?;
        let path = directory.join(run.to_string());
        loop {
            let file = private().create(true).truncate(false).open(&path)?;
            match file.try_lock() {
                Ok(()) if is_at(&file, &path)? => return Ok(Some(Self { path, _file: file })),
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
    }
}

impl Drop for RunLock {
    fn drop(&mut self) {
        // One that stays does no harm: nobody holds it, and the next to clean up removes it.
        let _ = fs::remove_file(&self.path);
    }
}

fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

fn make_private(directory: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory)
}

/// Whether the open file is the one that is there now.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;
    let held = file.metadata()?;
    match fs::symlink_metadata(path) {
        Ok(there) => Ok((held.dev(), held.ino()) == (there.dev(), there.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// A file that is open cannot be removed here.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> io::Result<bool> {
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use guild_ledger::Timestamp;

    #[test]
    fn a_run_lives_while_its_lock_is_held_and_leaves_no_file() {
        let directory = tempfile::tempdir().unwrap();
        let runs = directory.path().join("runs");
        let run = RunId::new(Timestamp::from_millis(1)).unwrap();
        let lock = RunLock::take(&runs, run).unwrap();
        assert!(RunLock::take_over(&runs, run).unwrap().is_none());
        drop(lock);
        assert!(!runs.join(run.to_string()).exists());
        assert!(RunLock::take_over(&runs, run).unwrap().is_some());
        assert_eq!(fs::read_dir(&runs).unwrap().count(), 0);
    }

    #[test]
    fn whoever_cleans_up_never_holds_the_lock_of_a_run_that_lives() {
        let directory = tempfile::tempdir().unwrap();
        let run = RunId::new(Timestamp::from_millis(1)).unwrap();
        std::thread::scope(|scope| {
            let cleaner = scope.spawn(|| {
                for _ in 0..200 {
                    drop(RunLock::take_over(directory.path(), run).unwrap());
                }
            });
            for _ in 0..200 {
                let lock = RunLock::take(directory.path(), run).unwrap();
                assert!(lock.path.exists());
                assert!(RunLock::take_over(directory.path(), run).unwrap().is_none());
            }
            cleaner.join().unwrap();
        });
    }
}
