//! The journal of a change: written when everything is staged, removed when everything is in its place.

use super::step::Step;
use super::{SiteError, failed};
use crate::durable;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// The version of the format.
const VERSION: u32 = 1;

/// Where a journal is written before it has its name.
pub fn aside(path: &Path) -> PathBuf {
    path.with_extension("new")
}

/// A change that has been decided.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Journal {
    version: u32,
    /// The directory in which everything is staged, and in which what it replaces lies in the end.
    staging: PathBuf,
    steps: Vec<Step>,
}

impl Journal {
    /// A journal of these steps.
    pub fn new(staging: &Path, steps: Vec<Step>) -> Self {
        Self { version: VERSION, staging: staging.to_owned(), steps }
    }

    /// The journal that somebody left; nothing where nobody has.
    pub fn read(path: &Path) -> Result<Option<Self>, SiteError> {
        let bytes = match fs::read(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            bytes => bytes.map_err(failed("read", path))?,
        };
        let journal: Self =
            serde_json::from_slice(&bytes).map_err(|error| failed("read", path)(error.into()))?;
        if journal.version != VERSION {
            let message = format!("it is of version {}, which this program does not know", journal.version);
            return Err(failed("read", path)(io::Error::other(message)));
        }
        Ok(Some(journal))
    }

    /// Writes it, so that it outlives a power cut or is not there at all.
    pub fn write(&self, path: &Path) -> Result<(), SiteError> {
        let directory = path.parent().unwrap_or(Path::new("/"));
        fs::create_dir_all(directory).map_err(failed("make", directory))?;
        // The site is held, so that nobody else writes this one; what a killed one left is written over, or swept.
        let aside = aside(path);
        let write = || -> io::Result<()> {
            let mut file = File::create(&aside)?;
            file.write_all(&serde_json::to_vec(self)?)?;
            file.sync_all()?;
            fs::rename(&aside, path)
        };
        write().map_err(failed("write", path))?;
        sync_directory(directory)
    }

    /// Brings everything into its place.
    pub fn forward(&self) -> Result<(), SiteError> {
        self.steps.iter().try_for_each(Step::forward)
    }

    /// Brings everything back.
    pub fn backward(&self) -> Result<(), SiteError> {
        self.steps.iter().rev().try_for_each(Step::backward)
    }

    /// Forgets it, once it has been carried through or undone, and removes what lies where things were staged.
    pub fn settle(&self, path: &Path) -> Result<(), SiteError> {
        let directories: BTreeSet<&Path> = self.steps.iter().filter_map(Step::directory).collect();
        // One that is gone has no names to keep.
        directories.into_iter().filter(|directory| directory.is_dir()).try_for_each(sync_directory)?;
        fs::remove_file(path).map_err(failed("remove", path))?;
        sync_directory(path.parent().unwrap_or(Path::new("/")))?;
        fs::remove_dir_all(&self.staging).ok();
        Ok(())
    }
}

fn sync_directory(path: &Path) -> Result<(), SiteError> {
    durable::sync_directory(path).map_err(failed("sync", path))
}
