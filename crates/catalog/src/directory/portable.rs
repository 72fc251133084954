//! A directory on other systems, by the standard library.
//!
//! It has the interface of the Linux one and none of its thrift.

use super::{Facts, FileRead, Kind, Name, sorted};
use std::fs::{self, File, FileType, Metadata};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// A directory.
#[derive(Debug)]
pub struct Directory {
    path: PathBuf,
}

impl Directory {
    /// Opens the directory at `path`.
    pub fn open(path: &Path) -> io::Result<Self> {
        fs::read_dir(path)?;
        Ok(Self { path: path.to_owned() })
    }

    /// Opens a directory below this one.
    pub fn open_below(&self, path: &Path) -> io::Result<Self> {
        Self::open(&self.path.join(path))
    }

    /// The facts of the directory itself.
    pub fn facts(&self) -> io::Result<Facts> {
        fs::metadata(&self.path).map(|metadata| facts(&metadata))
    }

    /// The facts of what a path below leads to.
    pub fn facts_of(&self, path: &Path) -> io::Result<Facts> {
        fs::metadata(self.path.join(path)).map(|metadata| facts(&metadata))
    }

    /// The names in the directory, sorted.
    pub fn names(&self) -> io::Result<Vec<Name>> {
        let name = |entry: fs::DirEntry| {
            Ok(Name { kind: kind(entry.file_type()?), name: entry.file_name(), inode: 0 })
        };
        fs::read_dir(&self.path)?.map(|entry| entry.and_then(name)).collect::<io::Result<_>>().map(sorted)
    }

    /// Reads a file below into `bytes`, if it is a regular one of at most `limit` bytes.
    pub fn read(&self, path: &Path, limit: u64, bytes: &mut Vec<u8>) -> io::Result<FileRead> {
        read_path(&self.path.join(path), limit, bytes)
    }
}

/// Reads the file at `path` as [`Directory::read`] does.
pub fn read_path(path: &Path, limit: u64, bytes: &mut Vec<u8>) -> io::Result<FileRead> {
    bytes.clear();
    let facts = facts(&fs::metadata(path)?);
    let is_read = facts.kind == Kind::File && facts.size <= limit;
    if is_read {
        File::open(path)?.take(limit).read_to_end(bytes)?;
    }
    Ok(FileRead { facts, is_read })
}

fn facts(metadata: &Metadata) -> Facts {
    let since = metadata.modified().ok().and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
    let modified = since.and_then(|since| i64::try_from(since.as_nanos()).ok()).unwrap_or(-1);
    let kind = kind(metadata.file_type());
    Facts { kind, size: metadata.len(), modified, touched: 0, inode: inode(metadata) }
}

fn kind(file_type: FileType) -> Kind {
    if file_type.is_file() {
        Kind::File
    } else if file_type.is_dir() {
        Kind::Directory
    } else if file_type.is_symlink() {
        Kind::Link
    } else {
        Kind::Other
    }
}

#[cfg(unix)]
fn inode(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(not(unix))]
fn inode(_: &Metadata) -> u64 {
    0
}
