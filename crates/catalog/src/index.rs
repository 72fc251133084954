//! The persistent index: what was read from each root, so that an unchanged file is not read again.
//!
//! One file per root in the cache directory. A record counts only while modification time, size and inode of every
//! file and directory it depends on are the same. A damaged, foreign or older index is never trusted: it is read as
//! empty and written anew.

mod listing;
mod stamp;
mod store;

use crate::directory::{Directory, Name};
use crate::discover::SKILL_FILE;
use crate::{Fingerprint, Machine};
use guild_manifest::skill::Skill;
use guild_manifest::{Code, Problem};
use serde::{Deserialize, Deserializer, Serialize};
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

pub use stamp::Stamp;
pub use store::Fresh;
use store::{Frame, Frames};

/// What was read from one skill.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The skill's file, relative to its directory.
    #[serde(deserialize_with = "file_name")]
    pub file: Cow<'static, str>,
    /// Whether the skill is one file without a directory of its own.
    pub flat: bool,
    /// When the skill's file was seen. This and the next are looked at before a record is read, and stand before it.
    #[serde(skip)]
    pub seen: Stamp,
    /// When the directories of the skill, and other files it depends on, were seen; relative to the skill's directory.
    #[serde(skip)]
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

/// The records of one root by path; each is read when it is asked for. The path is that of the skill's directory relative
/// to the root, or of its file for a flat skill; empty for the root itself. Behind a slash stand a directory's names.
#[derive(Debug)]
pub struct Index<'a> {
    /// When the look began that the records are of.
    begun: i64,
    frames: Vec<Frame<'a>>,
    /// Which of them were found to hold.
    kept: Vec<bool>,
}

/// What a record is measured by.
pub struct Check<'a> {
    /// The root.
    pub root: &'a Directory,
    /// How many bytes a skill's file may have now.
    pub limit: u64,
    /// Where paths are put together.
    pub path: String,
    /// How far the last guess at a record's place was from it.
    pub skew: usize,
}

impl Record {
    /// A record whose problems hang on something that leaves no stamp, or on another limit, is not kept.
    pub fn can_be_kept(&self) -> bool {
        let hangs = |problem: &Problem| matches!(problem.code, Code::LinkBroken | Code::FileTooLarge);
        !self.problems.iter().any(hangs)
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
        let mut frames: Vec<Frame<'_>> = self.frames.iter().collect();
        frames.sort_by(|a, b| a.path.cmp(b.path));
        Index { begun: self.begun, kept: vec![false; frames.len()], frames }
    }

    /// Replaces the index on disk by what still holds and what was read anew, if that is a change. A cache that cannot be
    /// written costs time, not correctness, so that is no error.
    pub fn update(&self, index: &Index<'_>, fresh: &Fresh) {
        let has_leftovers = index.kept.contains(&false);
        if let Some(file) = self.file.as_deref().filter(|_| has_leftovers || !fresh.is_empty()) {
            let kept =
                index.frames.iter().zip(&index.kept).filter(|(_, kept)| **kept).map(|(frame, _)| *frame);
            store::save(file, self.now, kept, fresh).ok();
        }
    }
}

impl Index<'_> {
    /// Whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// The place of the record of `path`, if the skill would be read as the same again.
    pub fn current(&self, path: &str, guess: usize, check: &mut Check<'_>) -> Option<usize> {
        let place = self.find(path, guess.wrapping_add(check.skew))?;
        check.skew = place.wrapping_sub(guess);
        self.holds(*self.frames.get(place)?, check).then_some(place)
    }

    /// The names in the directory at `path`, if it would be listed as the same again; they are kept then.
    pub fn listing(&mut self, path: &str, check: &mut Check<'_>) -> Option<Vec<Name>> {
        if self.is_empty() {
            return None;
        }
        let place = self.find(&listing::key(path), 0)?;
        let frame = *self.frames.get(place).filter(|frame| self.holds(**frame, check))?;
        let names = frame.read_listing()?;
        *self.kept.get_mut(place)? = true;
        Some(names)
    }

    /// Reads the record at `place`, and keeps it when the index is written anew; after a scan the others are of skills
    /// that are gone or have changed.
    pub fn keep(&mut self, place: usize) -> Option<Record> {
        let record = self.frames.get(place)?.read()?;
        *self.kept.get_mut(place)? = true;
        Some(record)
    }

    /// Where the record of `path` is. A root that has not changed has its entries in the order of the records, so the
    /// place of an entry among the others, moved as far as it was for the last one, is a good guess.
    fn find(&self, path: &str, guess: usize) -> Option<usize> {
        match self.frames.get(guess) {
            Some(frame) if frame.path == path => Some(guess),
            _ => self.frames.binary_search_by(|frame| frame.path.cmp(path)).ok(),
        }
    }

    fn holds(&self, frame: Frame<'_>, check: &mut Check<'_>) -> bool {
        let Check { root, limit, path: whole, .. } = check;
        let own = frame.path.trim_end_matches('/');
        // The limit is one of the skill's file, which comes first; the names of a directory have none.
        let mut most = if own == frame.path { *limit } else { u64::MAX };
        frame.hangs_on(|below, stamp| {
            whole.clear();
            whole.push_str(own);
            if !below.is_empty() && !own.is_empty() {
                whole.push('/');
            }
            whole.push_str(below);
            let target = if whole.is_empty() { "." } else { whole.as_str() };
            stamp.is_settled(self.begun)
                && stamp.size() <= std::mem::replace(&mut most, u64::MAX)
                && root.facts_of(Path::new(target)).is_ok_and(|facts| Stamp::of(&facts) == stamp)
        })
    }
}

/// Nearly every skill's file has the same name, which need not be kept ten thousand times.
fn file_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Cow<'static, str>, D::Error> {
    let name = <&str>::deserialize(deserializer)?;
    Ok(if name == SKILL_FILE { Cow::Borrowed(SKILL_FILE) } else { Cow::Owned(name.to_owned()) })
}
