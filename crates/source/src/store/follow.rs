//! Links inside a tree, followed step by step from the root, so that none of them can lead out of it.
//!
//! Each step goes from one open directory to the next without following anything by itself: whatever is changed meanwhile, the way
//! stays inside.

use super::error::Reason;
use super::walk::{kind_at, open_directory, open_file};
use rustix::fs::{FileType, readlinkat};
use rustix::io::Errno;
use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;

/// How many links one may lead through, as many as the kernel follows.
const MAX_LINKS: usize = 40;

/// What a link leads to.
#[derive(Debug)]
pub enum Target {
    /// A file.
    File(OwnedFd),
    /// A directory.
    Directory {
        /// Open.
        open: OwnedFd,
        /// The names that lead to it from the root, none of them a link.
        names: Vec<OsString>,
    },
}

/// Why a link leads to nothing that could be staged.
#[derive(Debug)]
pub enum Lost {
    /// It is refused.
    Refused(Reason),
    /// The system refused something.
    System(Errno),
}

impl From<Errno> for Lost {
    fn from(error: Errno) -> Self {
        match error {
            // What is there when it is looked at and gone when it is opened was never there.
            Errno::NOENT | Errno::NOTDIR => Self::Refused(Reason::LeadsNowhere),
            error => Self::System(error),
        }
    }
}

/// Follows the link `name` in the directory that `from` leads to from the root.
pub fn follow(root: BorrowedFd<'_>, from: &[OsString], name: &OsStr) -> Result<Target, Lost> {
    let mut way = Way { root, open: Vec::new(), names: Vec::new() };
    for name in from {
        way.enter(name)?;
    }
    let mut steps = VecDeque::from([name.to_owned()]);
    let mut links = 0;
    while let Some(step) = steps.pop_front() {
        match step.as_bytes() {
            b"." => continue,
            b".." => {
                way.leave()?;
                continue;
            }
            _ => {}
        }
        match kind_at(way.end(), &step)? {
            FileType::Symlink => {
                links += 1;
                if links > MAX_LINKS {
                    return Err(Lost::Refused(Reason::LeadsBack));
                }
                let target = readlinkat(way.end(), &step, Vec::new())?;
                prepend(&mut steps, target.as_bytes())?;
            }
            FileType::Directory => way.enter(&step)?,
            FileType::RegularFile if steps.is_empty() => {
                return Ok(Target::File(open_file(way.end(), &step)?));
            }
            FileType::RegularFile => return Err(Lost::Refused(Reason::LeadsNowhere)),
            other => return Err(Lost::Refused(special(other))),
        }
    }
    Ok(Target::Directory { open: open_directory(way.end(), OsStr::new("."))?, names: way.names })
}

/// What something is that is neither file nor directory nor link.
pub fn special(kind: FileType) -> Reason {
    match kind {
        FileType::Fifo => Reason::Pipe,
        FileType::Socket => Reason::Socket,
        _ => Reason::Device,
    }
}

/// Puts the steps of a link's target before those that are left.
fn prepend(steps: &mut VecDeque<OsString>, target: &[u8]) -> Result<(), Lost> {
    if target.starts_with(b"/") {
        return Err(Lost::Refused(Reason::LeadsOut));
    }
    for step in target.split(|byte| *byte == b'/').rev().filter(|step| !step.is_empty()) {
        steps.push_front(OsStr::from_bytes(step).to_owned());
    }
    Ok(())
}

/// A way down from the root, every directory of it held open.
struct Way<'a> {
    root: BorrowedFd<'a>,
    open: Vec<OwnedFd>,
    names: Vec<OsString>,
}

impl Way<'_> {
    fn end(&self) -> BorrowedFd<'_> {
        self.open.last().map_or(self.root, |open| open.as_fd())
    }

    fn enter(&mut self, name: &OsStr) -> Result<(), Errno> {
        let open = open_directory(self.end(), name)?;
        self.open.push(open);
        self.names.push(name.to_owned());
        Ok(())
    }

    fn leave(&mut self) -> Result<(), Lost> {
        self.names.pop();
        self.open.pop().map(drop).ok_or(Lost::Refused(Reason::LeadsOut))
    }
}
