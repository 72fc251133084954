//! Making sure that what was written outlives a power cut. What a failure means is the caller's to say.

use std::fs::File;
use std::io;
use std::path::Path;

/// Makes sure of the names in a directory.
pub fn sync_directory(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Makes sure of everything on the file system that a path lies on.
pub fn sync_file_system(path: &Path) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::fs::syncfs(File::open(path)?)?;
    #[cfg(not(target_os = "linux"))]
    {
        let _ = path;
        rustix::fs::sync();
    }
    Ok(())
}
