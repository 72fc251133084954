//! Trees outside the store: written for a person to have, and read as they are there.

use super::error::{StageError, StoreError};
use super::tree::directories;
use super::walk::{FileRead, Manner, Visitor, is_executable, walk};
use super::{Store, failed};
use guild_manifest::{Digest, FileEntry, TreeManifest};
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

/// Writes the files of a tree into a directory that is not there yet, with the permissions that the person's mask leaves.
pub fn export(store: &Store, tree: &TreeManifest, to: &Path) -> Result<(), StoreError> {
    fs::create_dir_all(to).map_err(failed("make", to))?;
    // Sorted by name a directory comes before those in it.
    for directory in directories(tree) {
        let directory = to.join(directory);
        fs::create_dir(&directory).map_err(failed("make", &directory))?;
    }
    for file in tree.files() {
        let bytes = store.get(&file.digest)?;
        let path = to.join(&file.path);
        let mode = if file.executable { 0o777 } else { 0o666 };
        let written = OpenOptions::new().write(true).create_new(true).mode(mode).open(&path);
        written.and_then(|mut file| file.write_all(&bytes)).map_err(failed("write", &path))?;
    }
    Ok(())
}

/// Reads every file below a directory that would be staged, and keeps nothing of them but their digests.
///
/// # Errors
/// Where something in it is refused or cannot be read.
pub fn scan(directory: &Path) -> Result<TreeManifest, StageError> {
    digests(directory, Manner::Foreign)
}

/// Does the same with every file that lies in the place of something installed, those in directories of tools too.
///
/// # Errors
/// Where something in it is refused or cannot be read.
pub fn scan_installed(directory: &Path) -> Result<TreeManifest, StageError> {
    digests(directory, Manner::Installed)
}

fn digests(directory: &Path, manner: Manner) -> Result<TreeManifest, StageError> {
    let mut seen = Seen(Vec::new());
    walk(directory, manner, &mut seen)?;
    Ok(TreeManifest::new(seen.0)?)
}

struct Seen(Vec<FileEntry>);

impl Visitor for Seen {
    fn directory(&mut self, _: &str, _: u32) {}

    fn file(&mut self, file: &FileRead<'_>) -> Result<(), StageError> {
        self.0.push(FileEntry {
            path: file.path.to_owned(),
            executable: is_executable(file.mode),
            size: file.bytes.len() as u64,
            digest: Digest::of(file.bytes),
        });
        Ok(())
    }
}
