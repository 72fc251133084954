//! A directory of version 2 in use for containers: controllers are handed down, and processes of ours stand aside for it.
//!
//! Whoever uses it holds a shared lock on it. The last one gives it back as it was, so that a process can enter it again; what a
//! killed one leaves is given back by the next.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};

use super::super::layout::NEEDED;
use super::super::owner::{self, Owner};
use super::super::{file_name, processes, reap};
use super::delegation::{handed_down, missing};
use super::ours::is_ours;

/// How often something is tried again that others hold up, a millisecond after the last time.
const ATTEMPTS: usize = 5000;

/// A directory that is used, until this is dropped.
#[derive(Debug)]
pub(in super::super) struct Claim {
    directory: PathBuf,
    lock: File,
}

impl Claim {
    /// Makes `directory` one in which cgroups with limits can be made. It fails as busy where processes are in it that are not ours.
    pub(in super::super) fn take(directory: &Path) -> io::Result<Claim> {
        let claim = Claim { directory: directory.to_owned(), lock: File::open(directory)? };
        // Only whoever gives the directory back excludes others, and not for long.
        let share = || flock(&claim.lock, FlockOperation::NonBlockingLockShared).map_err(io::Error::from);
        retry(io::ErrorKind::WouldBlock, share)?;
        claim.hand_down()?;
        Ok(claim)
    }

    /// Gives a directory back that somebody used who is gone, and removes what else they left.
    pub(in super::super) fn clean(directory: &Path) {
        let is_left = |path: &PathBuf| owner_of(path).is_some_and(|owner| !owner.alive());
        if !directories(directory).is_ok_and(|within| within.iter().any(is_left)) {
            return;
        }
        if let Ok(lock) = File::open(directory) {
            drop(Claim { directory: directory.to_owned(), lock });
        }
        // Where others use it, it is theirs to give back.
        reap(directory);
    }

    fn hand_down(&self) -> io::Result<()> {
        if missing(&handed_down(&self.directory)).is_none() {
            return Ok(());
        }
        // Processes that come in meanwhile are the next attempt's.
        retry(io::ErrorKind::ResourceBusy, || match control(&self.directory, '+') {
            Err(error) if error.kind() == io::ErrorKind::ResourceBusy => {
                self.stand_aside()?;
                control(&self.directory, '+')
            }
            handed => handed,
        })
    }

    /// Moves everybody in the directory into a cgroup of its own within it, if all of them are ours.
    fn stand_aside(&self) -> io::Result<()> {
        let everybody: Option<Vec<_>> = processes(&self.directory).collect();
        let Some(everybody) = everybody.filter(|everybody| everybody.iter().copied().all(is_ours)) else {
            return Err(io::Error::other("other processes are in it"));
        };
        let aside = self.directory.join(Owner::current()?.aside());
        match fs::create_dir(&aside) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        everybody.into_iter().try_for_each(|process| enter(&aside, process))
    }

    /// Undoes what made the directory usable, if nobody else uses it and all that is left are places where processes stand aside.
    fn give_back(&self) -> io::Result<()> {
        flock(&self.lock, FlockOperation::NonBlockingLockExclusive)?;
        let is_aside = |path: &PathBuf| owner::is_aside(&file_name(path));
        // Controllers that were handed down before any of us came stay as they are.
        let stood_aside = directories(&self.directory)?.iter().any(is_aside);
        reap(&self.directory);
        let within = directories(&self.directory)?;
        if !stood_aside || !within.iter().all(is_aside) {
            return Ok(());
        }
        control(&self.directory, '-')?;
        within.iter().try_for_each(|aside| self.bring_back(aside))
    }

    fn bring_back(&self, aside: &Path) -> io::Result<()> {
        retry(io::ErrorKind::ResourceBusy, || {
            processes(aside).flatten().try_for_each(|process| enter(&self.directory, process))?;
            fs::remove_dir(aside)
        })
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        // A scope is removed by systemd with all that is in it.
        if !owner::is_scope(&file_name(&self.directory)) {
            // What could not be given back is used by others, or is the next one's to give back.
            let _ = self.give_back();
        }
    }
}

/// Hands controllers down (`+`), or no longer does (`-`).
fn control(directory: &Path, sign: char) -> io::Result<()> {
    let wanted = NEEDED.map(|controller| format!("{sign}{controller}"));
    fs::write(directory.join("cgroup.subtree_control"), wanted.join(" "))
}

/// Moves a process; one that has ended meanwhile need not be moved.
fn enter(directory: &Path, process: rustix::process::Pid) -> io::Result<()> {
    let moved = fs::write(directory.join("cgroup.procs"), process.as_raw_nonzero().to_string());
    match moved {
        Err(error) if error.raw_os_error() == Some(libc::ESRCH) => Ok(()),
        moved => moved,
    }
}

fn owner_of(path: &Path) -> Option<Owner> {
    Owner::of(&file_name(path))
}

fn directories(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            found.push(entry.path());
        }
    }
    Ok(found)
}

fn retry(hold_up: io::ErrorKind, mut attempt: impl FnMut() -> io::Result<()>) -> io::Result<()> {
    let mut result = attempt();
    for _ in 1..ATTEMPTS {
        match &result {
            Err(error) if error.kind() == hold_up => std::thread::sleep(Duration::from_millis(1)),
            _ => break,
        }
        result = attempt();
    }
    result
}
