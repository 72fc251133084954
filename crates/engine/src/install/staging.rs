//! From a place in a source into the store: read once, and looked at by name.

use super::{Installer, failure};
use crate::{Code, Refusal};
use guild_manifest::plugin::Dialect;
use guild_source::landing::check_tree;
use guild_source::lock::{Entry, Kind};
use guild_source::store::{Content, Keeping, Kept, MAX_FILE_BYTES, MemoryFile};
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// Stages a directory, or a flat skill, which becomes the file of a directory; its bytes stay what they are.
pub fn stage(desk: &Installer<'_>, name: &str, place: &Path) -> Result<Kept, Refusal> {
    let (mut stored, mut keeping) = stage_all(desk, &[(name, place)])?;
    keeping.wait()?;
    stored.pop().ok_or_else(|| Refusal::new(Code::Internal, "nothing was staged"))
}

/// Stages several, each by its name and its place; they are in the store once somebody has waited.
pub fn stage_all(desk: &Installer<'_>, wanted: &[(&str, &Path)]) -> Result<(Vec<Kept>, Keeping), Refusal> {
    let flat: Vec<Option<Vec<u8>>> = wanted
        .iter()
        .map(|(_, place)| if place.is_dir() { Ok(None) } else { read_bounded(place).map(Some) })
        .collect::<Result<_, Refusal>>()?;
    let file = |bytes| [MemoryFile { path: "SKILL.md", bytes, executable: false }];
    let files: Vec<Option<[MemoryFile<'_>; 1]>> =
        flat.iter().map(|bytes| bytes.as_deref().map(file)).collect();
    let mut contents = Vec::new();
    for ((_, place), file) in wanted.iter().zip(&files) {
        contents.push(match file {
            Some(file) => Content::Memory(file),
            None => Content::Directory(place),
        });
    }
    let (stored, keeping) = desk.store.keep_all_ahead(&contents).map_err(|(at, error)| {
        let name = wanted.get(at).map_or("", |(name, _)| *name);
        failure::of_staging(name, error)
    })?;
    let names = stored.iter().try_for_each(|stored| check_tree(&stored.tree));
    names.map_err(|error| failure::of_landing(&error))?;
    Ok((stored, keeping))
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
