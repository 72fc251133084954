//! The store: images unpacked once, each under its digest, and the names that people know them by.
//!
//! ```text
//! lock            held while names change
//! names.json      every name and the digest that it stands for
//! trees/HEX/      root/, the unpacked tree, and image.json, what is known of it: made whole, then moved here, then never changed
//! blobs/HEX       what was fetched and is not unpacked yet; HEX.part is on its way
//! tmp/            what is being made, each with a lock that its maker holds
//! ```
//!
//! It can be used by several processes at once. It knows no configuration and no roles, and runs nothing.

mod find;
mod keep;
mod names;
mod reap;
mod remove;
mod staging;

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use super::content;
use super::digest::Digest;
use super::error::ImageError;
use super::limits::Limits;
use super::lock::{Lock, Mode};
use super::record::{self, Image, RecordError};
use crate::policy::Root;

pub use find::FindError;
pub(super) use keep::Keeping;
pub use keep::{ImportRequest, Source};
pub use names::canonical;
pub(super) use names::check as check_name;
pub use reap::Reaped;
pub use remove::{RemoveError, Removed};

/// The file beside a tree that says what it is.
const RECORD: &str = "image.json";

/// A store of images in a directory.
#[derive(Clone, Debug)]
pub struct Store {
    directory: PathBuf,
    limits: Limits,
}

/// Why the store itself cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// One of its files cannot be used.
    #[error("{} {source}", .path.display())]
    Record {
        /// Which one.
        path: PathBuf,
        /// Why.
        source: RecordError,
    },
    /// The system refused something.
    #[error("cannot {action} {}", .path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// With which file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// A stored image that is being used: as long as this is held, nobody removes it.
#[derive(Debug)]
pub struct Hold {
    _lock: Lock,
}

impl Store {
    /// A store in a directory, which is made when the first image comes.
    pub fn new(directory: impl Into<PathBuf>, limits: Limits) -> Store {
        Store { directory: directory.into(), limits }
    }

    /// How large an image may be.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Where an image's unpacked tree lies.
    pub fn root_of(&self, digest: &Digest) -> PathBuf {
        self.tree(digest).join("root")
    }

    /// Every image, those with names first, by name.
    pub fn list(&self) -> Result<Vec<Image>, StoreError> {
        let trees = self.directory.join("trees");
        let mut images = Vec::new();
        let entries = match std::fs::read_dir(&trees) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(images),
            Err(error) => return Err(StoreError::io("read", &trees)(error)),
        };
        let names = self.names()?;
        for entry in entries {
            let entry = entry.map_err(StoreError::io("read", &trees))?;
            let digest = entry.file_name().to_str().and_then(Digest::from_hex);
            if let Some(digest) = digest
                && let Some(image) = self.load(&digest, &names)?
            {
                images.push(image);
            }
        }
        let name = |image: &Image| image.names.first().map(|named| named.name.clone());
        images.sort_by_cached_key(|image| (image.names.is_empty(), name(image), image.digest));
        Ok(images)
    }

    /// Keeps an image from being removed; `None` where it is gone or is being removed.
    pub fn hold(&self, digest: &Digest) -> Result<Option<Hold>, StoreError> {
        let path = self.record_of(digest);
        match Lock::take_existing(&path, Mode::SharedNow) {
            Ok(lock) => Ok(lock.map(|lock| Hold { _lock: lock })),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(StoreError::io("lock", &path)(error)),
        }
    }

    /// Reads an image's whole tree and says whether it is still what was unpacked.
    pub fn verify(&self, image: &Image) -> Result<bool, ImageError> {
        let found = content::digest(&self.root_of(&image.digest), Limits { ratio: 0, ..self.unbounded() })?;
        Ok(found.digest == image.content)
    }

    /// Limits that hold nothing back: what is stored was let in before.
    fn unbounded(&self) -> Limits {
        Limits { bytes: u64::MAX, entries: u64::MAX, ..self.limits }
    }

    /// The image of a digest, with its names.
    fn load(&self, digest: &Digest, names: &record::Names) -> Result<Option<Image>, StoreError> {
        let path = self.record_of(digest);
        let record = |source| StoreError::Record { path: path.clone(), source };
        let Some(mut image) = record::read::<Image>(&path).map_err(record)? else { return Ok(None) };
        image.names = names::of(digest, names);
        Ok(Some(image))
    }

    /// Makes the directories, which are nobody else's to enter: what is in an image may be read by whoever gets there.
    pub(super) fn prepare(&self) -> Result<(), StoreError> {
        for name in ["trees", "blobs", "tmp"] {
            let path = self.directory.join(name);
            let made = DirBuilder::new().recursive(true).mode(0o700).create(&path);
            made.map_err(StoreError::io("make", &path))?;
        }
        let private = std::os::unix::fs::PermissionsExt::from_mode(0o700);
        std::fs::set_permissions(&self.directory, private).map_err(StoreError::io("protect", &self.directory))
    }

    /// The lock under which names change and trees come and go.
    fn lock(&self) -> Result<Lock, StoreError> {
        let path = self.directory.join("lock");
        let lock = Lock::take(&path, Mode::Alone).map_err(StoreError::io("lock", &path))?;
        lock.ok_or_else(|| StoreError::io("lock", &path)(io::ErrorKind::WouldBlock.into()))
    }

    fn tree(&self, digest: &Digest) -> PathBuf {
        self.directory.join("trees").join(digest.hex())
    }

    fn record_of(&self, digest: &Digest) -> PathBuf {
        self.tree(digest).join(RECORD)
    }

    fn temporary(&self) -> PathBuf {
        self.directory.join("tmp")
    }

    /// Where blobs wait to be unpacked.
    pub(super) fn blobs(&self) -> PathBuf {
        self.directory.join("blobs")
    }

    /// Whether an image is there.
    pub(super) fn holds(&self, digest: &Digest) -> Result<bool, ImageError> {
        Ok(self.load(digest, &record::Names::new())?.is_some())
    }

    /// Removes the blobs of an image that is unpacked. Others who need them have them open.
    pub(super) fn forget_blobs(&self, blobs: &[Digest]) {
        for digest in blobs {
            // What cannot be removed now is tidied away later.
            let _ = std::fs::remove_file(self.blobs().join(digest.hex()));
        }
    }
}

impl Hold {
    /// Keeps the image that a root file system is, where it is a stored one. For a process that is handed a policy and not a role.
    pub fn of(root: &Root) -> io::Result<Option<Hold>> {
        let Root::Directory { path, .. } = root else { return Ok(None) };
        let Some(tree) = path.parent() else { return Ok(None) };
        match Lock::take_existing(&tree.join(RECORD), Mode::SharedNow) {
            Ok(lock) => Ok(lock.map(|lock| Hold { _lock: lock })),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }
}

impl StoreError {
    fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> StoreError {
        let path = path.to_owned();
        move |source| StoreError::Io { action, path, source }
    }
}
