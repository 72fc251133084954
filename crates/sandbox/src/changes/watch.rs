//! Looks at a layer while a command writes to it, and kills a command that writes more than could ever be kept.
//!
//! A layer lies on the host's disk, which no cgroup measures. Asking how full the disk is costs next to nothing, so the layer itself is
//! gone through only once the disk has become so much fuller that this may be why. What a command has removed and still holds open is
//! not found there; so it is killed too where the disk has become that much fuller and is nearly full, whoever has filled it.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use rustix::fs::FileType;

use super::bounds::{Bounds, ReadError};
use super::layer::{Layer, LayerError, at};
use super::tree::Tree;
use crate::child::Killer;

/// How often the disk is looked at. A fast one takes a few hundred megabytes in that time.
const LOOK: Duration = Duration::from_millis(100);

/// What is left of a disk to others: this many bytes, or of a small one this part.
const RESERVE: u64 = 1 << 30;
const RESERVED_PART: u64 = 20;

/// Looks at a layer until it is ended or dropped.
#[derive(Debug)]
pub struct Watch {
    /// Nothing is sent: the thread ends when this goes.
    stop: Sender<()>,
    thread: JoinHandle<Option<Overfull>>,
}

/// Why a command was killed.
#[derive(Debug, thiserror::Error)]
pub enum Overfull {
    /// More was written than can be kept.
    #[error("it wrote more to a copy-on-write mount than can be kept")]
    Layer(#[source] ReadError),
    /// The disk that the layer lies on was nearly full.
    #[error("it wrote to a copy-on-write mount until the disk was nearly full")]
    Disk,
}

/// What is left of a disk.
#[derive(Clone, Copy, Debug)]
struct Room {
    bytes: u64,
    entries: u64,
    size: u64,
}

/// Where the watch is at.
struct Watcher {
    directory: PathBuf,
    content: PathBuf,
    bounds: Bounds,
    /// What was left when the command began.
    start: Room,
    /// What was left when the layer was last gone through, and how much more may be written to it since.
    seen: (Room, Bounds),
}

impl Watch {
    /// Watches a layer. `killer` kills whoever writes to it.
    pub fn begin(layer: &Layer, bounds: Bounds, killer: Killer) -> Result<Watch, LayerError> {
        let directory = layer.directory().to_owned();
        let start = Room::of(&directory).map_err(at(&directory))?;
        let content = layer.content_path();
        let watcher = Watcher { directory, content, bounds, start, seen: (start, bounds) };
        let (stop, stopped) = channel();
        let thread = std::thread::Builder::new().name("changes-watch".to_owned());
        let spawned = thread.spawn(move || watcher.watch(&stopped, &killer));
        Ok(Watch { stop, thread: spawned.map_err(at(layer.directory()))? })
    }

    /// Ends it, and says why the command was killed, if it was.
    pub fn end(self) -> Option<Overfull> {
        drop(self.stop);
        self.thread.join().ok().flatten()
    }
}

impl Watcher {
    fn watch(mut self, stopped: &Receiver<()>, killer: &Killer) -> Option<Overfull> {
        while stopped.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
            if let Some(overfull) = self.look() {
                killer.kill();
                return Some(overfull);
            }
        }
        None
    }

    /// Why the command may write no more, if so. Where the disk does not say, it may the next time.
    fn look(&mut self) -> Option<Overfull> {
        let now = Room::of(&self.directory).ok()?;
        let (seen, allowed) = self.seen;
        if seen.exceeds(now, allowed) {
            match left(&self.content, self.bounds) {
                Ok(left) => self.seen = (now, left),
                Err(error) => return Some(Overfull::Layer(error)),
            }
        }
        (self.start.exceeds(now, self.bounds) && now.is_scarce()).then_some(Overfull::Disk)
    }
}

impl Room {
    fn of(directory: &Path) -> io::Result<Room> {
        let disk = rustix::fs::statvfs(directory)?;
        let bytes = |blocks: u64| blocks.saturating_mul(disk.f_frsize);
        Ok(Room { bytes: bytes(disk.f_bavail), entries: disk.f_favail, size: bytes(disk.f_blocks) })
    }

    /// Whether more than this went between then and now.
    fn exceeds(self, now: Room, bounds: Bounds) -> bool {
        self.bytes.saturating_sub(now.bytes) > bounds.bytes
            || self.entries.saturating_sub(now.entries) > bounds.entries
    }

    fn is_scarce(self) -> bool {
        self.bytes < RESERVE.min(self.size / RESERVED_PART)
    }
}

/// What of the bounds a layer's content leaves, as it lies on the disk, or by which of them it is too much. What cannot be read is not
/// counted.
fn left(content: &Path, bounds: Bounds) -> Result<Bounds, ReadError> {
    let Ok(tree) = Tree::open(content) else { return Ok(bounds) };
    let mut budget = bounds.budget();
    let mut ahead = vec![PathBuf::new()];
    while let Some(directory) = ahead.pop() {
        for name in tree.names(&directory, budget.entries_left()).unwrap_or_default() {
            let path = directory.join(name);
            budget.entry(&path)?;
            let Ok(Some(stat)) = tree.stat(&path) else { continue };
            budget.spend(u64::try_from(stat.st_blocks).unwrap_or(0).saturating_mul(BLOCK))?;
            if FileType::from_raw_mode(stat.st_mode) == FileType::Directory {
                ahead.push(path);
            }
        }
    }
    Ok(Bounds { entries: budget.entries_left(), bytes: budget.bytes_left() })
}

/// What the system counts the blocks of a file in.
const BLOCK: u64 = 512;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_in_a_layer_is_counted_and_links_are_not_followed() {
        let directory = tempfile::tempdir().unwrap();
        let content = std::fs::canonicalize(directory.path()).unwrap();
        std::fs::create_dir_all(content.join("a/b")).unwrap();
        std::fs::write(content.join("a/b/file"), vec![1; 3 << 20]).unwrap();
        std::os::unix::fs::symlink("/usr", content.join("link")).unwrap();
        std::fs::File::create(content.join("hole")).unwrap().set_len(1 << 40).unwrap();
        let bounds = Bounds { entries: 5, bytes: 4 << 20 };
        let left_of = |bounds| left(&content, bounds);
        assert_eq!(left_of(bounds).unwrap().entries, 0);
        assert!(left_of(bounds).unwrap().bytes < 1 << 20);
        assert!(matches!(left_of(Bounds { entries: 4, ..bounds }), Err(ReadError::TooMany { limit: 4 })));
        assert!(matches!(left_of(Bounds { bytes: 2 << 20, ..bounds }), Err(ReadError::TooLarge { .. })));
    }

    #[test]
    fn a_disk_is_scarce_that_has_less_than_is_left_to_others() {
        let scarce = |bytes, size| Room { bytes, entries: 0, size }.is_scarce();
        let (mega, giga) = (1_u64 << 20, 1_u64 << 30);
        assert_eq!([scarce(2 * giga, 100 * giga), scarce(giga - 1, 100 * giga)], [false, true]);
        assert_eq!([scarce(6 * mega, 100 * mega), scarce(4 * mega, 100 * mega)], [false, true]);
    }
}
