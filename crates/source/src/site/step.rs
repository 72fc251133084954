//! One move of a change: something staged takes the place of something else, which lies where it was staged afterwards.
//!
//! What lies where is told by inodes, so that a step can be asked whether it has happened, however often and by whom.

use super::{SiteError, failed};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// Which file or directory something is, wherever it lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    device: u64,
    inode: u64,
}

/// One move.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    place: PathBuf,
    staged: PathBuf,
    old: Option<Identity>,
    new: Option<Identity>,
}

/// What is at a path; nothing where nothing is.
pub fn identity(path: &Path) -> Result<Option<Identity>, SiteError> {
    match fs::symlink_metadata(path) {
        Ok(metadata) => Ok(Some(Identity { device: metadata.dev(), inode: metadata.ino() })),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed("read", path)(error)),
    }
}

impl Step {
    /// A step that has not happened.
    pub fn new(place: PathBuf, staged: &Path, old: Option<Identity>, new: Option<Identity>) -> Self {
        Self { place, staged: staged.to_owned(), old, new }
    }

    /// The directory whose names it changes.
    pub fn directory(&self) -> Option<&Path> {
        self.place.parent()
    }

    /// Makes it happen, if it has not.
    pub fn forward(&self) -> Result<(), SiteError> {
        self.to(self.new, self.old)
    }

    /// Undoes it, if it has happened.
    pub fn backward(&self) -> Result<(), SiteError> {
        self.to(self.old, self.new)
    }

    /// Brings to the place what is to be there, and what is there to where the other was staged.
    fn to(&self, wanted: Option<Identity>, unwanted: Option<Identity>) -> Result<(), SiteError> {
        // Mostly nothing is there and nothing was: then one look and one move do, and the kernel sees to it that nothing is in the way.
        if unwanted.is_none() && wanted.is_some() && identity(&self.staged)? == wanted && self.is_moved() {
            return Ok(());
        }
        let here = identity(&self.place)?;
        if here == wanted {
            return Ok(());
        }
        let aside = self.aside();
        if here.is_none() && wanted.is_some() && identity(&self.staged)? == wanted {
            // Nothing is in the way, or it has been put aside already by somebody who was killed.
            rename(&self.staged, &self.place)?;
            return if identity(&aside)?.is_some() { rename(&aside, &self.staged) } else { Ok(()) };
        }
        if here != unwanted {
            return Err(SiteError::Interfered { path: self.place.clone() });
        }
        match wanted {
            None => rename(&self.place, &self.staged),
            Some(_) if exchange(&self.place, &self.staged)? => Ok(()),
            Some(_) => {
                rename(&self.place, &aside)?;
                rename(&self.staged, &self.place)?;
                rename(&aside, &self.staged)
            }
        }
    }

    /// Moves what is staged to its place, if nothing is there; false where something is, or the file system cannot tell.
    fn is_moved(&self) -> bool {
        #[cfg(target_os = "linux")]
        {
            use rustix::fs::{CWD, RenameFlags, renameat_with};
            renameat_with(CWD, &self.staged, CWD, &self.place, RenameFlags::NOREPLACE).is_ok()
        }
        #[cfg(not(target_os = "linux"))]
        {
            false
        }
    }

    fn aside(&self) -> PathBuf {
        aside(&self.staged)
    }
}

/// What the name ends with of what is put aside.
const ASIDE: &str = "aside";

/// Where something waits while two change places in three moves.
fn aside(staged: &Path) -> PathBuf {
    staged.with_extension(ASIDE)
}

/// Whether something may wait by this name.
pub fn is_aside(name: &Path) -> bool {
    name.extension().is_some_and(|end| end == ASIDE)
}

/// Lets two change places in one move; false where the file system cannot.
fn exchange(one: &Path, other: &Path) -> Result<bool, SiteError> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        use rustix::io::Errno;
        match renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE) {
            Ok(()) => Ok(true),
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => Ok(false),
            Err(error) => Err(failed("replace", one)(error.into())),
        }
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (one, other);
        Ok(false)
    }
}

fn rename(from: &Path, to: &Path) -> Result<(), SiteError> {
    fs::rename(from, to).map_err(failed("make", to))
}
