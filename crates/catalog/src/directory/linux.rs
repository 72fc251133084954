//! An open directory on Linux.
//!
//! It judges nothing: which names matter is the callers' to say.

use super::{Facts, FileRead, Kind, Name, sorted};
use rustix::buffer::spare_capacity;
use rustix::fs::{AtFlags, FileType, Mode, OFlags, RawDir, Stat, fstat, openat, statat};
use rustix::io::Errno;
use std::cell::RefCell;
use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

/// The last place that a directory can have: nothing stands behind an entry that is followed by it. Most file systems say so of
/// their last entry, which spares asking once more only to hear that there is none.
const LAST_PLACE: u64 = i64::MAX.cast_unsigned();

thread_local! {
    /// One buffer per thread for all directories: most are small, and a fresh one each time costs more than the call.
    static ENTRIES: RefCell<Vec<u8>> = RefCell::new(Vec::with_capacity(16 * 1024));
}

/// An open directory.
#[derive(Debug)]
pub struct Directory {
    fd: OwnedFd,
}

impl Directory {
    /// Opens the directory at `path`.
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(Self { fd: openat(rustix::fs::CWD, path, directory_flags(), Mode::empty())? })
    }

    /// Opens a directory below this one.
    pub fn open_below(&self, path: &Path) -> io::Result<Self> {
        Ok(Self { fd: openat(&self.fd, path, directory_flags(), Mode::empty())? })
    }

    /// The facts of the directory itself.
    pub fn facts(&self) -> io::Result<Facts> {
        Ok(facts(&fstat(&self.fd)?))
    }

    /// The facts of what a path below leads to.
    pub fn facts_of(&self, path: &Path) -> io::Result<Facts> {
        // The newer `statx` is a twentieth dearer, and this is asked twice for every skill on every start.
        Ok(facts(&statat(&self.fd, path, AtFlags::empty())?))
    }

    /// The names in the directory, sorted.
    pub fn names(&self) -> io::Result<Vec<Name>> {
        ENTRIES.with_borrow_mut(|buffer| {
            let mut entries = RawDir::new(self.fd.as_fd(), buffer.spare_capacity_mut());
            let mut names = Vec::new();
            while let Some(entry) = entries.next() {
                let entry = entry?;
                let name = OsStr::from_bytes(entry.file_name().to_bytes());
                if name != "." && name != ".." {
                    let kind = self.kind_of(name, entry.file_type());
                    names.push(Name { kind, name: name.to_owned(), inode: entry.ino() });
                }
                let is_end = entry.next_entry_cookie() == LAST_PLACE;
                if is_end && entries.is_buffer_empty() {
                    break;
                }
            }
            Ok(sorted(names))
        })
    }

    /// Reads a file below into `bytes`, if it is a regular one of at most `limit` bytes. A pipe is opened without waiting
    /// for its other end, and never read.
    pub fn read(&self, path: &Path, limit: u64, bytes: &mut Vec<u8>) -> io::Result<FileRead> {
        read_from(self.fd.as_fd(), path, limit, bytes)
    }

    /// The kind that the directory itself told, or, where the file system does not tell, the kind that is seen.
    fn kind_of(&self, name: &OsStr, told: FileType) -> Kind {
        match told {
            FileType::Unknown => statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW)
                .map_or(Kind::Other, |stat| facts(&stat).kind),
            known => kind(known),
        }
    }
}

/// Reads the file at `path` as [`Directory::read`] does.
pub fn read_path(path: &Path, limit: u64, bytes: &mut Vec<u8>) -> io::Result<FileRead> {
    read_from(rustix::fs::CWD, path, limit, bytes)
}

fn read_from(
    directory: BorrowedFd<'_>,
    path: &Path,
    limit: u64,
    bytes: &mut Vec<u8>,
) -> io::Result<FileRead> {
    bytes.clear();
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = openat(directory, path, flags, Mode::empty())?;
    let facts = facts(&fstat(&file)?);
    if facts.kind != Kind::File || facts.size > limit {
        return Ok(FileRead { facts, is_read: false });
    }
    let size = usize::try_from(facts.size).unwrap_or(usize::MAX);
    bytes.reserve_exact(size);
    // A file that grows meanwhile is read as far as it was when it was looked at; its stamp will not hold.
    while bytes.len() < size {
        match rustix::io::read(&file, spare_capacity(bytes)) {
            Ok(0) => break,
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    bytes.truncate(size);
    Ok(FileRead { facts, is_read: true })
}

const fn directory_flags() -> OFlags {
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC)
}

fn facts(stat: &Stat) -> Facts {
    Facts {
        kind: kind(FileType::from_raw_mode(stat.st_mode)),
        size: u64::try_from(stat.st_size).unwrap_or(0),
        modified: nanoseconds(stat.st_mtime, i64::try_from(stat.st_mtime_nsec).unwrap_or(0)),
        touched: nanoseconds(stat.st_ctime, i64::try_from(stat.st_ctime_nsec).unwrap_or(0)),
        inode: stat.st_ino,
    }
}

/// Nanoseconds since 1970, which fit until the year 2262.
fn nanoseconds(seconds: i64, fraction: i64) -> i64 {
    seconds.saturating_mul(1_000_000_000).saturating_add(fraction)
}

fn kind(file_type: FileType) -> Kind {
    match file_type {
        FileType::RegularFile => Kind::File,
        FileType::Directory => Kind::Directory,
        FileType::Symlink => Kind::Link,
        _ => Kind::Other,
    }
}
