//! Something that is being made: a directory with a lock, gone when its maker is, unless it was moved into its place.

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use crate::image::lock::{Lock, Mode};

/// The name of a lock ends so; what it guards has the same name without.
pub const LOCK: &str = ".lock";

/// A directory of one's own.
#[derive(Debug)]
pub struct Staging {
    directory: PathBuf,
    _lock: Lock,
}

impl Staging {
    /// Makes a directory in `parent` under a name that nobody has.
    pub fn new(parent: &Path) -> io::Result<Staging> {
        loop {
            let file = tempfile::Builder::new().prefix("").suffix(LOCK).tempfile_in(parent)?;
            let (_, path) = file.keep().map_err(|error| error.error)?;
            // The lock comes before the directory, so that whoever tidies up never finds one without the other. It may have been
            // tidied away before it was locked; then another name will do.
            let Some(lock) = Lock::take(&path, Mode::AloneNow)? else { continue };
            let lock = lock.temporary();
            let directory = path.with_extension("");
            DirBuilder::new().mode(0o700).create(&directory)?;
            return Ok(Staging { directory, _lock: lock });
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.directory
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        // What cannot be removed now, the next one who tidies up removes. The lock goes after it.
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}
