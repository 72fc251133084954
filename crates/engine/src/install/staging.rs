//! From a place in a source into the store: read once, and looked at by name.

use super::{Installer, failure};
use crate::{Code, Refusal};
use guild_manifest::plugin::Dialect;
use guild_source::landing::check_tree;
use guild_source::lock::{Entry, Kind};
use guild_source::store::{Content, MAX_FILE_BYTES, MemoryFile, Stored};
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// Stages a directory, or a flat skill, which becomes the file of a directory; its bytes stay what they are.
pub fn stage(desk: &Installer<'_>, name: &str, place: &Path) -> Result<Stored, Refusal> {
    let stored = if place.is_dir() {
        desk.store.stage(&Content::Directory(place))
    } else {
        let bytes = read_bounded(place)?;
        let file = MemoryFile { path: "SKILL.md", bytes: &bytes, executable: false };
        desk.store.stage(&Content::Memory(&[file]))
    };
    let stored = stored.map_err(|error| failure::of_staging(name, error))?;
    check_tree(&stored.tree).map_err(|error| failure::of_landing(&error))?;
    Ok(stored)
}

fn read_bounded(path: &Path) -> Result<Vec<u8>, Refusal> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MAX_FILE_BYTES).read_to_end(&mut bytes));
    read.map_err(|error| Refusal::new(Code::ReadFailed, format!("cannot read {}: {error}", path.display())))?;
    Ok(bytes)
}

/// The file that makes something installed what it is.
pub fn main_file(entry: &Entry) -> Option<&str> {
    let files = entry.tree.files();
    match entry.kind {
        Kind::Skill => {
            files.iter().map(|file| file.path.as_str()).find(|path| path.eq_ignore_ascii_case("SKILL.md"))
        }
        Kind::Plugin => {
            let mut manifests = Dialect::PROBED.iter().filter_map(|dialect| dialect.manifest());
            manifests.find(|manifest| entry.tree.file(manifest).is_some())
        }
    }
}
