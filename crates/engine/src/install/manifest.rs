//! What something installed says of itself, read from its files in the store. Nothing is looked for where it is installed.

use super::staging::main_file;
use guild_manifest::TreeManifest;
use guild_manifest::plugin::{self, Files, Found, Plugin, Standing};
use guild_manifest::skill::{self, Profile, Skill, Source};
use guild_source::lock::{Entry, Kind};
use guild_source::store::Store;

/// The manifest of an installed plugin; nothing where it is none, or does not load.
pub fn manifest(store: &Store, entry: &Entry) -> Option<Plugin> {
    let files = StoredFiles { store, tree: &entry.tree };
    let is_plugin = entry.kind == Kind::Plugin;
    is_plugin.then(|| plugin::read(&entry.name, &files, Standing::Candidate))??.plugin
}

/// The skill that an entry is; nothing where it is none, or does not load.
pub fn skill(store: &Store, entry: &Entry) -> Option<Skill> {
    let path = main_file(entry).filter(|_| entry.kind == Kind::Skill)?;
    let bytes = store.get(&entry.tree.file(path)?.digest).ok()?;
    skill::read(&Source::new(path, &entry.name, &bytes), Profile::Lenient).skill
}

/// The files of a tree that is in the store.
struct StoredFiles<'a> {
    store: &'a Store,
    tree: &'a TreeManifest,
}

impl Files for StoredFiles<'_> {
    fn file(&self, path: &str) -> Found {
        match self.tree.file(path) {
            Some(file) => match self.store.get(&file.digest) {
                Ok(bytes) => Found::Bytes(bytes),
                Err(error) => Found::Unreadable(error.to_string()),
            },
            None if self.is_dir(path) => Found::NotAFile,
            None => Found::Missing,
        }
    }

    fn is_dir(&self, path: &str) -> bool {
        let inside = format!("{path}/");
        path == "." || self.tree.files().iter().any(|file| file.path.starts_with(&inside))
    }

    fn is_file(&self, path: &str) -> bool {
        self.tree.file(path).is_some()
    }
}
