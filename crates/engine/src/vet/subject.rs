//! What is vetted: a skill of the snapshot, one that does not load, or one at a path; a plugin's skill with its whole plugin.

use guild_catalog::{Broken, Entry, Place, Scope, Snapshot};
use guild_manifest::plugin::Dialect;
use guild_manifest::{Digest, TreeManifest};
use guild_source::store::{Kept, Store};
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
    /// The plugin that ships it: what a run mounts is all of that.
    pub plugin: Option<Plugin>,
    /// Its files, where they lie in the store and nowhere else.
    pub kept: Option<KeptFiles<'a>>,
}

/// Files that lie in the store.
#[derive(Debug, Clone, Copy)]
pub struct KeptFiles<'a> {
    /// The store.
    pub store: &'a Store,
    /// Which they are.
    pub tree: &'a TreeManifest,
    /// The digest of that.
    pub digest: Digest,
}

/// A plugin that is looked at with its skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plugin {
    /// Its name.
    pub name: String,
    /// Its directory.
    pub root: PathBuf,
}

impl<'a> Subject<'a> {
    /// A skill of the snapshot, with its plugin.
    pub fn of_entry(snapshot: &Snapshot, entry: &'a Entry) -> Self {
        let name = entry.qualified_name().into_owned();
        Self { entry: Some(entry), ..Self::of_place(snapshot, &entry.place, name) }
    }

    /// A skill that does not load, with its plugin.
    pub fn of_broken(snapshot: &Snapshot, broken: &Broken) -> Self {
        Self::of_place(snapshot, &broken.place, broken.place.qualified(&broken.name).into_owned())
    }

    /// A skill at a path, by itself.
    pub fn of_path(path: &Path, name: String) -> Self {
        let flat = !is_skill_file(path);
        Self { name, path: path.to_owned(), flat, entry: None, plugin: None, kept: None }
    }

    /// A skill or plugin whose files are in the store, by the file that makes it what it is.
    pub fn of_kept(store: &'a Store, kept: &'a Kept, main: &str, name: String) -> Self {
        let kept = KeptFiles { store, tree: &kept.tree, digest: kept.digest };
        Self { kept: Some(kept), ..Self::of_path(Path::new(main), name) }
    }

    /// The same skill with the plugin that it lies in.
    pub fn within(self, plugin: Option<Plugin>) -> Self {
        Self { plugin: plugin.filter(|plugin| self.path.starts_with(&plugin.root)), ..self }
    }

    /// The same skill without its plugin.
    pub fn alone(self) -> Self {
        Self { plugin: None, ..self }
    }

    fn of_place(snapshot: &Snapshot, place: &Place, name: String) -> Self {
        let flat = place.flat || place.scope == Scope::Builtin;
        let subject = Self { name, path: place.path(), flat, entry: None, plugin: None, kept: None };
        let Some(plugin) = place.plugin.as_deref() else { return subject };
        let found = snapshot.plugins.iter().find(|known| known.plugin.name == plugin);
        subject.within(found.map(|found| Plugin { name: plugin.to_owned(), root: found.directory.clone() }))
    }

    /// The path of its file below the directory that is looked at.
    pub fn main(&self) -> String {
        let below = self.path.strip_prefix(self.root()).unwrap_or(&self.path);
        below.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/")
    }

    /// The directory that is looked at: the plugin's, or the one that the skill's file lies in.
    pub fn root(&self) -> &Path {
        let own = self.path.parent().unwrap_or(Path::new(""));
        self.plugin.as_ref().map_or(own, |plugin| &plugin.root)
    }

    /// Whether one file is all there is to look at.
    pub fn is_one_file(&self) -> bool {
        self.flat && self.plugin.is_none()
    }

    /// Whether a path below the directory is that of a skill's own file.
    pub fn is_own(&self, path: &str) -> bool {
        path == self.main() || self.plugin.is_some() && is_skill_file(Path::new(path))
    }

    /// What names the looked-at in the cache; a plugin and a skill in its directory are not the same.
    pub fn key(&self) -> String {
        // What lies in no place is named by what it is: every one of them has the same path.
        if let Some(kept) = &self.kept {
            let kind = if self.plugin.is_some() { "plugin" } else { "skill" };
            return format!("{kind} {}", kept.digest);
        }
        let own = match &self.plugin {
            Some(plugin) => plugin.root.join("."),
            None if self.flat => self.path.clone(),
            None => self.root().to_owned(),
        };
        own.to_string_lossy().into_owned()
    }

    /// Whether it is one that Guildhall ships, which has no file.
    pub fn is_builtin(&self) -> bool {
        self.entry.is_some_and(|entry| entry.place.scope == Scope::Builtin)
    }
}

impl Plugin {
    /// The plugin that a directory lies in, as manifests at or below `top` tell.
    pub fn around(directory: &Path, top: &Path) -> Option<Self> {
        let within = directory.ancestors().take_while(|directory| directory.starts_with(top));
        let manifests = || Dialect::PROBED.iter().filter_map(|dialect| dialect.manifest());
        let mut plugins =
            within.filter(|directory| manifests().any(|manifest| directory.join(manifest).is_file()));
        let root = plugins.next()?.to_owned();
        let name = root.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        Some(Self { name, root })
    }
}

/// Whether a file is that of a skill which is a directory.
pub fn is_skill_file(path: &Path) -> bool {
    path.file_name().is_some_and(|file| file.eq_ignore_ascii_case("SKILL.md"))
}
