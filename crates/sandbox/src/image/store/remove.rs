//! Taking an image, or one of its names, out of the store.

use super::staging::Staging;
use super::{FindError, Store, StoreError};
use crate::image::digest::Digest;
use crate::image::lock::{Lock, Mode};

/// What was removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removed {
    /// Which image it was.
    pub digest: Digest,
    /// The names that are gone.
    pub names: Vec<String>,
    /// The names that still lead to it; where there are any, it stays.
    pub left: Vec<String>,
    /// Bytes that its files had.
    pub bytes: u64,
}

/// Why an image was not removed.
#[derive(Debug, thiserror::Error)]
pub enum RemoveError {
    /// There is none, or no single one.
    #[error(transparent)]
    Find(#[from] FindError),
    /// A container is running in it.
    #[error("the image {digest} is in use")]
    InUse {
        /// Which one.
        digest: Digest,
    },
    /// The store cannot be changed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Store {
    /// Removes a name, and the image with its last one; a digest removes it with all of its names.
    pub fn remove(&self, name: &str) -> Result<Removed, RemoveError> {
        // Before anything is made: where there is no store, there is no image.
        self.look_up(name)?;
        let lock = self.lock()?;
        let found = self.look_up(name)?;
        let digest = found.image.digest;
        let mut names = self.names()?;
        let borne: Vec<String> = found.image.names.into_iter().map(|named| named.name).collect();
        let (gone, left): (Vec<String>, Vec<String>) = match found.name {
            Some(name) => borne.into_iter().partition(|borne| *borne == name),
            None => (borne, Vec::new()),
        };
        let mut staging = None;
        if left.is_empty() {
            staging = Some(self.put_aside(&digest)?);
        }
        names.retain(|name, _| !gone.contains(name));
        self.write_names(names)?;
        drop(lock);
        drop(staging);
        Ok(Removed { digest, names: gone, left, bytes: found.image.bytes })
    }

    /// Moves a tree out of its place, unless somebody uses it.
    fn put_aside(&self, digest: &Digest) -> Result<Staging, RemoveError> {
        let record = self.record_of(digest);
        let lock = Lock::take_existing(&record, Mode::AloneNow).map_err(StoreError::io("lock", &record))?;
        let Some(_lock) = lock else { return Err(RemoveError::InUse { digest: *digest }) };
        let staging = Staging::new(&self.temporary()).map_err(StoreError::io("make", &self.temporary()))?;
        let tree = self.tree(digest);
        std::fs::rename(&tree, staging.path().join("gone")).map_err(StoreError::io("remove", &tree))?;
        Ok(staging)
    }
}
