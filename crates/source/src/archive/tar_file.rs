//! Entries of tar files.

use super::executable;
use crate::landing::{Landing, LandingError, Unsafe, refused};
use std::io::Read;
use tar::{Archive, Entry, EntryType};

/// Lets everything in a tar file land.
pub fn land(reader: impl Read, landing: &mut Landing) -> Result<(), LandingError> {
    let broken = |error: std::io::Error| LandingError::Broken(error.to_string());
    let mut archive = Archive::new(reader);
    for entry in archive.entries().map_err(broken)? {
        land_entry(entry.map_err(broken)?, landing)?;
    }
    Ok(())
}

fn land_entry(mut entry: Entry<'_, impl Read>, landing: &mut Landing) -> Result<(), LandingError> {
    let broken = |error: std::io::Error| LandingError::Broken(error.to_string());
    let kind = entry.header().entry_type();
    if kind == EntryType::XGlobalHeader {
        return Ok(());
    }
    let path = text(&entry.path_bytes())?;
    let executable = executable(&path, entry.header().mode().map_err(broken)?)?;
    match kind {
        EntryType::Directory => landing.directory(&path),
        // Old tar files mark a directory by the end of its name alone.
        EntryType::Regular if path.ends_with('/') => landing.directory(&path),
        EntryType::Regular | EntryType::Continuous => landing.file(&path, executable, &mut entry).map(drop),
        EntryType::Symlink => {
            let target = entry.link_name_bytes().unwrap_or_default();
            landing.link(&path, &text(&target)?)
        }
        _ => Err(refused(&path, Unsafe::Special)),
    }
}

fn text(bytes: &[u8]) -> Result<String, LandingError> {
    String::from_utf8(bytes.to_vec()).map_err(|_| refused(&String::from_utf8_lossy(bytes), Unsafe::Name))
}
