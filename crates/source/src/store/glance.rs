//! What one run has looked at: a directory that was found whole is not looked at again before the run is over.
//!
//! Several parts of a run ask for the same files, one after the other. What is approved, vetted and run is then one reading of them.

use super::{Store, Stored};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The trees of one run, by the directories that they were found in.
#[derive(Debug, Default)]
pub struct Glances(Mutex<HashMap<PathBuf, Stored>>);

impl Glances {
    fn held(&self) -> MutexGuard<'_, HashMap<PathBuf, Stored>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The tree in a directory: what this run has seen there before, or what is found now.
pub fn once<E>(store: &Store, place: &Path, find: impl FnOnce() -> Result<Stored, E>) -> Result<Stored, E> {
    let Some(glances) = &store.glances else { return find() };
    if let Some(stored) = glances.held().get(place) {
        return Ok(stored.clone());
    }
    let stored = find()?;
    glances.held().insert(place.to_owned(), stored.clone());
    Ok(stored)
}
