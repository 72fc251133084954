//! Locks between processes, by files that may be removed: whoever holds one holds the file that is there now.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::FlockOperation;

/// A lock that is held until this is dropped.
#[derive(Debug)]
pub struct Lock {
    file: File,
    path: PathBuf,
    is_temporary: bool,
}

/// How to lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Alone, waiting for others.
    Alone,
    /// Alone, or not at all.
    AloneNow,
    /// Beside others that only share, or not at all.
    SharedNow,
}

impl Lock {
    /// Locks a file, which is made where it is not there; `None` where it would have to wait and must not.
    pub fn take(path: &Path, mode: Mode) -> io::Result<Option<Lock>> {
        Lock::take_opened(path, mode, OpenOptions::new().read(true).append(true).create(true))
    }

    /// Locks a file that is there.
    pub fn take_existing(path: &Path, mode: Mode) -> io::Result<Option<Lock>> {
        Lock::take_opened(path, mode, OpenOptions::new().read(true))
    }

    fn take_opened(path: &Path, mode: Mode, options: &OpenOptions) -> io::Result<Option<Lock>> {
        loop {
            let file = options.open(path)?;
            match rustix::fs::flock(&file, mode.operation()) {
                Ok(()) => {}
                Err(rustix::io::Errno::INTR) => continue,
                Err(rustix::io::Errno::WOULDBLOCK) => return Ok(None),
                Err(error) => return Err(error.into()),
            }
            // Whoever held it before may have removed or replaced the file.
            if is_at(&file, path)? {
                return Ok(Some(Lock { file, path: path.to_owned(), is_temporary: false }));
            }
        }
    }

    /// The locked file.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// The same lock, whose file goes with it.
    #[must_use]
    pub fn temporary(mut self) -> Lock {
        self.is_temporary = true;
        self
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        if self.is_temporary {
            // Where it cannot be removed it does no harm: the next one takes it.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

impl Mode {
    fn operation(self) -> FlockOperation {
        match self {
            Mode::Alone => FlockOperation::LockExclusive,
            Mode::AloneNow => FlockOperation::NonBlockingLockExclusive,
            Mode::SharedNow => FlockOperation::NonBlockingLockShared,
        }
    }
}

fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    let held = file.metadata()?;
    match std::fs::symlink_metadata(path) {
        Ok(there) => Ok((held.dev(), held.ino()) == (there.dev(), there.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_holds_it_alone_or_several_share_it() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("lock");
        let take = |mode| Lock::take(&path, mode).unwrap();
        let alone = take(Mode::AloneNow).unwrap();
        assert!(take(Mode::AloneNow).is_none() && take(Mode::SharedNow).is_none());
        drop(alone);
        let shared = [take(Mode::SharedNow).unwrap(), take(Mode::SharedNow).unwrap()];
        assert!(take(Mode::AloneNow).is_none());
        drop(shared);
        assert!(take(Mode::AloneNow).is_some());
    }

    #[test]
    fn a_file_that_goes_with_its_lock_is_never_locked_twice() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("lock");
        let held = std::sync::atomic::AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let lock = Lock::take(&path, Mode::Alone).unwrap().unwrap().temporary();
                        assert_eq!(held.fetch_add(1, std::sync::atomic::Ordering::SeqCst), 0);
                        held.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
                        drop(lock);
                    }
                });
            }
        });
        assert!(!path.exists());
    }
}
