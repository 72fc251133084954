//! Watching by inotify: one descriptor, and one watch for each directory.

use super::Followed;
use super::ground::{Ground, sidecars};
use crate::{Machine, Snapshot};
use guild_manifest::config::Config;
use rustix::fs::inotify::{self, CreateFlags, Event, ReadFlags, Reader, WatchFlags};
use rustix::fs::statfs;
use rustix::io::Errno;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, AsRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// File systems on which others may change files without this kernel hearing of it: 9P, FUSE, NFS, SMB and CIFS, Ceph, AFS.
const DEAF: &[u32] =
    &[0x0102_1997, 0x6573_5546, 0x6969, 0x517b, 0xff53_4d42, 0xfe53_4d42, 0x00c3_6400, 0x5346_414f];

/// A name is there that was not, or no longer is.
const COMES_OR_GOES: ReadFlags = ReadFlags::CREATE
    .union(ReadFlags::DELETE)
    .union(ReadFlags::MOVED_FROM)
    .union(ReadFlags::MOVED_TO)
    .union(ReadFlags::MOVE_SELF)
    .union(ReadFlags::DELETE_SELF);
/// What is told.
const WATCHED: WatchFlags = WatchFlags::CREATE
    .union(WatchFlags::DELETE)
    .union(WatchFlags::MOVED_FROM)
    .union(WatchFlags::MOVED_TO)
    .union(WatchFlags::MODIFY)
    .union(WatchFlags::CLOSE_WRITE)
    .union(WatchFlags::ATTRIB)
    .union(WatchFlags::DELETE_SELF)
    .union(WatchFlags::MOVE_SELF)
    .union(WatchFlags::ONLYDIR);

/// Something that has happened in a directory.
struct Happening {
    number: i32,
    what: ReadFlags,
    name: Option<OsString>,
}

impl Happening {
    fn of(event: &Event<'_>) -> Self {
        let name = event.file_name().map(|name| OsStr::from_bytes(name.to_bytes()).to_owned());
        Self { number: event.wd(), what: event.events(), name }
    }
}

/// How many directories one person's programs may watch together.
const LIMIT: &str = "/proc/sys/fs/inotify/max_user_watches";
/// The part of that which one of our processes takes: editors watch whole projects.
const PART: usize = 8;

/// Directories that are watched.
#[derive(Debug)]
pub struct Watch {
    kernel: OwnedFd,
    /// How many may be watched.
    room: usize,
    /// The number of each directory's watch.
    numbers: BTreeMap<PathBuf, i32>,
    /// The directories of each watch: several paths may lead to the same one.
    paths: HashMap<i32, Vec<PathBuf>>,
    /// Those in which everything counts.
    held: HashSet<PathBuf>,
    /// What may come where not everything counts.
    awaited: BTreeSet<PathBuf>,
    /// Directories in which names have come or gone since the last look.
    touched: HashSet<PathBuf>,
}

impl Watch {
    /// Watches nothing yet; nothing where the kernel lets nobody watch, or nobody more.
    pub fn open() -> Option<Self> {
        let kernel = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok()?;
        let limit = fs::read_to_string(LIMIT).ok().and_then(|text| text.trim().parse().ok());
        Some(Self {
            kernel,
            room: limit.unwrap_or(usize::MAX) / PART,
            numbers: BTreeMap::new(),
            paths: HashMap::new(),
            held: HashSet::new(),
            awaited: BTreeSet::new(),
            touched: HashSet::new(),
        })
    }

    /// Watches what a snapshot was made of, and nothing else.
    pub fn follow(&mut self, machine: &Machine, config: &Config, snapshot: &Snapshot) -> Followed {
        let Ground { directories, awaited, tops, is_too_much, .. } = Ground::of(machine, config, snapshot);
        tops.iter().for_each(|top| self.check(top));
        self.awaited = awaited;
        self.held = directories.iter().filter(|(_, counts)| **counts).map(|(path, _)| path.clone()).collect();
        self.leave(&directories);
        let mut followed = if is_too_much { Followed::InPart } else { Followed::All };
        for (path, counts) in &directories {
            let is_new = !self.numbers.contains_key(path);
            if is_new {
                followed = followed.and(self.add(path));
            }
            if *counts && (is_new || self.touched.contains(path)) {
                followed = followed.and(self.add_sidecars(sidecars(path)));
            }
        }
        self.touched.clear();
        followed
    }

    /// Lets go of a directory and all below it, where its path leads to another one by now: nobody is told that one further up was moved.
    fn check(&mut self, top: &Path) {
        let Some(known) = self.numbers.get(top).copied() else { return };
        if inotify::add_watch(&self.kernel, top, WATCHED) != Ok(known) {
            self.forget_below(top);
        }
    }

    /// Lets go of all but these, and of what is read with a skill that is among them.
    fn leave(&mut self, directories: &BTreeMap<PathBuf, bool>) {
        let others = self.numbers.keys().filter(|path| !directories.contains_key(*path)).cloned();
        let (kept, gone): (Vec<PathBuf>, Vec<PathBuf>) = others.partition(|path| self.is_sidecar(path));
        self.held.extend(kept);
        gone.iter().for_each(|path| self.forget(path));
    }

    fn add_sidecars(&mut self, path: PathBuf) -> Followed {
        if self.numbers.contains_key(&path) || !path.is_dir() {
            return Followed::All;
        }
        let followed = self.add(&path);
        self.held.insert(path);
        followed
    }

    /// Lets no more than so many be watched.
    #[cfg(test)]
    pub(super) fn limit(&mut self, room: usize) {
        self.room = room;
    }

    /// How many directories are watched.
    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        self.numbers.len()
    }

    /// Takes note of everything that has happened, and says whether any of it may change a snapshot.
    pub fn take(&mut self) -> bool {
        let mut room = [MaybeUninit::uninit(); 16 * 1024];
        let mut happened = Vec::new();
        let mut reader = Reader::new(self.kernel.as_fd(), &mut room);
        loop {
            match reader.next() {
                Ok(event) => happened.push(Happening::of(&event)),
                Err(Errno::INTR) => {}
                Err(_) => break,
            }
        }
        // All are noted, whether or not one of them is enough to count.
        happened.iter().fold(false, |counts, happening| self.note(happening) | counts)
    }

    /// Takes note of one thing that has happened; says whether it counts.
    fn note(&mut self, happening: &Happening) -> bool {
        if happening.what.contains(ReadFlags::QUEUE_OVERFLOW) {
            // Whatever was not told may have been about any of them.
            self.forget_below(Path::new(""));
            return true;
        }
        let directories = self.paths.get(&happening.number).cloned().unwrap_or_default();
        if happening.what.contains(ReadFlags::IGNORED) {
            // The directory is gone, and the kernel has let go of it.
            self.paths.remove(&happening.number);
            self.numbers.retain(|_, number| *number != happening.number);
            return directories.iter().any(|path| self.held.contains(path));
        }
        let mut counts = false;
        for directory in directories {
            let path = happening.name.as_ref().map_or_else(|| directory.clone(), |name| directory.join(name));
            let is_awaited = || self.awaited.iter().any(|awaited| awaited.starts_with(&path));
            counts |= self.held.contains(&directory) || is_awaited();
            if happening.what.intersects(COMES_OR_GOES) {
                // What bears the name now is another directory than the one that is watched.
                self.forget_below(&path);
                self.touched.insert(directory);
            }
        }
        counts
    }

    fn add(&mut self, path: &Path) -> Followed {
        let is_deaf = statfs(path)
            .is_ok_and(|found| u32::try_from(found.f_type).is_ok_and(|kind| DEAF.contains(&kind)));
        if is_deaf || self.numbers.len() >= self.room {
            return Followed::InPart;
        }
        match inotify::add_watch(&self.kernel, path, WATCHED) {
            Ok(number) => {
                self.numbers.insert(path.to_owned(), number);
                self.paths.entry(number).or_default().push(path.to_owned());
                Followed::Anew
            }
            // It has just gone, which the directory that it was in tells.
            Err(Errno::NOENT | Errno::NOTDIR) => Followed::All,
            Err(_) => Followed::InPart,
        }
    }

    fn forget_below(&mut self, path: &Path) {
        let watched = self.numbers.range(path.to_owned()..).map(|(path, _)| path.clone());
        let below: Vec<PathBuf> = watched.take_while(|known| known.starts_with(path)).collect();
        below.iter().for_each(|path| self.forget(path));
    }

    fn forget(&mut self, path: &Path) {
        let Some(number) = self.numbers.remove(path) else { return };
        let Some(paths) = self.paths.get_mut(&number) else { return };
        paths.retain(|known| known != path);
        if paths.is_empty() {
            self.paths.remove(&number);
            // The kernel may have let go of it already.
            inotify::remove_watch(&self.kernel, number).ok();
        }
    }

    /// Whether it is a directory of what is read with a skill that is followed.
    fn is_sidecar(&self, path: &Path) -> bool {
        path.parent().is_some_and(|parent| self.held.contains(parent) && sidecars(parent) == path)
    }
}

impl Followed {
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::InPart, _) | (_, Self::InPart) => Self::InPart,
            (Self::Anew, _) | (_, Self::Anew) => Self::Anew,
            (Self::All, Self::All) => Self::All,
        }
    }
}

impl AsRawFd for Watch {
    fn as_raw_fd(&self) -> RawFd {
        self.kernel.as_raw_fd()
    }
}
