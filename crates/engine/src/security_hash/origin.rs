//! Where the files of a skill come from, and where the skill lies among them.

use crate::Code;
use crate::hall::Hall;
use crate::sandbox::Refusal;
use crate::security_hash::PluginIdentity;
use guild_catalog::bundled::{self, BundledFile};
use guild_catalog::{Entry, Place, PluginEntry, Scope};
use guild_source::store::{Content, MemoryFile, StageError, Store, Stored};
use std::path::{Path, PathBuf};

/// What is staged for a skill.
#[derive(Debug)]
pub struct Origin {
    files: Files,
    /// The skill's directory among the files; empty where it is all of them.
    pub directory: String,
    /// The name that the skill has where its file says none.
    pub stem: String,
    /// The plugin, where the files are those of one.
    pub plugin: Option<PluginIdentity>,
}

#[derive(Debug)]
enum Files {
    Directory(PathBuf),
    File(PathBuf),
    Bundled(Vec<BundledFile>),
}

impl Origin {
    /// What to stage for a skill of a hall: its directory or file, or the whole plugin that ships it.
    pub fn of(hall: &Hall, entry: &Entry) -> Result<Self, Refusal> {
        let place = &entry.place;
        let stem = stem(place);
        let Some(name) = &place.plugin else {
            let files = match bundled::files(place) {
                Some(files) => Files::Bundled(files),
                None if place.flat => Files::File(place.path()),
                None => Files::Directory(place.directory.clone()),
            };
            return Ok(Self { files, directory: String::new(), stem, plugin: None });
        };
        let plugin = hall.snapshot.plugins.iter().find(|plugin| plugin.plugin.name == **name);
        let inside = plugin.and_then(|plugin| {
            let directory = place.directory.strip_prefix(&plugin.directory).ok()?.to_str()?;
            Some((plugin, directory.to_owned()))
        });
        let Some((plugin, directory)) = inside else {
            let path = place.path().display().to_string();
            let message = format!("{path} does not lie in the directory of its plugin `{name}`");
            return Err(Refusal::new(Code::SkillFilesRefused, message));
        };
        let version = plugin.plugin.version.clone();
        let identity = PluginIdentity { name: name.to_string(), version };
        let bundled = bundled::plugin(name).filter(|_| place.scope == Scope::Builtin);
        let files = match bundled {
            Some(files) => Files::Bundled(files.to_vec()),
            None => Files::Directory(plugin.directory.clone()),
        };
        Ok(Self { files, directory, stem, plugin: Some(identity) })
    }

    /// What to stage for a plugin's own code: all of it.
    pub fn of_plugin(entry: &PluginEntry) -> Self {
        let name = entry.plugin.name.clone();
        let bundled = bundled::plugin(&name).filter(|_| entry.scope == Scope::Builtin);
        let files = match bundled {
            Some(files) => Files::Bundled(files.to_vec()),
            None => Files::Directory(entry.directory.clone()),
        };
        let plugin = Some(PluginIdentity { name: name.clone(), version: entry.plugin.version.clone() });
        Self { files, directory: String::new(), stem: name, plugin }
    }

    /// Reads it into the store.
    pub fn stage(&self, store: &Store) -> Result<Stored, StageError> {
        match &self.files {
            Files::Directory(path) => store.stage(&Content::Directory(path)),
            Files::File(path) => store.stage(&Content::File(path)),
            Files::Bundled(files) => {
                let file = |file: &BundledFile| {
                    let BundledFile { path, bytes, executable } = *file;
                    MemoryFile { path, bytes, executable }
                };
                store.stage(&Content::Memory(&files.iter().map(file).collect::<Vec<_>>()))
            }
        }
    }

    /// The path of one of the skill's files among all files.
    pub fn inside(&self, file: &str) -> String {
        if self.directory.is_empty() { file.to_owned() } else { format!("{}/{file}", self.directory) }
    }
}

/// The name of a skill's directory, or of its file without the ending.
fn stem(place: &Place) -> String {
    let file = Path::new(place.file.as_ref());
    let name = if place.flat { file.file_stem() } else { place.directory.file_name() };
    name.unwrap_or_default().to_string_lossy().into_owned()
}
