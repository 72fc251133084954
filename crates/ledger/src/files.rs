//! Directories for what nobody else may read, and the syncing of them.
//!
//! What is put into them is their users' to write, each in its own way.

use std::fs::{self, DirBuilder};
use std::io;
use std::path::Path;

/// Makes a directory, and what leads to it, for its owner alone; one that is there keeps its permissions.
pub fn make_private_directory(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Makes sure that the names in a directory outlive a power cut.
#[cfg(unix)]
pub fn sync_directory(path: &Path) -> io::Result<()> {
    fs::File::open(path)?.sync_all()
}

/// Directories cannot be opened here; the system orders its own writes.
#[cfg(not(unix))]
pub fn sync_directory(_: &Path) -> io::Result<()> {
    Ok(())
}
