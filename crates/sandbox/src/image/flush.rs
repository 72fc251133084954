//! What was written, made to stay though the machine should lose its power.

use std::fs::File;
use std::io;
use std::path::Path;

/// Up to so many entries are flushed one by one; more cost less with the whole file system at once.
const FEW: u64 = 2_000;

/// Flushes a tree of `entries`, following no link.
pub fn flush(root: &Path, entries: u64) -> io::Result<()> {
    if entries <= FEW {
        return flush_each(root);
    }
    #[cfg(target_os = "linux")]
    rustix::fs::syncfs(File::open(root)?)?;
    #[cfg(not(target_os = "linux"))]
    rustix::fs::sync();
    Ok(())
}

fn flush_each(directory: &Path) -> io::Result<()> {
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            flush_each(&entry.path())?;
        } else if kind.is_file() {
            File::open(entry.path())?.sync_all()?;
        }
    }
    File::open(directory)?.sync_all()
}
