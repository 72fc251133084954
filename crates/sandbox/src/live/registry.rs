//! The directory in which containers that live on are written down: one directory each, with a record, a lock that its supervisor holds,
//! and a socket.
//!
//! Whether a container lives is told by its lock, not by what is written: a killed supervisor lets go of it, whatever it left.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::FlockOperation;

use super::record::{ContainerId, Record, VERSION};

/// All containers of one user that live on.
#[derive(Clone, Debug)]
pub struct Registry {
    directory: PathBuf,
}

/// Why the registry could not be used.
#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    /// A file or directory of it cannot be used.
    #[error("cannot use {}", .path.display())]
    Io {
        /// Which one.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// There is no such container, or it has ended.
    #[error("no container `{id}` is running")]
    Unknown {
        /// Its name.
        id: ContainerId,
    },
}

impl Registry {
    /// The registry in this directory, which is made where it is absent, for its owner alone.
    pub fn open(directory: &Path) -> Result<Registry, RegistryError> {
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(directory)
            .map_err(|source| at(directory, source))?;
        Ok(Registry { directory: directory.to_owned() })
    }

    /// The containers that live, the oldest first. What is left of others is removed.
    pub fn list(&self) -> Result<Vec<Record>, RegistryError> {
        // A place whose supervisor has not yet taken its lock looks dead; no launch is under way while this is held.
        let _held = self.hold_all()?;
        self.living()
    }

    /// As [`Registry::list`], for whoever holds the lock of all.
    pub(super) fn living(&self) -> Result<Vec<Record>, RegistryError> {
        let entries = fs::read_dir(&self.directory).map_err(|source| at(&self.directory, source))?;
        let mut records = Vec::new();
        for entry in entries.flatten() {
            let Ok(id) = entry.file_name().to_string_lossy().parse::<ContainerId>() else { continue };
            match self.get(&id) {
                Ok(record) => records.push(record),
                Err(RegistryError::Unknown { .. }) => self.forget(&id),
                Err(error) => return Err(error),
            }
        }
        records.sort_by(|a, b| (a.launched_ms, &a.id).cmp(&(b.launched_ms, &b.id)));
        Ok(records)
    }

    /// One container that lives.
    pub fn get(&self, id: &ContainerId) -> Result<Record, RegistryError> {
        let unknown = || RegistryError::Unknown { id: id.clone() };
        if !self.is_alive(id) {
            return Err(unknown());
        }
        let path = self.record(id);
        match fs::read(&path) {
            Ok(bytes) => {
                let record: Record =
                    serde_json::from_slice(&bytes).map_err(|error| at(&path, error.into()))?;
                if record.version > VERSION {
                    return Err(at(&path, io::Error::other("it was written by a newer release")));
                }
                Ok(record)
            }
            // Its supervisor holds the lock and is still setting it up.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(unknown()),
            Err(error) => Err(at(&path, error)),
        }
    }

    /// Where the records of a container are.
    pub(super) fn place(&self, id: &ContainerId) -> PathBuf {
        self.directory.join(id.as_str())
    }

    fn record(&self, id: &ContainerId) -> PathBuf {
        self.place(id).join("record.json")
    }

    /// Makes a container's directory.
    pub(super) fn make_place(&self, id: &ContainerId) -> Result<PathBuf, RegistryError> {
        let place = self.place(id);
        fs::DirBuilder::new().mode(0o700).create(&place).map_err(|source| at(&place, source))?;
        Ok(place)
    }

    /// Writes a record down, whole or not at all.
    pub(super) fn write(&self, record: &Record) -> Result<(), RegistryError> {
        let (path, place) = (self.record(&record.id), self.place(&record.id));
        let write = || {
            let aside = place.join("record.json.new");
            let mut file = fs::File::create(&aside)?;
            file.write_all(&serde_json::to_vec(record)?)?;
            file.sync_all()?;
            fs::rename(&aside, &path)
        };
        write().map_err(|source| at(&path, source))
    }

    /// Takes a container's lock, for as long as the file stays open.
    pub(super) fn hold(&self, id: &ContainerId) -> Result<fs::File, RegistryError> {
        self.lock(&self.place(id).join("lock"), FlockOperation::NonBlockingLockExclusive)
    }

    /// Lets one launch at a time count what there is.
    pub(super) fn hold_all(&self) -> Result<fs::File, RegistryError> {
        self.lock(&self.directory.join("lock"), FlockOperation::LockExclusive)
    }

    /// Removes what is written of a container.
    pub(super) fn forget(&self, id: &ContainerId) {
        let _ = fs::remove_dir_all(self.place(id));
    }

    fn is_alive(&self, id: &ContainerId) -> bool {
        let Ok(file) = fs::File::open(self.place(id).join("lock")) else { return false };
        let probe = rustix::fs::flock(&file, FlockOperation::NonBlockingLockShared);
        probe.is_err_and(|errno| errno == rustix::io::Errno::WOULDBLOCK)
    }

    fn lock(&self, path: &Path, operation: FlockOperation) -> Result<fs::File, RegistryError> {
        let open = fs::OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path);
        let file = open.map_err(|source| at(path, source))?;
        rustix::fs::flock(&file, operation).map_err(|errno| at(path, errno.into()))?;
        Ok(file)
    }
}

pub(super) fn at(path: &Path, source: io::Error) -> RegistryError {
    RegistryError::Io { path: path.to_owned(), source }
}
