//! Activation by file: which skills' globs match a file, and how that lifts them.
//!
//! The file need not exist and is never opened.

use crate::hall::Hall;
use crate::reply::SkillSummary;
use guild_catalog::Entry;
use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};

/// One file, seen from the workspace.
pub struct FileMatch {
    matching: HashSet<PathBuf>,
}

impl FileMatch {
    /// Matches every skill's globs against the file that was given, if one was; the error says why it cannot be used.
    pub fn of(hall: &Hall, file: Option<&str>) -> Result<Option<Self>, String> {
        match file {
            Some(file) if file.trim().is_empty() => {
                Err("the file is empty; name the file that is worked on".to_owned())
            }
            file => Ok(file.map(|file| Self::new(hall, file))),
        }
    }

    /// The file is given relative to the caller's directory, or as a whole.
    fn new(hall: &Hall, file: &str) -> Self {
        let whole = normal(&hall.machine.directory.join(file));
        let workspace = hall.machine.workspace();
        // An editor names a file by the way it went, and that may lead over a link to the workspace.
        let whole = match whole.starts_with(workspace) {
            true => whole,
            false => without_links(&whole).filter(|real| real.starts_with(workspace)).unwrap_or(whole),
        };
        let relative = whole.strip_prefix(workspace).unwrap_or(&whole).to_owned();
        let matching = hall.snapshot.skills.iter().filter(|entry| entry.skill.matches_path(&relative));
        Self { matching: matching.map(|entry| entry.place.path()).collect() }
    }

    /// Whether the skill's globs match the file.
    pub fn matches(&self, entry: &Entry) -> bool {
        self.matching.contains(&entry.place.path())
    }

    /// Marks each summary, and moves those that match to the front without changing the order otherwise.
    pub fn mark(&self, skills: &mut [SkillSummary<'_>]) {
        for skill in skills.iter_mut() {
            skill.matches_file = Some(self.matching.contains(&skill.path.to_path_buf()));
        }
        skills.sort_by_key(|skill| skill.matches_file != Some(true));
    }
}

/// A file without the links on the way to it, whose end need not exist; what the file itself is, is not asked.
fn without_links(file: &Path) -> Option<PathBuf> {
    let real = |above: &Path| Some(above.canonicalize().ok()?.join(file.strip_prefix(above).ok()?));
    file.parent()?.ancestors().find_map(real)
}

/// A path without `.` and `..`, by its spelling.
pub fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                normal.pop();
            }
            Component::CurDir => {}
            other => normal.push(other),
        }
    }
    normal
}
