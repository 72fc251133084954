//! One directory, and everything that is made beneath it: every step goes from one open directory to the next and follows no link.
//!
//! So nothing that an archive says can lead out, whatever links it has made before.

use std::cell::Cell;
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufWriter, Read};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Timespec, Timestamps};
use rustix::io::Errno;

use super::name::Name;
use crate::image::error::{ImageError, shown};

const DIRECTORY: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
const NEW_FILE: OFlags =
    OFlags::WRONLY.union(OFlags::CREATE).union(OFlags::EXCL).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

const READABLE: Mode = Mode::from_raw_mode(0o644);
const EXECUTABLE: Mode = Mode::from_raw_mode(0o755);

const BUFFER: usize = 128 << 10;

/// A directory that nothing leads out of.
#[derive(Debug)]
pub struct Beneath {
    root: OwnedFd,
    /// The directory that was used last: archives go through one after another.
    last: Option<(Vec<u8>, OwnedFd)>,
    /// How many directories were made since this was last asked.
    made: Cell<u64>,
}

impl Beneath {
    pub fn new(root: OwnedFd) -> Beneath {
        Beneath { root, last: None, made: Cell::new(0) }
    }

    /// How many directories were made since this was last asked, those included that no entry is of.
    pub fn take_made(&self) -> u64 {
        self.made.take()
    }

    /// Makes a directory, unless it is there.
    pub fn directory(&mut self, name: &Name<'_>) -> Result<(), ImageError> {
        if let Some((parent, last)) = name.split()
            && kind(self.made(name, parent)?, last).is_some_and(|kind| kind != FileType::Directory)
        {
            self.remove(name)?;
        }
        self.made(name, name.parts()).map(|_| ())
    }

    /// Makes a file in place of what is there, and says how many bytes it got.
    pub fn file(
        &mut self,
        name: &Name<'_>,
        executable: bool,
        modified: u64,
        content: &mut impl Read,
    ) -> Result<u64, ImageError> {
        let failed = failed("write", name);
        let Some((parent, last)) = name.split() else { return Ok(0) };
        self.remove(name)?;
        let parent = self.made(name, parent)?;
        let file = rustix::fs::openat(parent, last, NEW_FILE, Mode::RUSR | Mode::WUSR);
        let mut writer = BufWriter::with_capacity(BUFFER, File::from(file.map_err(&failed)?));
        let count = io::copy(content, &mut writer)
            .map_err(|error| ImageError::reading(&shown(&name.joined()), error))?;
        let file = writer.into_inner().map_err(|error| {
            let error = error.into_error();
            failed(Errno::from_io_error(&error).unwrap_or(Errno::IO))
        })?;
        rustix::fs::fchmod(&file, if executable { EXECUTABLE } else { READABLE }).map_err(&failed)?;
        rustix::fs::futimens(&file, &times(modified)).map_err(&failed)?;
        Ok(count)
    }

    /// Makes a symbolic link in place of what is there. Where it leads is the container's business.
    pub fn symlink(&mut self, name: &Name<'_>, target: &[u8]) -> Result<(), ImageError> {
        let Some((parent, last)) = name.split() else { return Ok(()) };
        self.remove(name)?;
        let parent = self.made(name, parent)?;
        rustix::fs::symlinkat(target, parent, last).map_err(failed("make the link", name))
    }

    /// Makes a second name of a file that is there.
    pub fn link(&mut self, name: &Name<'_>, target: &Name<'_>) -> Result<(), ImageError> {
        let missing = || {
            let reason = format!("it is a link to `{}`, which is no file", shown(&target.joined()));
            ImageError::invalid(shown(&name.joined()), reason)
        };
        if name == target {
            return Ok(());
        }
        let (Some((parent, last)), Some((target_parent, target_last))) = (name.split(), target.split())
        else {
            return Err(missing());
        };
        self.remove(name)?;
        let Some(held) = self.walk(target, target_parent, Missing::Tell)? else { return Err(missing()) };
        if !matches!(kind(held.as_fd(), target_last), Some(FileType::RegularFile | FileType::Symlink)) {
            return Err(missing());
        }
        let parent = self.made(name, parent)?;
        rustix::fs::linkat(held, target_last, parent, last, AtFlags::empty()).map_err(failed("link", name))
    }

    /// Removes what has this name, if anything has.
    pub fn remove(&mut self, name: &Name<'_>) -> Result<(), ImageError> {
        self.prune(name, &HashSet::new())
    }

    /// Removes what has this name, but for the paths in `spared`, which holds the directories above them too.
    pub fn prune(&mut self, name: &Name<'_>, spared: &HashSet<Vec<u8>>) -> Result<(), ImageError> {
        let Some((parent, last)) = name.split() else { return Ok(()) };
        let Some(parent) = self.walk(name, parent, Missing::Tell)? else { return Ok(()) };
        if kind(parent.as_fd(), last).is_none() {
            return Ok(());
        }
        self.last = None;
        prune(parent.as_fd(), last, &name.joined(), spared).map_err(failed("remove", name))
    }

    /// Removes what a directory holds, but for the paths in `spared`.
    pub fn empty(&mut self, name: &Name<'_>, spared: &HashSet<Vec<u8>>) -> Result<(), ImageError> {
        let Some(directory) = self.walk(name, name.parts(), Missing::Tell)? else { return Ok(()) };
        self.last = None;
        empty(directory, &name.joined(), spared).map_err(failed("empty", name))
    }

    /// The open directory at `parts`, made where it is not there.
    fn made(&mut self, name: &Name<'_>, parts: &[&[u8]]) -> Result<BorrowedFd<'_>, ImageError> {
        let path = parts.join(&b'/');
        if self.last.as_ref().is_none_or(|(last, _)| *last != path) {
            let directory = self.walk(name, parts, Missing::Make)?;
            self.last = directory.map(|directory| (path, directory));
        }
        Ok(self.last.as_ref().map_or(self.root.as_fd(), |(_, directory)| directory.as_fd()))
    }

    /// The open directory at `parts`, found without following any link.
    fn walk(
        &self,
        name: &Name<'_>,
        parts: &[&[u8]],
        missing: Missing,
    ) -> Result<Option<OwnedFd>, ImageError> {
        let failed = failed("open", name);
        let mut directory = rustix::io::dup(&self.root).map_err(&failed)?;
        for part in parts {
            directory = match rustix::fs::openat(&directory, *part, DIRECTORY, Mode::empty()) {
                Ok(next) => next,
                Err(Errno::NOENT) if missing == Missing::Tell => return Ok(None),
                Err(Errno::NOENT) => {
                    self.made.set(self.made.get() + 1);
                    make_directory(directory.as_fd(), part).map_err(&failed)?
                }
                Err(Errno::LOOP | Errno::NOTDIR) => return Err(obstacle(directory.as_fd(), part, name)),
                Err(error) => return Err(failed(error)),
            };
        }
        Ok(Some(directory))
    }
}

/// What to do where a directory is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Missing {
    Make,
    Tell,
}

fn make_directory(parent: BorrowedFd<'_>, name: &[u8]) -> rustix::io::Result<OwnedFd> {
    rustix::fs::mkdirat(parent, name, EXECUTABLE)?;
    let directory = rustix::fs::openat(parent, name, DIRECTORY, Mode::empty())?;
    // The process's own mask may have taken bits away.
    rustix::fs::fchmod(&directory, EXECUTABLE)?;
    Ok(directory)
}

/// Why a part of a path is no directory.
fn obstacle(parent: BorrowedFd<'_>, part: &[u8], name: &Name<'_>) -> ImageError {
    let path = name.joined();
    match kind(parent, part) {
        Some(FileType::Symlink) => {
            ImageError::harmful(&path, format!("leads through the link `{}`", shown(part)))
        }
        _ => ImageError::invalid(shown(&path), format!("`{}` is no directory", shown(part))),
    }
}

fn kind(parent: BorrowedFd<'_>, name: &[u8]) -> Option<FileType> {
    let stat = rustix::fs::statat(parent, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
    Some(FileType::from_raw_mode(stat.st_mode))
}

/// Removes a thing and all in it that is not spared. Names are no deeper than [`Name`] allows, so the recursion ends soon.
fn prune(
    parent: BorrowedFd<'_>,
    name: &[u8],
    path: &[u8],
    spared: &HashSet<Vec<u8>>,
) -> rustix::io::Result<()> {
    let is_spared = spared.contains(path);
    if kind(parent, name) != Some(FileType::Directory) {
        return if is_spared { Ok(()) } else { rustix::fs::unlinkat(parent, name, AtFlags::empty()) };
    }
    let directory = rustix::fs::openat(parent, name, DIRECTORY, Mode::empty())?;
    empty(directory, path, spared)?;
    if is_spared { Ok(()) } else { rustix::fs::unlinkat(parent, name, AtFlags::REMOVEDIR) }
}

fn empty(directory: OwnedFd, path: &[u8], spared: &HashSet<Vec<u8>>) -> rustix::io::Result<()> {
    for entry in Dir::read_from(&directory)?.collect::<rustix::io::Result<Vec<_>>>()? {
        let name = entry.file_name().to_bytes();
        if name == b"." || name == b".." {
            continue;
        }
        let path = if path.is_empty() { name.to_vec() } else { [path, name].join(&b'/') };
        prune(directory.as_fd(), name, &path, spared)?;
    }
    Ok(())
}

fn times(modified: u64) -> Timestamps {
    let time = Timespec { tv_sec: i64::try_from(modified).unwrap_or(0), tv_nsec: 0 };
    Timestamps { last_access: time, last_modification: time }
}

fn failed(action: &'static str, name: &Name<'_>) -> impl Fn(Errno) -> ImageError {
    let path = shown(&name.joined());
    move |error| ImageError::Io { action, path: path.clone().into(), source: error.into() }
}
