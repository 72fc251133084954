//! The directory of one run: what is handed in, and what comes out. It is gone when the run is.
//!
//! Its maker holds a lock on it; what a killed run left is removed by the next one.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

/// A directory that is removed when it is dropped.
#[derive(Debug)]
pub struct ScratchDirectory {
    path: PathBuf,
    /// Held while the run lives.
    _lock: File,
}

impl ScratchDirectory {
    /// Makes the directory of one run below `state`, and removes those that nobody holds any more.
    pub fn new(state: &Path) -> io::Result<Self> {
        let parent = state.join("scratch");
        DirBuilder::new().recursive(true).mode(0o700).create(&parent)?;
        sweep(&parent);
        loop {
            let directory = tempfile::Builder::new().prefix("run-").tempdir_in(&parent)?;
            // Between making and locking, another run may have taken it for a dead one's.
            let Some(lock) = hold(directory.path())? else { continue };
            fs::create_dir(directory.path().join("input"))?;
            return Ok(Self { path: directory.keep(), _lock: lock });
        }
    }

    /// What the run reads.
    pub fn input(&self) -> PathBuf {
        self.path.join("input")
    }

    /// What it leaves.
    pub fn output(&self) -> PathBuf {
        self.path.join("output")
    }
}

impl Drop for ScratchDirectory {
    fn drop(&mut self) {
        // What stays is removed by the next run.
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// The lock on a directory, unless somebody removes it or has removed it.
fn hold(directory: &Path) -> io::Result<Option<File>> {
    let lock = match File::open(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    Ok((lock.try_lock().is_ok() && directory.exists()).then_some(lock))
}

fn sweep(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let Ok(lock) = File::open(entry.path()) else { continue };
        if lock.try_lock().is_ok() {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_dead_run_left_is_removed_and_what_lives_stays() {
        let state = tempfile::tempdir().unwrap();
        let alive = ScratchDirectory::new(state.path()).unwrap();
        let dead = state.path().join("scratch/run-dead");
        fs::create_dir_all(dead.join("output/x")).unwrap();
        let other = ScratchDirectory::new(state.path()).unwrap();
        assert!(alive.input().is_dir());
        assert!(!dead.exists());
        drop((alive, other));
        assert_eq!(fs::read_dir(state.path().join("scratch")).unwrap().count(), 0);
    }

    /// One that was swept away before it could be opened once made its run fail.
    #[test]
    fn runs_that_begin_at_once_do_not_sweep_each_other_away() {
        let state = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..300 {
                        assert!(ScratchDirectory::new(state.path()).unwrap().input().is_dir());
                    }
                });
            }
        });
        assert_eq!(fs::read_dir(state.path().join("scratch")).unwrap().count(), 0);
    }
}
