//! What is vetted: a skill of the snapshot, one that does not load, or one at a path.

use guild_catalog::{Broken, Entry, Place, Scope};
use std::path::{Path, PathBuf};

/// A skill to look at.
#[derive(Debug, Clone)]
pub struct Subject<'a> {
    /// The name that is shown.
    pub name: String,
    /// The skill's file.
    pub path: PathBuf,
    /// Whether the skill is that one file.
    pub flat: bool,
    /// The snapshot's entry, where there is one.
    pub entry: Option<&'a Entry>,
}

impl<'a> Subject<'a> {
    /// A skill of the snapshot.
    pub fn of_entry(entry: &'a Entry) -> Self {
        Self { entry: Some(entry), ..Self::of_place(&entry.place, entry.qualified_name().into_owned()) }
    }

    /// A skill that does not load.
    pub fn of_broken(broken: &Broken) -> Self {
        Self::of_place(&broken.place, broken.place.qualified(&broken.name).into_owned())
    }

    /// A skill at a path.
    pub fn of_path(path: &Path, name: String) -> Self {
        let is_own = path.file_name().is_some_and(|file| file.eq_ignore_ascii_case("SKILL.md"));
        Self { name, path: path.to_owned(), flat: !is_own, entry: None }
    }

    fn of_place(place: &Place, name: String) -> Self {
        let flat = place.flat || place.scope == Scope::Builtin;
        Self { name, path: place.path(), flat, entry: None }
    }

    /// The file's own name.
    pub fn file(&self) -> String {
        self.path.file_name().map(|file| file.to_string_lossy().into_owned()).unwrap_or_default()
    }

    /// The directory that its files lie in.
    pub fn directory(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }

    /// What names it in the cache: its file if it is one, else its directory.
    pub fn key(&self) -> String {
        let own = if self.flat { &self.path } else { self.directory() };
        own.to_string_lossy().into_owned()
    }

    /// Whether it is one that Guildhall ships, which has no file.
    pub fn is_builtin(&self) -> bool {
        self.entry.is_some_and(|entry| entry.place.scope == Scope::Builtin)
    }
}
