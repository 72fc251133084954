//! Copies what a container left in a kept directory out of it, when nothing runs there any more.
//!
//! Everything in it is a stranger's: no link is followed, and only regular files and directories come out, without set-id bits. Holes
//! and further names of a file take no room in memory but would on the disk, so the copy is held to the directory's size by itself.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{Dir, FileType, Mode, OFlags};

use crate::outcome::{KeptFile, Told, why_left_behind};

/// Directories within directories beyond which nothing is kept.
const MOST_LEVELS: usize = 32;

/// What was kept and what was not.
#[derive(Debug, Default)]
pub(super) struct Copied {
    /// Files, relative to the directory.
    pub(super) kept: Vec<KeptFile>,
    /// Others, each with the reason.
    pub(super) left_behind: Vec<(PathBuf, String)>,
}

/// Where a kept directory goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Keep {
    /// The directory of the host.
    pub(super) to: PathBuf,
    /// The most bytes that are copied: what the directory inside could hold.
    pub(super) size: u64,
}

/// Copies a directory's regular files to a directory of the host, which is made if it is not there.
pub(super) fn copy_out(from: &OwnedFd, keep: &Keep) -> io::Result<Copied> {
    fs::create_dir_all(&keep.to)?;
    let top = rustix::fs::openat(from, c".", DIRECTORY, Mode::empty())?;
    let mut copy = Copy { copied: Copied::default(), room: keep.size, told: Told::nothing() };
    copy.directory(&top, &keep.to, Path::new(""))?;
    let mut copied = copy.copied;
    copied.left_behind.extend(copy.told.rest());
    copied.kept.sort_by(|a, b| a.path.cmp(&b.path));
    copied.left_behind.sort();
    Ok(copied)
}

/// A copy that is being made.
struct Copy {
    copied: Copied,
    /// Bytes that may still be copied.
    room: u64,
    /// Names that may still be.
    told: Told,
}

const DIRECTORY: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
const FILE: OFlags = OFlags::RDONLY.union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK).union(OFlags::CLOEXEC);

impl Copy {
    fn directory(&mut self, from: &OwnedFd, to: &Path, relative: &Path) -> io::Result<()> {
        for name in names(from)? {
            let place = relative.join(&name);
            if !self.told.has_room_for(&place) {
                return Ok(());
            }
            if let Err(error) = self.entry(from, &name, &to.join(&name), &place) {
                self.copied.left_behind.push((place, why_left_behind(&error)));
            }
        }
        Ok(())
    }

    fn entry(&mut self, from: &OwnedFd, name: &OsStr, to: &Path, place: &Path) -> io::Result<()> {
        let kind = rustix::fs::statat(from, name, rustix::fs::AtFlags::SYMLINK_NOFOLLOW)?;
        match FileType::from_raw_mode(kind.st_mode) {
            FileType::Directory if place.components().count() >= MOST_LEVELS => {
                Err(io::Error::other("too many directories within each other"))
            }
            FileType::Directory => {
                let directory = rustix::fs::openat(from, name, DIRECTORY, Mode::empty())?;
                fs::create_dir(to)?;
                self.directory(&directory, to, place)
            }
            FileType::RegularFile => {
                let file = rustix::fs::openat(from, name, FILE, Mode::empty())?;
                let size = self.file(file, to)?;
                self.copied.kept.push(KeptFile { path: place.to_owned(), size });
                Ok(())
            }
            other => Err(io::Error::other(format!("not a regular file but {}", describe(other)))),
        }
    }

    /// Copies a file that was opened without following a link, keeping of its mode whether it is executable.
    fn file(&mut self, from: OwnedFd, to: &Path) -> io::Result<u64> {
        let mut from = fs::File::from(from);
        let metadata = from.metadata()?;
        self.room = self
            .room
            .checked_sub(metadata.len())
            .ok_or_else(|| io::Error::other("larger than what is left of the directory's size"))?;
        let mode = if metadata.permissions().mode() & 0o100 != 0 { 0o755 } else { 0o644 };
        let mut to = fs::OpenOptions::new().write(true).create_new(true).mode(mode).open(to)?;
        io::copy(&mut from, &mut to)
    }
}

fn names(directory: &OwnedFd) -> io::Result<Vec<OsString>> {
    let mut names = Vec::new();
    for entry in Dir::read_from(directory.as_fd())? {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if name != b"." && name != b".." {
            names.push(OsStr::from_bytes(name).to_owned());
        }
    }
    names.sort();
    Ok(names)
}

fn describe(kind: FileType) -> &'static str {
    match kind {
        FileType::Symlink => "a symbolic link",
        FileType::Fifo => "a pipe",
        FileType::Socket => "a socket",
        FileType::CharacterDevice | FileType::BlockDevice => "a device",
        _ => "of an unknown kind",
    }
}
