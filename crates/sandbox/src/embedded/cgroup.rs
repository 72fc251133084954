//! Limits on processors, memory and processes, by whichever cgroups this process may make.
//!
//! Version 2 needs a cgroup that is delegated to us, version 1 a directory in each controller that we may write to; `ground` finds it.
//! Cgroups are named after the process that made them, so that the next start finds and removes what a killed one has left.

mod gauges;
mod ground;
mod layout;
mod lot;
mod owner;
mod spare;
mod systemd;
mod v1;
mod v2;

use std::fs;
use std::io::{self, Write};
use std::os::fd::{OwnedFd, RawFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use crate::policy::Limits;
use gauges::Gauges;
use layout::Layout;
use spare::{Number, Origin};
use v2::Claim;

pub(super) use ground::Ground;
pub(super) use lot::{Lot, Order, Vacancy};
pub(crate) use owner::Owner;
pub(super) use spare::remove_spare;

/// Where cgroups can be made, and have been prepared for it.
#[derive(Clone, Debug)]
pub(super) struct Place {
    cgroups: Cgroups,
    /// Held as long as there are cgroups in it.
    claim: Option<Arc<Claim>>,
}

/// One directory, or several that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Cgroups {
    /// One directory for all controllers.
    V2(PathBuf),
    /// One directory for each controller.
    V1(v1::Directories),
}

/// The cgroup of one container, or of one command in it.
#[derive(Debug)]
pub(super) struct Cgroup {
    /// Where processes enter.
    entry: Cgroups,
    /// Where usage is counted: for a command in a container, at the container.
    counters: Cgroups,
    /// What is removed, with everything in it, when this is dropped.
    made: Vec<PathBuf>,
    /// Files into which a new process writes itself, with version 1.
    doors: Vec<OwnedFd>,
    oom_kills_before: u64,
    /// `None` for what is made within another one.
    origin: Option<Origin>,
    /// Given back after all that was made in it is gone.
    claim: Option<Arc<Claim>>,
}

/// Where a cgroup's usage can be read without asking for its files first.
#[derive(Debug)]
pub(super) struct Meter {
    gauges: Gauges,
    oom_kills_before: u64,
}

/// What a cgroup has counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counted {
    /// Processor time.
    pub(crate) cpu: Option<Duration>,
    /// The most memory held at once.
    pub(crate) peak_memory: Option<u64>,
    /// How many processes were killed for want of memory.
    pub(crate) oom_kills: u64,
}

/// What the cgroup of an engine's container has counted; `process` is in it, and `container` is in its name. `None` where it cannot
/// be seen from here.
pub(crate) fn counted_of(process: u32, container: &str) -> Option<Counted> {
    let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
    let places = fs::read_to_string(format!("/proc/{process}/cgroup")).ok()?;
    let cgroups = match Layout::read(&mounts, &layout::up_to(&places, container)?) {
        Layout::V2 { own, .. } => Cgroups::V2(own),
        Layout::V1(directories) => Cgroups::V1(directories),
        Layout::None => return None,
    };
    let seen = cgroups.directories().into_iter().all(Path::is_dir);
    seen.then(|| cgroups.gauges().read())
}

impl Place {
    /// Makes a cgroup with these limits.
    pub(super) fn create(&self, limits: &Limits) -> io::Result<Cgroup> {
        loop {
            match self.create_as(Number::new(), limits) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                done => return done,
            }
        }
    }

    fn create_as(&self, number: Number, limits: &Limits) -> io::Result<Cgroup> {
        let name = Owner::current()?.name(number.get());
        let entry = self.cgroups.map(|directory| directory.join(&name));
        let mut cgroup = Cgroup {
            counters: entry.clone(),
            entry,
            made: Vec::new(),
            doors: Vec::new(),
            oom_kills_before: 0,
            origin: Some(Origin { place: self.cgroups.clone(), limits: *limits, number }),
            claim: self.claim.clone(),
        };
        // What was made before a failure is removed when `cgroup` is dropped, and nothing else.
        for directory in cgroup.entry.directories() {
            fs::create_dir(directory).inspect_err(|error| {
                // What could not be removed, because of a process that does not die, keeps its number.
                if error.kind() == io::ErrorKind::AlreadyExists {
                    std::mem::forget(cgroup.origin.take());
                }
            })?;
            cgroup.made.push(directory.to_owned());
        }
        cgroup.limit(limits)?;
        cgroup.doors = cgroup.entry.doors()?;
        Ok(cgroup)
    }
}

impl Cgroups {
    fn directories(&self) -> Vec<&Path> {
        match self {
            Cgroups::V2(directory) => vec![directory],
            Cgroups::V1(directories) => directories.all(),
        }
    }

    fn map(&self, change: impl Fn(&Path) -> PathBuf) -> Cgroups {
        match self {
            Cgroups::V2(directory) => Cgroups::V2(change(directory)),
            Cgroups::V1(directories) => Cgroups::V1(directories.map(change)),
        }
    }

    fn doors(&self) -> io::Result<Vec<OwnedFd>> {
        match self {
            Cgroups::V2(_) => Ok(Vec::new()),
            Cgroups::V1(directories) => directories.doors(),
        }
    }

    fn gauges(&self) -> Gauges {
        match self {
            Cgroups::V2(directory) => v2::gauges(directory),
            Cgroups::V1(directories) => v1::gauges(directories),
        }
    }
}

impl Cgroup {
    /// A cgroup within this one for the command with this number: it shares the limits, and everything in it can be killed at once.
    pub(super) fn nested(&self, number: u64) -> io::Result<Cgroup> {
        let name = format!("exec-{number}");
        let (entry, made) = match &self.entry {
            Cgroups::V2(directory) => (Cgroups::V2(directory.join(&name)), directory.join(&name)),
            Cgroups::V1(directories) => {
                let pids = directories.pids.join(&name);
                (Cgroups::V1(v1::Directories { pids: pids.clone(), ..directories.clone() }), pids)
            }
        };
        fs::create_dir(&made)?;
        let oom_kills_before = self.meter().counted().oom_kills;
        let (counters, claim) = (self.counters.clone(), self.claim.clone());
        let mut cgroup = Cgroup {
            entry,
            counters,
            made: vec![made],
            doors: Vec::new(),
            oom_kills_before,
            origin: None,
            claim,
        };
        cgroup.doors = cgroup.entry.doors()?;
        Ok(cgroup)
    }

    fn limit(&self, limits: &Limits) -> io::Result<()> {
        match &self.entry {
            Cgroups::V2(directory) => v2::limit(directory, limits),
            Cgroups::V1(directories) => v1::limit(directories, limits),
        }
    }

    /// The directory for `CLONE_INTO_CGROUP`, with version 2.
    pub(super) fn birthplace(&self) -> io::Result<Option<OwnedFd>> {
        match &self.entry {
            Cgroups::V2(directory) => fs::File::open(directory).map(|file| Some(file.into())),
            Cgroups::V1(_) => Ok(None),
        }
    }

    /// Files into which the new process writes itself, with version 1.
    pub(super) fn doors(&self) -> &[OwnedFd] {
        &self.doors
    }

    /// Tells at any time what was used.
    pub(super) fn meter(&self) -> Meter {
        Meter { gauges: self.counters.gauges(), oom_kills_before: self.oom_kills_before }
    }
}

impl Meter {
    /// What was used by now, and how often memory ran out since the cgroup was made.
    pub(super) fn counted(&self) -> Counted {
        let counted = self.gauges.read();
        Counted { oom_kills: counted.oom_kills.saturating_sub(self.oom_kills_before), ..counted }
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        for directory in &self.made {
            remove(directory);
        }
    }
}

/// Removes what processes that are gone have left in a directory.
fn reap(directory: &Path) {
    let within = fs::read_dir(directory).into_iter().flatten().flatten();
    for entry in within {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        match Owner::of(&name) {
            Some(owner) if owner.alive() => {}
            // Whoever stands aside there may live on, and is not to be killed for it.
            Some(_) if owner::is_aside(&name) => drop(fs::remove_dir(entry.path())),
            Some(_) => remove(&entry.path()),
            None => {}
        }
    }
}

/// Kills what is left in a cgroup and removes it, with those within it. A process that was just killed may take a moment to leave.
fn remove(directory: &Path) {
    // Nearly always nothing is left, and then there is nothing to look for.
    if fs::remove_dir(directory).is_ok() {
        return;
    }
    let within = fs::read_dir(directory).into_iter().flatten().flatten();
    for entry in within.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
        remove(&entry.path());
    }
    for attempt in 0..200 {
        match fs::remove_dir(directory) {
            Err(error) if error.raw_os_error() == Some(libc::EBUSY) => {
                kill_all(directory);
                std::thread::sleep(Duration::from_micros(50 << (attempt / 25)));
            }
            _ => return,
        }
    }
}

/// Kills everything in a cgroup. Version 1 has no call for it: where processes are counted no more may be started meanwhile, and those
/// that are there are killed one by one.
fn kill_all(directory: &Path) {
    if fs::write(directory.join("cgroup.kill"), "1").is_ok() {
        return;
    }
    let _ = fs::write(directory.join("pids.max"), "0");
    let held: Vec<(Pid, OwnedFd)> = processes(directory)
        .flatten()
        .filter_map(|process| Some((process, pidfd_open(process, PidfdFlags::empty()).ok()?)))
        .collect();
    // A number may have been given anew since it was read; what is still listed now is what was opened, or is gone.
    let listed: Vec<Pid> = processes(directory).flatten().collect();
    for (_, process) in held.iter().filter(|(number, _)| listed.contains(number)) {
        let _ = pidfd_send_signal(process, Signal::KILL);
    }
}

/// The processes in a cgroup; those that this one's namespace does not show are `None`.
fn processes(directory: &Path) -> impl Iterator<Item = Option<Pid>> {
    let list = fs::read_to_string(directory.join("cgroup.procs")).unwrap_or_default();
    let numbers: Vec<i32> = list.lines().filter_map(|line| line.parse().ok()).collect();
    numbers.into_iter().map(Pid::from_raw)
}

/// The last part of a path, as far as it is text.
fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Gives one of a cgroup's files a value. Unlike those on a disk they are all there, and none is cut to size.
fn set(file: &Path, value: &str) -> io::Result<()> {
    fs::OpenOptions::new().write(true).open(file)?.write_all(value.as_bytes())
}

/// Raw numbers of descriptors, for a process that may not allocate.
pub(super) fn raw(fds: &[OwnedFd]) -> Vec<RawFd> {
    fds.iter().map(std::os::fd::AsRawFd::as_raw_fd).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cgroup_that_could_not_be_removed_is_in_nobodys_way() {
        let directory = tempfile::tempdir().unwrap();
        let place = Place { cgroups: Cgroups::V2(directory.path().to_owned()), claim: None };
        let number = Number::new();
        let left = directory.path().join(Owner::current().unwrap().name(number.get()));
        drop(number);
        fs::create_dir(&left).unwrap();
        // No kernel is behind this directory, so what is made has no limits to set.
        for _ in 0..2 {
            let error = place.create(&Limits::default()).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::NotFound);
        }
        assert!(left.is_dir());
    }
}
