//! Reading a file that a stranger may have put in its place: a pipe keeps nobody waiting, and a file without an end fills no memory.

use rustix::fs::OFlags;
use rustix::io::Errno;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

/// The content of a file that has no more than `limit` bytes.
///
/// # Errors
/// Where it cannot be read, is no file, or is larger.
pub fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = File::options().read(true).custom_flags(flags.bits().cast_signed()).open(path)?;
    let seen = file.metadata()?;
    if seen.is_dir() {
        return Err(Errno::ISDIR.into());
    }
    if !seen.is_file() {
        return Err(io::Error::other("it is no file"));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(seen.len().min(limit)).unwrap_or_default() + 1);
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(io::Error::other(format!("it has more than {limit} bytes")));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_file_that_ends_is_read() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("file");
        std::fs::write(&file, b"four").unwrap();
        let told = |path: &Path, limit| read(path, limit).map_err(|error| error.to_string());
        assert_eq!(told(&file, 4), Ok(b"four".to_vec()));
        assert_eq!(told(&file, 3), Err("it has more than 3 bytes".to_owned()));
        assert_eq!(told(directory.path(), 4), Err("Is a directory (os error 21)".to_owned()));
        assert_eq!(told(Path::new("/dev/zero"), 4), Err("it is no file".to_owned()));
        assert_eq!(read(&directory.path().join("none"), 4).unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
