//! Taking what lies in directories of ours: all of one at once, since to move five hundred takes five hundred times as long.
//!
//! Whether what is taken is what it should be was looked at before; here it is only moved.

use super::Ours;
use super::step;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Where the directories lie now that were moved to where something is staged.
pub struct Tops {
    staging: PathBuf,
    /// By where they lay; nothing where one could not be moved.
    moved: BTreeMap<PathBuf, Option<PathBuf>>,
    /// Whether a directory has a name that something is put aside by.
    odd: BTreeMap<PathBuf, bool>,
}

impl Tops {
    /// Moves beside what else is staged in a directory.
    pub fn beside(staging: &Path) -> Self {
        Self { staging: staging.to_owned(), moved: BTreeMap::new(), odd: BTreeMap::new() }
    }

    /// Takes a directory, and says where it lies: `staged`, or where it came to lie with all that it lay in. Nothing where it cannot be
    /// moved.
    pub fn take(&mut self, from: Ours<'_>, staged: &Path) -> Option<PathBuf> {
        let below = from.path.strip_prefix(from.top).ok()?;
        if below.as_os_str().is_empty() {
            return fs::rename(from.path, staged).is_ok().then(|| staged.to_owned());
        }
        let there = self.top(from.top)?.join(below);
        // What is put aside while two change places would meet what has that name already.
        if !self.has_odd_names(there.parent()?) {
            return Some(there);
        }
        fs::rename(&there, staged).is_ok().then(|| staged.to_owned())
    }

    fn has_odd_names(&mut self, directory: &Path) -> bool {
        if let Some(known) = self.odd.get(directory) {
            return *known;
        }
        // One that cannot be read may have any.
        let has = fs::read_dir(directory).map_or(true, |names| {
            names
                .into_iter()
                .any(|name| name.map_or(true, |name| step::is_aside(Path::new(&name.file_name()))))
        });
        self.odd.insert(directory.to_owned(), has);
        has
    }

    /// Where a directory lies, once it was moved.
    fn top(&mut self, top: &Path) -> Option<&Path> {
        if !self.moved.contains_key(top) {
            let there = self.staging.join(format!("top-{}", self.moved.len()));
            let moved = fs::rename(top, &there).is_ok().then_some(there);
            self.moved.insert(top.to_owned(), moved);
        }
        self.moved.get(top)?.as_deref()
    }
}
