//! A directory tree held open, in which no path leads anywhere else.
//!
//! The kernel resolves each path from the held directory and refuses links, magic links, mount points and `..`; whoever swaps a
//! directory for a link meanwhile makes a call fail and never redirects it. Nothing here decides what a difference is.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd as _, OwnedFd};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, ResolveFlags, Stat};
use rustix::io::Errno;

use super::bounds::{Budget, ReadError};
use super::change::Node;
use crate::digest::copy_digested;

/// The longest path that the kernel takes in one call.
const LONGEST_PATH: usize = 4095;

/// A directory tree, held open at its root.
#[derive(Debug)]
pub struct Tree {
    root: OwnedFd,
}

/// What was found at a path.
#[derive(Debug)]
pub enum Found {
    /// Nothing, or a path that does not lead through directories.
    Nothing,
    /// A file, directory or link.
    Node(Node, Stat),
    /// A device, pipe or socket.
    Special(FileType, Stat),
    /// Something that this user may not read.
    Unreadable,
    /// A mount point.
    OtherFileSystem,
}

impl Tree {
    /// Opens the directory at an absolute path that has no link in it.
    pub fn open(path: &Path) -> io::Result<Tree> {
        let resolve = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(Tree { root: rustix::fs::openat2(CWD, path, flags, Mode::empty(), resolve)? })
    }

    /// The tree below a directory of this one.
    pub fn below(&self, path: &Path) -> io::Result<Tree> {
        Ok(Tree { root: self.open_at(path, OFlags::PATH | OFlags::DIRECTORY)? })
    }

    /// What stands at `path`, files with their digest.
    pub fn look(&self, path: &Path, budget: &mut Budget) -> Result<Found, ReadError> {
        let failed = |source| ReadError::Io { path: path.to_owned(), source };
        if path.as_os_str().len() > LONGEST_PATH {
            return Err(ReadError::TooDeep { limit: LONGEST_PATH });
        }
        let handle = match self.handle(path) {
            Ok(Some(handle)) => handle,
            Ok(None) => return Ok(Found::Nothing),
            Err(error) => return refusal(&error).ok_or_else(|| failed(error)),
        };
        let stat = rustix::fs::fstat(&handle).map_err(|error| failed(error.into()))?;
        let node = match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => return self.look_at_file(path, stat, budget),
            FileType::Directory => Node::Directory { mode: stat.st_mode & 0o1777 },
            FileType::Symlink => Node::Link { target: link_target(&handle).map_err(failed)? },
            special => return Ok(Found::Special(special, stat)),
        };
        Ok(Found::Node(node, stat))
    }

    /// What the link at `path` says, where there is one.
    pub fn link(&self, path: &Path) -> Option<PathBuf> {
        let handle = self.handle(path).ok().flatten()?;
        let stat = rustix::fs::fstat(&handle).ok()?;
        let is_link = FileType::from_raw_mode(stat.st_mode) == FileType::Symlink;
        is_link.then(|| link_target(&handle).ok()).flatten()
    }

    /// What the system says of `path` itself, links not followed.
    pub fn stat(&self, path: &Path) -> io::Result<Option<Stat>> {
        match self.handle(path)? {
            Some(handle) => Ok(Some(rustix::fs::fstat(&handle)?)),
            None => Ok(None),
        }
    }

    /// A handle on what stands at `path`, good for nothing but naming it.
    pub fn handle(&self, path: &Path) -> io::Result<Option<OwnedFd>> {
        match self.open_at(path, OFlags::PATH) {
            Ok(handle) => Ok(Some(handle)),
            Err(error) => match Errno::from_io_error(&error) {
                Some(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => Ok(None),
                _ => Err(error),
            },
        }
    }

    /// Opens a regular file for reading. Never waits for the other end of a pipe.
    pub fn file(&self, path: &Path) -> io::Result<File> {
        let file = File::from(self.open_at(path, OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY)?);
        if file.metadata()?.is_file() { Ok(file) } else { Err(io::ErrorKind::InvalidInput.into()) }
    }

    /// Opens a directory for reading.
    pub fn directory(&self, path: &Path) -> io::Result<OwnedFd> {
        self.open_at(path, OFlags::RDONLY | OFlags::DIRECTORY)
    }

    /// The directory that holds `path`, and the name it has there.
    pub fn parent<'a>(&self, path: &'a Path) -> io::Result<(OwnedFd, &'a OsStr)> {
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        let directory = path.parent().unwrap_or(Path::new(""));
        Ok((self.open_at(directory, OFlags::PATH | OFlags::DIRECTORY)?, name))
    }

    /// The names in a directory, sorted; at most `limit` and one more.
    pub fn names(&self, path: &Path, limit: u64) -> io::Result<Vec<OsString>> {
        names(self.directory(path)?, limit)
    }

    fn look_at_file(&self, path: &Path, stat: Stat, budget: &mut Budget) -> Result<Found, ReadError> {
        let failed = |source| ReadError::Io { path: path.to_owned(), source };
        // A sparse file says it is large without being so; it is refused before anybody reads its zeros.
        budget.allow(u64::try_from(stat.st_size).unwrap_or(u64::MAX))?;
        let file = match self.file(path) {
            Ok(file) => file,
            Err(error) => return refusal(&error).ok_or_else(|| failed(error)),
        };
        let (digest, size) = copy_digested(file, &mut io::sink(), budget.bytes_left()).map_err(failed)?;
        budget.spend(size)?;
        Ok(Found::Node(Node::File { mode: stat.st_mode & 0o6777, size, digest }, stat))
    }

    fn open_at(&self, path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        let resolve = ResolveFlags::BENEATH
            | ResolveFlags::NO_SYMLINKS
            | ResolveFlags::NO_MAGICLINKS
            | ResolveFlags::NO_XDEV;
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        loop {
            match rustix::fs::openat2(&self.root, path, flags, Mode::empty(), resolve) {
                // Somebody renames directories at this very moment; the kernel asks to try again.
                Err(Errno::AGAIN | Errno::INTR) => {}
                done => return Ok(done?),
            }
        }
    }
}

/// The names in an open directory, sorted; at most `limit` and one more.
pub fn names(directory: OwnedFd, limit: u64) -> io::Result<Vec<OsString>> {
    let mut names = Vec::new();
    for entry in Dir::new(directory)? {
        let name = entry?.file_name().to_bytes().to_owned();
        if name != b"." && name != b".." {
            names.push(OsString::from_vec(name));
        }
        if names.len() as u64 > limit {
            break;
        }
    }
    names.sort();
    Ok(names)
}

/// Changes the permissions of what a handle names, whatever they are now.
pub fn change_mode(handle: impl AsFd, mode: u32) -> io::Result<()> {
    // A handle that is good for naming only has no `fchmod`; through `/proc` the kernel takes it all the same.
    let path = format!("/proc/self/fd/{}", handle.as_fd().as_raw_fd());
    Ok(rustix::fs::chmod(path, Mode::from_raw_mode(mode & 0o7777))?)
}

/// The inode at a name of an open directory, if there is one.
pub fn inode(directory: impl AsFd, name: &OsStr) -> io::Result<Option<Stat>> {
    match rustix::fs::statat(directory, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => Ok(Some(stat)),
        Err(Errno::NOENT) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn link_target(handle: &OwnedFd) -> io::Result<PathBuf> {
    let target = rustix::fs::readlinkat(handle, "", Vec::new())?;
    Ok(PathBuf::from(OsStr::from_bytes(target.to_bytes())))
}

fn refusal(error: &io::Error) -> Option<Found> {
    match Errno::from_io_error(error)? {
        Errno::ACCESS | Errno::PERM => Some(Found::Unreadable),
        Errno::XDEV => Some(Found::OtherFileSystem),
        _ => None,
    }
}
