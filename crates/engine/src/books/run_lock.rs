//! The lock by which a run says that it lives: a file that is held while it does.
//!
//! A killed process lets go of it, whatever it left behind. The file's name is the run's id; it holds nothing. Making a file and removing
//! it again is dear on some file systems, so a process that runs much keeps the files of runs that have ended, under names that are no
//! run's, and gives them to the next.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use guild_ledger::RunId;

/// How many files are kept for runs to come.
const SPARE: usize = 8;

/// The locks of this process's runs.
#[derive(Debug)]
pub struct RunLocks {
    directory: PathBuf,
    spare: Arc<Mutex<Vec<Held>>>,
}

/// A run that lives; dropping it lets go of the lock.
#[derive(Debug)]
pub struct RunLock {
    held: Option<Held>,
    spare: Arc<Mutex<Vec<Held>>>,
}

/// A file that is locked; dropping it removes it.
#[derive(Debug)]
struct Held {
    path: PathBuf,
    /// Held until the file is removed.
    _file: File,
}

impl RunLocks {
    /// Locks in this directory, of which there is none yet.
    pub(super) fn in_directory(directory: PathBuf) -> Self {
        Self { directory, spare: Arc::default() }
    }

    /// Where they are.
    pub(super) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Takes the lock of a run that is about to begin.
    pub(super) fn take(&self, run: RunId) -> io::Result<RunLock> {
        let path = self.directory.join(run.to_string());
        let spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let held = match spare.and_then(|spare| spare.renamed(&path)) {
            Some(held) => held,
            None => Held::take(&self.directory, path)?,
        };
        Ok(RunLock { held: Some(held), spare: Arc::clone(&self.spare) })
    }

    /// Takes the lock of a run that is dead, or whatever else has a file of this name; nothing if it lives.
    pub(super) fn take_over(&self, name: &str) -> io::Result<Option<impl Drop + use<>>> {
        Held::take_over(&self.directory, self.directory.join(name))
    }
}

impl Held {
    fn take(directory: &Path, path: PathBuf) -> io::Result<Self> {
        make_private(directory)?;
        loop {
            let file = private().create(true).truncate(false).open(&path)?;
            file.lock()?;
            // Whoever cleans up may have taken the file for a dead run's before it was locked.
            if is_at(&file, &path)? {
                return Ok(Self { path, _file: file });
            }
        }
    }

    fn take_over(directory: &Path, path: PathBuf) -> io::Result<Option<Self>> {
        make_private(directory)?;
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

    /// The same under another name; nothing if somebody has removed the file.
    fn renamed(mut self, path: &Path) -> Option<Self> {
        fs::rename(&self.path, path).ok()?;
        path.clone_into(&mut self.path);
        Some(self)
    }
}

impl Drop for RunLock {
    fn drop(&mut self) {
        let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(held) = self.held.take().filter(|_| spare.len() < SPARE) else { return };
        // No run has this name, so that nobody takes the one that has ended for one that lives.
        let Some(name) = held.path.file_name() else { return };
        let path = held.path.with_file_name(format!("spare-{}", name.display()));
        spare.extend(held.renamed(&path));
    }
}

impl Drop for Held {
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

    fn run(number: u64) -> RunId {
        RunId::new(Timestamp::from_millis(number)).unwrap()
    }

    fn is_dead(locks: &RunLocks, run: RunId) -> bool {
        locks.take_over(&run.to_string()).unwrap().is_some()
    }

    fn files(directory: &Path) -> usize {
        fs::read_dir(directory).unwrap().count()
    }

    #[test]
    fn a_run_lives_while_its_lock_is_held_and_its_process_leaves_no_file() {
        let directory = tempfile::tempdir().unwrap();
        let runs = directory.path().join("runs");
        let locks = RunLocks::in_directory(runs.clone());
        let run = run(1);
        let lock = locks.take(run).unwrap();
        assert!(!is_dead(&locks, run));
        drop(lock);
        assert!(!runs.join(run.to_string()).exists());
        assert!(is_dead(&locks, run));
        drop(locks);
        assert_eq!(files(&runs), 0);
    }

    #[test]
    fn the_next_run_has_the_file_of_the_last() {
        let directory = tempfile::tempdir().unwrap();
        let locks = RunLocks::in_directory(directory.path().to_owned());
        let (first, second, third) = (run(1), run(2), run(3));
        drop(locks.take(first).unwrap());
        let second_lock = locks.take(second).unwrap();
        assert_eq!(files(directory.path()), 1);
        let _third_lock = locks.take(third).unwrap();
        assert_eq!([first, second, third].map(|run| is_dead(&locks, run)), [true, false, false]);
        drop(second_lock);
        assert_eq!([second, third].map(|run| is_dead(&locks, run)), [true, false]);
        for spare in fs::read_dir(directory.path()).unwrap() {
            fs::remove_file(spare.unwrap().path()).unwrap();
        }
        let fourth = run(4);
        let _fourth_lock = locks.take(fourth).unwrap();
        assert!(!is_dead(&locks, fourth), "a file that somebody has removed is made again");
    }

    #[test]
    fn whoever_cleans_up_never_holds_the_lock_of_a_run_that_lives() {
        let directory = tempfile::tempdir().unwrap();
        let run = run(1);
        let locks = || RunLocks::in_directory(directory.path().to_owned());
        std::thread::scope(|scope| {
            let cleaner = scope.spawn(|| {
                for _ in 0..200 {
                    drop(locks().take_over(&run.to_string()).unwrap());
                }
            });
            for _ in 0..200 {
                let lock = locks().take(run).unwrap();
                assert!(directory.path().join(run.to_string()).exists());
                assert!(!is_dead(&locks(), run));
                drop(lock);
            }
            cleaner.join().unwrap();
        });
    }
}
