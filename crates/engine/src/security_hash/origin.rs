//! Where the files of a skill come from, and where the skill lies among them.

use crate::Code;
use crate::hall::Hall;
use crate::sandbox::Refusal;
use crate::security_hash::PluginIdentity;
use guild_catalog::{Entry, Place, Scope};
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
    Memory { path: String, bytes: Vec<u8> },
}

impl Origin {
    /// What to stage for a skill of a hall: its directory or file, or the whole plugin that ships it.
    pub fn of(hall: &Hall, entry: &Entry) -> Result<Self, Refusal> {
        let place = &entry.place;
        let stem = stem(place);
        if place.scope == Scope::Builtin {
            let bytes = guild_catalog::bytes(entry).unwrap_or_default().into_owned();
            let files = Files::Memory { path: place.file.to_string(), bytes };
            return Ok(Self { files, directory: String::new(), stem, plugin: None });
        }
        let Some(name) = &place.plugin else {
            let files = if place.flat {
                Files::File(place.path())
            } else {
                Files::Directory(place.directory.clone())
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
        let files = Files::Directory(plugin.directory.clone());
        Ok(Self { files, directory, stem, plugin: Some(identity) })
    }

    /// Reads it into the store.
    pub fn stage(&self, store: &Store) -> Result<Stored, StageError> {
        match &self.files {
            Files::Directory(path) => store.stage(&Content::Directory(path)),
            Files::File(path) => store.stage(&Content::File(path)),
            Files::Memory { path, bytes } => {
                store.stage(&Content::Memory(&[MemoryFile { path, bytes, executable: false }]))
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
