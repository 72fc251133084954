//! Makes what was written last through a loss of power.

use std::io;
use std::os::fd::OwnedFd;

/// Up to how many things are made to last one by one. Beyond that it takes less time to have the whole file system written, which
/// for a few would take longer.
const ONE_BY_ONE: usize = 64;

/// Makes things last that were changed, as far as they can be opened, and `directory` with them, on whose file system they are.
pub fn sync<T>(
    directory: &OwnedFd,
    changed: &[T],
    open: impl Fn(&T) -> io::Result<OwnedFd>,
) -> io::Result<()> {
    if changed.len() > ONE_BY_ONE {
        return Ok(rustix::fs::syncfs(directory)?);
    }
    for thing in changed {
        if let Ok(opened) = open(thing) {
            rustix::fs::fsync(opened)?;
        }
    }
    Ok(rustix::fs::fsync(directory)?)
}
