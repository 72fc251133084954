//! Reading a tree: every file once, through directories that are held open, whatever somebody does to it meanwhile.
//!
//! A file is judged by what was opened, not by what was listed, and a pipe in its place keeps nobody waiting. It decides nothing about
//! what is read; that is the visitor's.

use super::error::{Reason, StageError};
use super::follow::{Lost, Target, follow, special};
use super::limits::{Budget, Limit, MAX_DEPTH};
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat, fstat, openat, statat};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

/// Directories of tools, which are no part of a skill: neither staged nor hashed, so that nothing in them ever runs.
const SKIPPED: &[&str] = &[".git", "__pycache__"];

/// Whether a directory of this name is one of tools.
pub fn is_skipped(name: &OsStr) -> bool {
    SKIPPED.iter().any(|skipped| name == *skipped)
}

/// Any of these in a mode makes a file executable.
pub const EXECUTABLE: u32 = 0o111;

/// Whose tree it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// A stranger's: links inside it count as what they lead to, and directories of tools are passed over.
    Foreign,
    /// What was installed, in its place: read as a stranger's, but with every name, for others run what lies there.
    Installed,
    /// Our own, where every name counts and links have no place.
    Stored,
}

/// One file as it was read.
#[derive(Debug)]
pub struct FileRead<'a> {
    /// Where it lies below the root.
    pub path: &'a str,
    /// Its permissions, with what else the system keeps there.
    pub mode: u32,
    /// Its content.
    pub bytes: &'a [u8],
}

/// Whether a mode lets anybody execute the file, which is all of it that a tree keeps.
pub const fn is_executable(mode: u32) -> bool {
    mode & EXECUTABLE != 0
}

/// Who looks at what is read.
pub trait Visitor {
    /// A directory; the root has no path.
    fn directory(&mut self, path: &str, mode: u32);

    /// A file.
    fn file(&mut self, file: &FileRead<'_>) -> Result<(), StageError>;

    /// A name that is passed over, or a link that is followed: what is there is not quite what is read.
    fn detour(&mut self) {}
}

/// Reads all files below a directory.
pub fn walk(place: &Path, manner: Manner, visitor: &mut impl Visitor) -> Result<(), StageError> {
    let read = |error: Errno| StageError::Read { path: place.to_owned(), source: error.into() };
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let root = openat(rustix::fs::CWD, place, flags, Mode::empty()).map_err(read)?;
    let stat = fstat(&root).map_err(read)?;
    visitor.directory("", stat.st_mode);
    let identity = identity(&stat);
    let mut walk =
        Walk { root: root.as_fd(), place, manner, budget: Budget::full(), bytes: Vec::new(), visitor };
    walk.level(&Level { open: root.as_fd(), path: String::new(), names: Vec::new(), above: vec![identity] })
}

/// Reads one file that is a tree by itself; its path is its name.
pub fn walk_file(place: &Path, visitor: &mut impl Visitor) -> Result<(), StageError> {
    let name = place.file_name().unwrap_or_default();
    let refused =
        || StageError::Refused { path: name.to_string_lossy().into_owned(), reason: Reason::NotText };
    let path = name.to_str().ok_or_else(refused)?;
    let read = |error: Errno| StageError::Read { path: place.to_owned(), source: error.into() };
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    let open = openat(rustix::fs::CWD, place, flags, Mode::empty()).map_err(read)?;
    let directory = place.parent().unwrap_or(Path::new(""));
    let (budget, bytes) = (Budget::full(), Vec::new());
    let manner = Manner::Foreign;
    Walk { root: rustix::fs::CWD, place: directory, manner, budget, bytes, visitor }.file(open, path)
}

/// A directory that is being read.
struct Level<'a> {
    open: BorrowedFd<'a>,
    path: String,
    /// The names that lead to it from the root, none of them a link.
    names: Vec<OsString>,
    /// What it and the directories above it are.
    above: Vec<Identity>,
}

type Identity = (u64, u64);

struct Walk<'a, V> {
    root: BorrowedFd<'a>,
    place: &'a Path,
    manner: Manner,
    budget: Budget,
    bytes: Vec<u8>,
    visitor: &'a mut V,
}

impl<V: Visitor> Walk<'_, V> {
    fn level(&mut self, level: &Level<'_>) -> Result<(), StageError> {
        for (name, kind) in names(level.open).map_err(self.read(&level.path))? {
            self.budget.name()?;
            let path = match name.to_str() {
                Some(name) if level.path.is_empty() => name.to_owned(),
                Some(name) => format!("{}/{name}", level.path),
                None => {
                    let path = format!("{}/{}", level.path, name.to_string_lossy());
                    return Err(refused(path.trim_start_matches('/'), Reason::NotText));
                }
            };
            match self.entry(level, &name, kind, &path) {
                // Gone since it was listed: it might as well have gone before.
                Err(StageError::Read { source, .. }) if source.kind() == io::ErrorKind::NotFound => {}
                other => other?,
            }
        }
        Ok(())
    }

    fn entry(
        &mut self,
        level: &Level<'_>,
        name: &OsStr,
        kind: FileType,
        path: &str,
    ) -> Result<(), StageError> {
        match kind {
            FileType::RegularFile => {
                let open = open_file(level.open, name).map_err(self.read(path))?;
                self.file(open, path)
            }
            FileType::Directory if self.manner == Manner::Foreign && is_skipped(name) => {
                self.visitor.detour();
                Ok(())
            }
            FileType::Directory => {
                let open = open_directory(level.open, name).map_err(self.read(path))?;
                let names = level.names.iter().cloned().chain([name.to_owned()]).collect();
                self.enter(&open, names, path, level)
            }
            FileType::Symlink if self.manner != Manner::Stored => {
                self.visitor.detour();
                match follow(self.root, &level.names, name) {
                    Ok(Target::File(open)) => self.file(open, path),
                    Ok(Target::Directory { open, names }) => self.enter(&open, names, path, level),
                    Err(Lost::Refused(reason)) => Err(refused(path, reason)),
                    Err(Lost::System(error)) => Err(self.read(path)(error)),
                }
            }
            FileType::Symlink => Err(refused(path, Reason::Link)),
            other => Err(refused(path, special(other))),
        }
    }

    fn enter(
        &mut self,
        open: &OwnedFd,
        names: Vec<OsString>,
        path: &str,
        from: &Level<'_>,
    ) -> Result<(), StageError> {
        let stat = fstat(open).map_err(self.read(path))?;
        let identity = identity(&stat);
        if from.above.contains(&identity) {
            return Err(refused(path, Reason::LeadsBack));
        }
        if from.above.len() >= MAX_DEPTH {
            return Err(StageError::TooLarge(Limit::Depth { path: path.to_owned() }));
        }
        self.visitor.directory(path, stat.st_mode);
        let above = from.above.iter().copied().chain([identity]).collect();
        self.level(&Level { open: open.as_fd(), path: path.to_owned(), names, above })
    }

    /// Reads a file that was opened without knowing what it is.
    fn file(&mut self, open: OwnedFd, path: &str) -> Result<(), StageError> {
        let stat = fstat(&open).map_err(self.read(path))?;
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => {}
            FileType::Directory => return Err(self.read(path)(Errno::ISDIR)),
            other => return Err(refused(path, special(other))),
        }
        let size = u64::try_from(stat.st_size).unwrap_or(0);
        let limit = self.budget.worth_reading();
        self.bytes.clear();
        if size < limit {
            let mut file = File::from(open).take(limit);
            self.bytes.reserve_exact(usize::try_from(size).unwrap_or(0) + 1);
            let read = file.read_to_end(&mut self.bytes);
            read.map_err(|source| StageError::Read { path: self.place.join(path), source })?;
        }
        self.budget.file(path, size.max(self.bytes.len() as u64))?;
        self.visitor.file(&FileRead { path, mode: stat.st_mode, bytes: &self.bytes })
    }

    fn read(&self, path: &str) -> impl FnOnce(Errno) -> StageError + use<V> {
        let path = self.place.join(path);
        move |error| StageError::Read { path, source: error.into() }
    }
}

fn refused(path: &str, reason: Reason) -> StageError {
    StageError::Refused { path: path.to_owned(), reason }
}

fn identity(stat: &Stat) -> Identity {
    #[expect(clippy::unnecessary_cast, reason = "the types differ between systems")]
    (stat.st_dev as u64, stat.st_ino as u64)
}

/// Opens a file without following it and without waiting for it.
pub fn open_file(directory: BorrowedFd<'_>, name: &OsStr) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
    openat(directory, name, flags, Mode::empty())
}

/// Opens a directory without following it.
pub fn open_directory(directory: BorrowedFd<'_>, name: &OsStr) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::DIRECTORY;
    openat(directory, name, flags, Mode::empty())
}

/// What a name stands for, links not followed.
pub fn kind_at(directory: BorrowedFd<'_>, name: &OsStr) -> Result<FileType, Errno> {
    let stat = statat(directory, name, AtFlags::SYMLINK_NOFOLLOW)?;
    Ok(FileType::from_raw_mode(stat.st_mode))
}

/// The names in a directory, sorted, so that what is refused first is the same every time.
fn names(directory: BorrowedFd<'_>) -> Result<Vec<(OsString, FileType)>, Errno> {
    let mut names = Vec::new();
    for entry in Dir::read_from(directory)? {
        let entry = entry?;
        let name = OsStr::from_bytes(entry.file_name().to_bytes());
        if name == "." || name == ".." {
            continue;
        }
        let kind = match entry.file_type() {
            FileType::Unknown => match kind_at(directory, name) {
                Err(Errno::NOENT) => continue,
                kind => kind?,
            },
            known => known,
        };
        names.push((name.to_owned(), kind));
    }
    names.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
    Ok(names)
}
