//! Contents that were just read and are being written beside: to be had at once, and durable once somebody has waited for them.
//!
//! What is in memory here was digested as it was read. Nobody takes it for something that is in the store.

use super::error::StoreError;
use guild_manifest::Digest;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::panic::resume_unwind;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// A content that others read meanwhile.
pub type Content = Arc<Vec<u8>>;

/// The contents that are on their way to the disk, each with how many wait for it.
#[derive(Debug, Clone, Default)]
pub struct Fresh(Arc<Mutex<HashMap<Digest, (Content, usize)>>>);

/// Contents on their way to the disk. Only what was waited for may be relied on; until this goes they are read from memory.
#[must_use]
#[derive(Debug, Default)]
pub struct Keeping {
    writing: Option<JoinHandle<Result<(), StoreError>>>,
    fresh: Fresh,
    digests: Vec<Digest>,
}

impl Fresh {
    /// The content of a digest.
    pub fn read(&self, digest: &Digest) -> Option<Content> {
        self.known().get(digest).map(|(content, _)| Arc::clone(content))
    }

    /// Lets contents be read while a thread writes them.
    pub fn keep(
        &self,
        contents: &[(Digest, Content)],
        writing: JoinHandle<Result<(), StoreError>>,
    ) -> Keeping {
        let mut known = self.known();
        for (digest, content) in contents {
            known.entry(*digest).or_insert_with(|| (Arc::clone(content), 0)).1 += 1;
        }
        let digests = contents.iter().map(|(digest, _)| *digest).collect();
        Keeping { writing: Some(writing), fresh: self.clone(), digests }
    }

    fn forget(&self, digests: &[Digest]) {
        let mut known = self.known();
        for digest in digests {
            if let Entry::Occupied(mut entry) = known.entry(*digest) {
                entry.get_mut().1 -= 1;
                if entry.get().1 == 0 {
                    entry.remove();
                }
            }
        }
    }

    fn known(&self) -> MutexGuard<'_, HashMap<Digest, (Content, usize)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Keeping {
    /// Waits until they are durable.
    ///
    /// # Errors
    /// Where they cannot be written.
    pub fn wait(&mut self) -> Result<(), StoreError> {
        let Some(writing) = self.writing.take() else { return Ok(()) };
        writing.join().unwrap_or_else(|panic| resume_unwind(panic))
    }
}

impl Drop for Keeping {
    fn drop(&mut self) {
        self.wait().ok();
        self.fresh.forget(&self.digests);
    }
}
