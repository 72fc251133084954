//! Places to make things in: each has a lock that its maker holds, so that what a killed one left is found and removed.

use super::blob::{make_directory, sync_directory};
use super::error::StoreError;
use super::{Store, VERSION, failed};
use std::fs::{self, DirBuilder, File, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use tempfile::TempDir;

/// A directory of one's own, which goes with this value.
#[derive(Debug)]
pub struct Workspace {
    directory: TempDir,
    _lock: File,
}

impl Workspace {
    /// A new one, after those were removed whose makers are gone.
    pub fn new(store: &Store) -> Result<Self, StoreError> {
        prepare(store)?;
        let parent = store.temporary();
        reap(&parent);
        loop {
            let made = tempfile::Builder::new().prefix("new-").tempdir_in(&parent);
            let directory = made.map_err(failed("make", &parent))?;
            // Whoever tidies up may have seen it before it was locked; then another one does.
            if let Some(lock) = lock(directory.path()).map_err(failed("lock", directory.path()))? {
                return Ok(Self { directory, _lock: lock });
            }
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }
}

/// Makes the directories of the store, which are nobody else's to enter.
fn prepare(store: &Store) -> Result<(), StoreError> {
    let version = store.directory.join("version");
    if fs::exists(&version).map_err(failed("read", &version))? {
        return Ok(());
    }
    let directory = &store.directory;
    let made = DirBuilder::new().recursive(true).mode(0o700).create(directory);
    made.map_err(failed("make", directory))?;
    let private = fs::Permissions::from_mode(0o700);
    fs::set_permissions(directory, private).map_err(failed("protect", directory))?;
    for name in ["blobs", "blobs/sha256", "trees", "trees/sha256", "tmp"] {
        make_directory(&directory.join(name))?;
    }
    for name in ["blobs", "trees"] {
        sync_directory(&directory.join(name))?;
    }
    // The version comes last: where it stands, everything else does.
    let mut file = tempfile::NamedTempFile::new_in(store.temporary()).map_err(failed("write", &version))?;
    io::Write::write_all(&mut file, format!("{VERSION}\n").as_bytes()).map_err(failed("write", &version))?;
    file.as_file().sync_all().map_err(failed("write", &version))?;
    file.persist(&version).map_err(|error| failed("write", &version)(error.error))?;
    sync_directory(directory)?;
    directory.parent().map_or(Ok(()), sync_directory)
}

/// Removes what killed makers left; that this fails is no reason to fail.
fn reap(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() && lock(&path).is_ok_and(|lock| lock.is_some()) {
            fs::remove_dir_all(&path).ok();
        }
    }
}

/// Locks a directory that nobody else has locked, and that is still there then.
fn lock(path: &Path) -> io::Result<Option<File>> {
    let file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Ok(None),
        Err(TryLockError::Error(error)) => return Err(error),
    }
    let held = file.metadata()?;
    match fs::symlink_metadata(path) {
        Ok(there) if (there.dev(), there.ino()) == (held.dev(), held.ino()) => Ok(Some(file)),
        _ => Ok(None),
    }
}
