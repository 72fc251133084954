//! Places to make things in: each has a lock that its maker holds, so that what a killed one left is found and removed.

use super::blob::{make_directory, sync_directory};
use super::error::StoreError;
use super::{Store, VERSION, failed};
use rustix::fs::OFlags;
use std::fs::{self, DirBuilder, File, TryLockError};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;
use tempfile::TempDir;

/// Opens directories alone, and follows no link to one.
const DIRECTORY: i32 = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).bits() as i32;

/// The directories that every store has.
const KINDS: [&str; 2] = ["blobs", "trees"];

/// A directory of one's own, which goes with this value.
#[derive(Debug)]
pub struct Workspace {
    directory: TempDir,
    _lock: File,
}

impl Workspace {
    /// A new one, after those were removed whose makers are gone.
    pub fn new(store: &Store) -> Result<Self, StoreError> {
        let version = store.directory.join("version");
        let is_new = !fs::exists(&version).map_err(failed("read", &version))?;
        if is_new {
            prepare(&store.directory)?;
        }
        let parent = store.temporary();
        make_directory(&parent)?;
        reap(&parent);
        let workspace = Self::make(&parent)?;
        if is_new {
            // The version comes last: where it stands, everything else does.
            workspace.write_version(&version)?;
        }
        Ok(workspace)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    fn make(parent: &Path) -> Result<Self, StoreError> {
        loop {
            let made = tempfile::Builder::new().prefix("new-").tempdir_in(parent);
            let directory = made.map_err(failed("make", parent))?;
            // Whoever tidies up may have seen it before it was locked; then another one does.
            if let Some(lock) = lock(directory.path()).map_err(failed("lock", directory.path()))? {
                return Ok(Self { directory, _lock: lock });
            }
        }
    }

    fn write_version(&self, path: &Path) -> Result<(), StoreError> {
        let aside = self.path().join("version");
        let write = || -> io::Result<()> {
            let mut file = File::create_new(&aside)?;
            file.write_all(format!("{VERSION}\n").as_bytes())?;
            file.sync_all()
        };
        write().map_err(failed("write", path))?;
        let directory = path.parent().unwrap_or(Path::new("/"));
        // Made with the file, they are on the disk with it mostly, so that to ask for them now costs little.
        KINDS.iter().try_for_each(|kind| sync_directory(&directory.join(kind)))?;
        fs::rename(&aside, path).map_err(failed("write", path))?;
        // What leads to it was perhaps made just now.
        path.ancestors().skip(1).take(2).try_for_each(sync_directory)
    }
}

/// Makes the directories of a store, which are nobody else's to enter.
fn prepare(directory: &Path) -> Result<(), StoreError> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(directory);
    made.map_err(failed("make", directory))?;
    let private = fs::Permissions::from_mode(0o700);
    fs::set_permissions(directory, private).map_err(failed("protect", directory))?;
    for kind in KINDS {
        let kind = directory.join(kind);
        make_directory(&kind)?;
        make_directory(&kind.join("sha256"))?;
    }
    Ok(())
}

/// Removes what killed makers left, where nothing new is made.
pub fn tidy(store: &Store) {
    reap(&store.temporary());
}

/// Removes what killed makers left; that this fails is no reason to fail.
fn reap(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let path = entry.path();
        // The lock is held until it is gone: whoever has just made it would else think that it is theirs.
        if let Ok(Some(_lock)) = lock(&path) {
            fs::remove_dir_all(&path).ok();
        }
    }
}

/// Locks a directory that nobody else has locked, and that is still there then.
fn lock(path: &Path) -> io::Result<Option<File>> {
    let file = match File::options().read(true).custom_flags(DIRECTORY).open(path) {
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
