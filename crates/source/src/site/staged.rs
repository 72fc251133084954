//! Changes that are staged: made all at once, by whoever holds them and on whatever thread, or gone without a trace.
//!
//! How each is staged is said where the site is held.

use super::journal::Journal;
use super::step::Step;
use super::{SiteError, failed};
use crate::durable::sync_file_system;
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;
use tempfile::TempDir;

/// Changes of a site that have not happened, with everything they need. Dropped, they never happen.
#[derive(Debug)]
pub struct Staged {
    staging: TempDir,
    steps: Vec<Step>,
    journal: PathBuf,
    /// The site stays held until they are made, whatever becomes of whoever wanted them.
    _lock: Arc<File>,
}

impl Staged {
    pub(super) fn new(staging: TempDir, steps: Vec<Step>, journal: PathBuf, lock: Arc<File>) -> Self {
        Self { staging, steps, journal, _lock: lock }
    }

    /// Makes them, all at once. Where it fails nothing has changed.
    ///
    /// # Errors
    /// Where the disk does not take them, or something is in the way.
    pub fn make(self) -> Result<(), SiteError> {
        let Self { staging, steps, journal: path, _lock } = self;
        sync_file_system(staging.path()).map_err(failed("sync", staging.path()))?;
        let journal = Journal::new(staging.path(), steps);
        journal.write(&path)?;
        // From here on it has happened, unless something is in the way, and then none of it has. What is staged is the journal's.
        let _ = staging.keep();
        if let Err(error) = journal.forward() {
            journal.backward()?;
            journal.settle(&path)?;
            return Err(error);
        }
        journal.settle(&path)
    }
}
