//! The directory that takes what a command writes to a copy-on-write mount, and its layout.
//!
//! | name | overlay | copy |
//! | --- | --- | --- |
//! | `layer.json` | which of the two it is; written last | the same |
//! | `upper` | what was written, with whiteouts for what was deleted | |
//! | `work` | the kernel's own | |
//! | `copy` | | the source as it was, then as the command left it |
//! | `base` | | what was copied: path, type, permissions, size and digest |
//!
//! The directory is locked, by `flock`, while somebody uses the layer. Mounting is the runtime's business. It mounts overlays without `redirect_dir`, `metacopy` and `index`; with `userxattr` where it
//! has no privileges. A layer that says otherwise is refused when it is read.

mod copy;

use std::fs::{self, DirBuilder, File, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::FlockOperation;
use serde::{Deserialize, Serialize};

use super::bounds::{Bounds, ReadError};
use super::file::{ReadFileError, read_json, write_json};
use super::listing::{self, Listing};
use super::removal::remove_path;
use super::tree::Tree;

pub use copy::{Copied, Owner};

const RECORD: &str = "layer.json";
const UPPER: &str = "upper";
const WORK: &str = "work";
const COPY: &str = "copy";
const BASE: &str = "base";

/// The format that is written; a newer one is refused.
const VERSION: u32 = 1;

/// A layer directory, held until this is dropped.
#[derive(Debug)]
pub struct Layer {
    directory: PathBuf,
    form: Form,
    #[expect(dead_code, reason = "the lock lasts as long as the directory is open")]
    held: File,
}

/// An empty directory that is to become a layer, held until this is dropped.
#[derive(Debug)]
pub(super) struct Place {
    directory: PathBuf,
    held: File,
}

/// How a layer takes changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// As the upper directory of an overlay.
    Overlay,
    /// As a copy that is written to.
    Copy,
}

/// Why there is no layer.
#[derive(Debug, thiserror::Error)]
pub enum LayerError {
    /// The directory for the layer has something in it.
    #[error("{path:?} is not empty")]
    NotEmpty {
        /// The directory.
        path: PathBuf,
    },
    /// The layer's record is no such record, or a newer one.
    #[error("{path:?} is no layer")]
    Record {
        /// The layer's directory.
        path: PathBuf,
        /// What is wrong with it.
        source: ReadFileError,
    },
    /// The system refused.
    #[error("cannot use {path:?}")]
    Io {
        /// What was used.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The source was not read to its end.
    #[error("cannot copy the source")]
    Source(#[from] ReadError),
    /// What the command left was not read to its end.
    #[error("what was written cannot be kept")]
    Written(#[source] ReadError),
}

#[derive(Serialize, Deserialize)]
struct Record {
    version: u32,
    form: Form,
}

impl Layer {
    /// Makes a layer for an overlay in `directory`, which is absent or empty. The runtime gives `upper` the owner that the command
    /// will be.
    pub fn create(directory: &Path) -> Result<Layer, LayerError> {
        Place::take(directory)?.for_overlay()
    }

    /// Makes a layer in `directory`, which is absent or empty, with a copy of `source` in it, for runtimes that cannot mount an
    /// overlay. Links stay links; devices, pipes, sockets and what this user may not read are left out. The copy belongs to
    /// `owner`, else to this user.
    pub fn copy_from(
        directory: &Path,
        source: &Path,
        bounds: Bounds,
        owner: Option<Owner>,
    ) -> Result<(Layer, Copied), LayerError> {
        Place::take(directory)?.with_copy(source, bounds, owner)
    }

    /// Opens a layer that was made before.
    pub fn open(directory: &Path) -> Result<Layer, LayerError> {
        let directory = real(directory)?;
        let record: Record = read_json(&directory.join(RECORD), VERSION)
            .map_err(|source| LayerError::Record { path: directory.clone(), source })?;
        let held = hold(&directory)?;
        Ok(Layer { directory, form: record.form, held })
    }

    /// Where the layer lies.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// How it takes changes.
    pub fn form(&self) -> Form {
        self.form
    }

    /// The overlay's upper directory.
    pub fn upper(&self) -> PathBuf {
        self.directory.join(UPPER)
    }

    /// The overlay's work directory.
    pub fn work(&self) -> PathBuf {
        self.directory.join(WORK)
    }

    /// The copy that is mounted in the source's place.
    pub fn copy(&self) -> PathBuf {
        self.directory.join(COPY)
    }

    /// What differs from `source`, to be asked as soon as the command has ended: from an overlay nobody can tell later what the
    /// source was then.
    pub fn changes(&self, source: &Path, bounds: Bounds) -> Result<Listing, LayerError> {
        listing::list(self, &real(source)?, bounds)
    }

    /// What the command left, as a tree.
    pub(super) fn content(&self) -> Result<Tree, LayerError> {
        let path = self.content_path();
        Tree::open(&path).map_err(at(&path))
    }

    /// Where that is.
    pub(super) fn content_path(&self) -> PathBuf {
        match self.form {
            Form::Overlay => self.upper(),
            Form::Copy => self.copy(),
        }
    }

    /// Where the manifest of a copied source is.
    pub(super) fn base(&self) -> PathBuf {
        self.directory.join(BASE)
    }

    /// When the layer was made, by the clock that stamps files.
    pub(super) fn made(&self) -> Result<(i64, i64), LayerError> {
        let path = self.directory.join(RECORD);
        let stat = rustix::fs::stat(&path).map_err(|error| at(&path)(error.into()))?;
        // Not the time of the last change of the inode: giving the layer to another user would move it.
        Ok((stat.st_mtime, i64::try_from(stat.st_mtime_nsec).unwrap_or_default()))
    }

    /// Removes the layer and everything in it. What is cut short can be opened and removed again.
    pub fn remove(self) -> Result<(), LayerError> {
        for name in [UPPER, WORK, COPY, BASE, RECORD] {
            let path = self.directory.join(name);
            remove_path(&path).map_err(at(&path))?;
        }
        remove_path(&self.directory).map_err(at(&self.directory))
    }
}

impl Place {
    /// Makes `directory`, or takes it where it is empty. Nobody else can enter it: what will be below may have set-id bits and
    /// belong to anybody.
    pub fn take(directory: &Path) -> Result<Place, LayerError> {
        match DirBuilder::new().mode(0o700).create(directory) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => made.map_err(at(directory))?,
        }
        let directory = real(directory)?;
        let held = hold(&directory)?;
        if fs::read_dir(&directory).map_err(at(&directory))?.next().is_some() {
            return Err(LayerError::NotEmpty { path: directory });
        }
        set_mode(&directory, 0o700)?;
        Ok(Place { directory, held })
    }

    /// Makes a layer for an overlay of it.
    pub fn for_overlay(self) -> Result<Layer, LayerError> {
        for (name, mode) in [(UPPER, 0o755), (WORK, 0o700)] {
            let path = self.directory.join(name);
            fs::create_dir(&path).map_err(at(&path))?;
            set_mode(&path, mode)?;
        }
        self.record(Form::Overlay)
    }

    /// Makes a layer with a copy of `source` of it.
    pub fn with_copy(
        self,
        source: &Path,
        bounds: Bounds,
        owner: Option<Owner>,
    ) -> Result<(Layer, Copied), LayerError> {
        let source = real(source)?;
        let copy = self.directory.join(COPY);
        fs::create_dir(&copy).map_err(at(&copy))?;
        let tree = Tree::open(&source).map_err(at(&source))?;
        let (base, copied) = copy::copy_tree(&tree, &copy, bounds, owner)?;
        write_json(&self.directory, BASE, &base).map_err(at(&self.directory))?;
        Ok((self.record(Form::Copy)?, copied))
    }

    fn record(self, form: Form) -> Result<Layer, LayerError> {
        write_json(&self.directory, RECORD, &Record { version: VERSION, form })
            .map_err(at(&self.directory))?;
        Ok(Layer { directory: self.directory, form, held: self.held })
    }
}

/// The path without links, by which a directory is opened from then on.
pub(super) fn real(path: &Path) -> Result<PathBuf, LayerError> {
    fs::canonicalize(path).map_err(at(path))
}

/// Whether somebody holds the layer in `directory`. Where there is none, nobody does.
pub(super) fn is_held(directory: &Path) -> bool {
    File::open(directory)
        .is_ok_and(|held| rustix::fs::flock(&held, FlockOperation::NonBlockingLockExclusive).is_err())
}

fn hold(directory: &Path) -> Result<File, LayerError> {
    let held = File::open(directory).map_err(at(directory))?;
    rustix::fs::flock(&held, FlockOperation::NonBlockingLockShared)
        .map_err(|error| at(directory)(error.into()))?;
    Ok(held)
}

/// Says where an error of the system happened.
pub(super) fn at(path: &Path) -> impl FnOnce(io::Error) -> LayerError {
    move |source| LayerError::Io { path: path.to_owned(), source }
}

fn set_mode(path: &Path, mode: u32) -> Result<(), LayerError> {
    fs::set_permissions(path, Permissions::from_mode(mode)).map_err(at(path))
}
