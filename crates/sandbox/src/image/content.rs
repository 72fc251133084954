//! The digest of a tree: names, kinds, executable bits, file contents and link targets, in one order.
//!
//! Owners, times and the other bits do not count, so one image has one digest wherever and by whomever it was unpacked. Everything is
//! read each time: times of files say nothing about what is in them.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};
use sha2::{Digest as _, Sha256};

use super::digest::{Digest, Digesting};
use super::error::ImageError;
use super::limits::{Budget, Limits};

/// The first bytes of what is digested; another way to digest trees gets another mark.
const MARK: &[u8] = b"guild-tree-1\n";

const DEEPEST: usize = 200;

const OPEN: OFlags = OFlags::RDONLY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// What a tree holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Content {
    /// Names it.
    pub digest: Digest,
    /// Bytes of its files.
    pub bytes: u64,
    /// Files, directories and links in it.
    pub entries: u64,
}

struct Walk {
    hasher: Sha256,
    budget: Budget,
    bytes: u64,
    entries: u64,
    /// Where it is, beneath the root.
    path: PathBuf,
    depth: usize,
}

/// Digests the tree beneath a directory, following no link.
pub fn digest(root: &Path, limits: Limits) -> Result<Content, ImageError> {
    let directory = rustix::fs::open(root, OPEN | OFlags::DIRECTORY, Mode::empty());
    let directory = directory.map_err(|error| ImageError::io("read", root)(error.into()))?;
    let mut hasher = Sha256::new();
    hasher.update(MARK);
    let mut walk =
        Walk { hasher, budget: Budget::new(limits), bytes: 0, entries: 0, path: PathBuf::new(), depth: 0 };
    walk.directory(directory).map_err(|error| {
        let path = root.join(&walk.path);
        match error.raw_os_error() {
            Some(_) => ImageError::io("read", &path)(error),
            None => ImageError::reading(&path.display().to_string(), error),
        }
    })?;
    Ok(Content { digest: Digest::of_hasher(walk.hasher), bytes: walk.bytes, entries: walk.entries })
}

impl Walk {
    fn directory(&mut self, directory: OwnedFd) -> io::Result<()> {
        if self.depth > DEEPEST {
            return Err(io::Error::other("its directories lie too deep"));
        }
        let mut names = Vec::new();
        for entry in Dir::read_from(&directory)? {
            let name = entry?.file_name().to_bytes().to_vec();
            if name != b"." && name != b".." {
                self.budget.take_entries(1)?;
                names.push(name);
            }
        }
        names.sort_unstable();
        for name in names {
            self.path.push(OsStr::from_bytes(&name));
            self.depth += 1;
            self.entry(directory.as_fd(), &name)?;
            // On an error the path stays, to be told.
            self.depth -= 1;
            self.path.pop();
        }
        Ok(())
    }

    fn entry(&mut self, parent: BorrowedFd<'_>, name: &[u8]) -> io::Result<()> {
        self.entries += 1;
        let stat = rustix::fs::statat(parent, name, AtFlags::SYMLINK_NOFOLLOW)?;
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::Directory => {
                self.note(b'd', &[]);
                let directory = rustix::fs::openat(parent, name, OPEN | OFlags::DIRECTORY, Mode::empty())?;
                self.directory(directory)
            }
            FileType::RegularFile => {
                let size = u64::try_from(stat.st_size).unwrap_or(u64::MAX);
                self.budget.take_bytes(size)?;
                let executable = stat.st_mode & 0o111 != 0;
                // Not to wait, should it have become a pipe meanwhile.
                let file = rustix::fs::openat(parent, name, OPEN | OFlags::NONBLOCK, Mode::empty())?;
                self.file(File::from(file), size, executable)
            }
            FileType::Symlink => {
                let target = rustix::fs::readlinkat(parent, name, Vec::new())?;
                self.note(b'l', target.to_bytes());
                Ok(())
            }
            // Nothing that a container could use: devices are not let in.
            _ => {
                self.note(b'o', &[]);
                Ok(())
            }
        }
    }

    fn file(&mut self, file: File, size: u64, executable: bool) -> io::Result<()> {
        let mut reader = Digesting::new(file.take(size.saturating_add(1)));
        io::copy(&mut reader, &mut io::sink())?;
        let (digest, count) = reader.finish();
        if count != size {
            return Err(io::Error::other("it changes while it is read"));
        }
        self.bytes += count;
        self.note(if executable { b'x' } else { b'f' }, digest.as_bytes());
        Ok(())
    }

    /// Adds one entry; lengths stand before what has no fixed one, so that no two trees are written alike.
    fn note(&mut self, kind: u8, payload: &[u8]) {
        self.hasher.update([kind]);
        for part in [self.path.as_os_str().as_bytes(), payload] {
            self.hasher.update((part.len() as u64).to_le_bytes());
            self.hasher.update(part);
        }
    }
}
