//! Entries of zip files.

use super::executable;
use crate::landing::{Landing, LandingError, Unsafe, refused};
use std::fs::File;
use std::io::Read as _;
use zip::ZipArchive;
use zip::read::ZipFile;
use zip::result::ZipError;

/// The kind of file in a mode, as far as it is none that lands.
const KIND: u32 = 0o170_000;
const REGULAR: u32 = 0o100_000;
const DIRECTORY: u32 = 0o040_000;
const LINK: u32 = 0o120_000;

/// As long as a link's target may be.
const MAX_TARGET: u64 = 4096;

/// Lets everything in a zip file land.
pub fn land(file: File, landing: &mut Landing) -> Result<(), LandingError> {
    let broken = |error: ZipError| LandingError::Broken(error.to_string());
    let mut archive = ZipArchive::new(file).map_err(broken)?;
    for at in 0..archive.len() {
        land_entry(archive.by_index(at).map_err(broken)?, landing)?;
    }
    Ok(())
}

fn land_entry(mut entry: ZipFile<'_, File>, landing: &mut Landing) -> Result<(), LandingError> {
    let Ok(path) = String::from_utf8(entry.name_raw().to_vec()) else {
        return Err(refused(&String::from_utf8_lossy(entry.name_raw()), Unsafe::Name));
    };
    let mode = entry.unix_mode().unwrap_or(0);
    let executable = executable(&path, mode)?;
    match mode & KIND {
        DIRECTORY => landing.directory(&path),
        0 | REGULAR if path.ends_with('/') => landing.directory(&path),
        0 | REGULAR => landing.file(&path, executable, &mut entry).map(drop),
        LINK => {
            let mut target = String::new();
            let read = entry.by_ref().take(MAX_TARGET).read_to_string(&mut target);
            read.map_err(|_| refused(&path, Unsafe::Link))?;
            landing.link(&path, &target)
        }
        _ => Err(refused(&path, Unsafe::Special)),
    }
}
