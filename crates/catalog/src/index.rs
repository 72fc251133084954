//! The persistent index: what was read from each root, so that an unchanged file is not read again.
//!
//! One file per root in the cache directory. A record counts only while modification time, size and inode of every
//! file and directory it depends on are the same. A damaged, foreign or older index is never trusted: it is read as
//! empty and written anew.

mod stamp;
mod store;

use crate::directory::Directory;
use crate::discover::SKILL_FILE;
use crate::{Fingerprint, Machine};
use guild_manifest::skill::Skill;
use guild_manifest::{Code, Problem};
use serde::{Deserialize, Deserializer, Serialize};
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

pub use stamp::Stamp;
use store::Frame;
pub use store::Frames;

/// What was read from one skill.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The skill's file, relative to its directory.
    #[serde(deserialize_with = "file_name")]
    pub file: Cow<'static, str>,
    /// Whether the skill is one file without a directory of its own.
    pub flat: bool,
    /// When the skill's file was seen.
    pub seen: Stamp,
    /// When the directories of the skill, and other files it depends on, were seen; relative to the skill's directory.
    pub beside: Vec<(String, Stamp)>,
    /// The fingerprint of the skill's file.
    pub fingerprint: Fingerprint,
    /// The skill, unless a problem excludes it.
    pub skill: Option<Box<Skill>>,
    /// Everything that is wrong with it; files are relative to the skill's directory.
    pub problems: Vec<Problem>,
}

/// The records of one root as they are on the disk: whole, and not read yet.
#[derive(Debug)]
pub struct Stored {
    file: Option<PathBuf>,
    /// When the look began that the records are of.
    begun: i64,
    /// When the look begins that it is opened for.
    now: SystemTime,
    frames: Frames,
}

/// The records of one root by path; each is read when it is asked for.
#[derive(Debug)]
pub struct Index<'a> {
    /// When the look began that the records are of.
    begun: i64,
    slots: Vec<Slot<'a>>,
}

/// A record under its path: the skill's directory relative to the root, or its file for a flat skill; empty for the
/// root itself.
#[derive(Debug)]
struct Slot<'a> {
    frame: Frame<'a>,
    /// Whether the record was found to hold.
    is_kept: bool,
}

/// What a record is measured by.
pub struct Check<'a> {
    /// The root.
    pub root: &'a Directory,
    /// How many bytes a skill's file may have now.
    pub limit: u64,
    /// Where paths are put together.
    pub path: String,
}

impl Record {
    /// A record whose problems hang on something that leaves no stamp, or on another limit, is not kept.
    fn can_be_kept(&self, limit: u64) -> bool {
        let hangs = |problem: &Problem| matches!(problem.code, Code::LinkBroken | Code::FileTooLarge);
        self.seen.size() <= limit && !self.problems.iter().any(hangs)
    }
}

impl Stored {
    /// Opens the index of `root` in the cache directory; a missing or damaged one is empty.
    pub fn open(machine: &Machine, root: &Path) -> Self {
        let stored = Self::forgotten(machine, root);
        match stored.file.as_deref().and_then(store::load) {
            Some((begun, frames)) => Self { begun, frames, ..stored },
            None => stored,
        }
    }

    /// The index of `root` without what it holds, to be written anew.
    pub fn forgotten(machine: &Machine, root: &Path) -> Self {
        let name = Fingerprint::of(root.as_os_str().as_encoded_bytes()).to_string();
        let file = machine.cache.as_ref().map(|cache| cache.join("index").join(name));
        let now = machine.now.unwrap_or(SystemTime::UNIX_EPOCH);
        Self { file, begun: 0, now, frames: Frames::default() }
    }

    /// The records by path.
    pub fn index(&self) -> Index<'_> {
        let slot = |frame| Slot { frame, is_kept: false };
        let mut slots: Vec<Slot<'_>> = self.frames.iter().map(slot).collect();
        slots.sort_by(|a, b| a.frame.path.cmp(b.frame.path));
        Index { begun: self.begun, slots }
    }

    /// Replaces the index on disk by what still holds and what was read anew, if that is a change. A cache that cannot be
    /// written costs time, not correctness, so that is no error.
    pub fn update(&self, index: &Index<'_>, fresh: &Frames) {
        let has_leftovers = index.slots.iter().any(|slot| !slot.is_kept);
        if let Some(file) = self.file.as_deref().filter(|_| has_leftovers || !fresh.is_empty()) {
            let kept = index.slots.iter().filter(|slot| slot.is_kept).map(|slot| slot.frame);
            store::save(file, self.now, kept, fresh).ok();
        }
    }
}

impl Index<'_> {
    /// The record of `path` and its place, if the skill would be read as the same again.
    pub fn current(&self, path: &str, guess: usize, check: &mut Check<'_>) -> Option<(usize, Record)> {
        let place = self.find(path, guess)?;
        let record = self.slots.get(place)?.frame.read()?;
        let is_current = record.can_be_kept(check.limit) && self.holds(path, &record, check);
        is_current.then_some((place, record))
    }

    /// Keeps the record at `place` when the index is written anew; after a scan the others are of skills that are gone
    /// or have changed.
    pub fn keep(&mut self, place: usize) {
        if let Some(slot) = self.slots.get_mut(place) {
            slot.is_kept = true;
        }
    }

    /// Where the record of `path` is. A root that has not changed has its entries in the order of the records, so the
    /// place of an entry among the others is a good guess.
    fn find(&self, path: &str, guess: usize) -> Option<usize> {
        match self.slots.get(guess) {
            Some(slot) if slot.frame.path == path => Some(guess),
            _ => self.slots.binary_search_by(|slot| slot.frame.path.cmp(path)).ok(),
        }
    }

    fn holds(&self, path: &str, record: &Record, check: &mut Check<'_>) -> bool {
        let Check { root, path: whole, .. } = check;
        let mut is_as_seen = |below: &str, stamp: &Stamp| {
            whole.clear();
            whole.push_str(path);
            if !below.is_empty() && !path.is_empty() {
                whole.push('/');
            }
            whole.push_str(below);
            let target = if whole.is_empty() { "." } else { whole.as_str() };
            stamp.is_settled(self.begun)
                && root.facts_of(Path::new(target)).is_ok_and(|facts| Stamp::of(&facts) == *stamp)
        };
        let file = if record.flat { "" } else { record.file.as_ref() };
        is_as_seen(file, &record.seen) && record.beside.iter().all(|(path, stamp)| is_as_seen(path, stamp))
    }
}

/// Nearly every skill's file has the same name, which need not be kept ten thousand times.
fn file_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Cow<'static, str>, D::Error> {
    let name = <&str>::deserialize(deserializer)?;
    Ok(if name == SKILL_FILE { Cow::Borrowed(SKILL_FILE) } else { Cow::Owned(name.to_owned()) })
}
