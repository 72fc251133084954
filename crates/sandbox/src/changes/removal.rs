//! Removes a tree that a stranger has written, however deep it is and whatever its permissions say.
//!
//! It follows no link and holds two directories open, not one per level: each directory inside is first moved to the top, and
//! then emptied there.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags};
use rustix::io::Errno;

use super::tree::{change_mode, inode, names};

/// Names that are read of a directory before they are removed, so that a vast one does not fill the memory.
const BATCH: u64 = 4096;

/// Removes what `path` names and everything in it. Nothing there is fine.
pub fn remove_path(path: &Path) -> io::Result<()> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let parent = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    match rustix::fs::openat(CWD, parent, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()) {
        Ok(parent) => remove_at(&parent, name),
        Err(Errno::NOENT) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Removes a name of an open directory and everything in it. Nothing there is fine.
pub fn remove_at(parent: impl AsFd, name: &OsStr) -> io::Result<()> {
    let parent = parent.as_fd();
    match inode(parent, name)? {
        None => Ok(()),
        Some(stat) if FileType::from_raw_mode(stat.st_mode) != FileType::Directory => unlink(parent, name),
        Some(_) => {
            empty(&open_own(parent, name)?)?;
            rmdir(parent, name)
        }
    }
}

/// Removes everything in a directory.
fn empty(top: &OwnedFd) -> io::Result<()> {
    let mut moved = 0;
    loop {
        let found = list(top)?;
        if found.is_empty() {
            return Ok(());
        }
        for name in found {
            if !unlinked(top.as_fd(), &name)? {
                let directory = open_own(top.as_fd(), &name)?;
                flatten(&directory, top.as_fd(), &mut moved)?;
                rmdir(top.as_fd(), &name)?;
            }
        }
    }
}

/// Empties a directory by moving the directories in it to the top and removing the rest.
fn flatten(directory: &OwnedFd, top: BorrowedFd<'_>, moved: &mut u64) -> io::Result<()> {
    loop {
        let found = list(directory)?;
        if found.is_empty() {
            return Ok(());
        }
        for name in found {
            if !unlinked(directory.as_fd(), &name)? {
                // Moving a directory writes to it, for its `..` changes.
                open_own(directory.as_fd(), &name)?;
                move_up(directory.as_fd(), &name, top, moved)?;
            }
        }
    }
}

fn move_up(from: BorrowedFd<'_>, name: &OsStr, top: BorrowedFd<'_>, moved: &mut u64) -> io::Result<()> {
    loop {
        *moved += 1;
        match rustix::fs::renameat(from, name, top, moved.to_string()) {
            Ok(()) => return Ok(()),
            // The stranger has used that name; the next number will do.
            Err(Errno::NOTEMPTY | Errno::EXIST | Errno::NOTDIR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Opens a directory for reading, having given its owner all permissions.
fn open_own(parent: BorrowedFd<'_>, name: &OsStr) -> io::Result<OwnedFd> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let handle = rustix::fs::openat(parent, name, flags | OFlags::PATH, Mode::empty())?;
    if rustix::fs::fstat(&handle)?.st_mode & 0o700 != 0o700 {
        change_mode(&handle, 0o700)?;
    }
    Ok(rustix::fs::openat(parent, name, flags | OFlags::RDONLY, Mode::empty())?)
}

fn list(directory: &OwnedFd) -> io::Result<Vec<OsString>> {
    // Reading moves the position that duplicates share, so each reading opens the directory anew.
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    names(rustix::fs::openat(directory, ".", flags, Mode::empty())?, BATCH)
}

/// Removes a name unless it is a directory, and says whether it did.
fn unlinked(parent: BorrowedFd<'_>, name: &OsStr) -> io::Result<bool> {
    match rustix::fs::unlinkat(parent, name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => Ok(true),
        Err(Errno::ISDIR | Errno::PERM) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

fn unlink(parent: BorrowedFd<'_>, name: &OsStr) -> io::Result<()> {
    Ok(rustix::fs::unlinkat(parent, name, AtFlags::empty())?)
}

fn rmdir(parent: BorrowedFd<'_>, name: &OsStr) -> io::Result<()> {
    Ok(rustix::fs::unlinkat(parent, name, AtFlags::REMOVEDIR)?)
}
