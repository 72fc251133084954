//! Entries of zip files.

use super::executable;
use crate::landing::{Landing, LandingError, Unsafe, refused};
use std::collections::HashSet;
use std::fs::File;
use std::io::{BufReader, Read as _, Seek as _, SeekFrom};
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
    let directory = file.try_clone().map_err(|error| broken(error.into()))?;
    let mut archive = ZipArchive::new(file).map_err(broken)?;
    refuse_doubles(directory, archive.central_directory_start())?;
    for at in 0..archive.len() {
        land_entry(archive.by_index(at).map_err(broken)?, landing)?;
    }
    Ok(())
}

/// What every entry of a zip file's directory begins with, and how long that is before its names.
const ENTRY: &[u8] = b"PK\x01\x02";
const ENTRY_LENGTH: usize = 46;

/// Refuses a name that is there twice: of such entries the reader shows the last one only, and another reader may show the first.
fn refuse_doubles(file: File, start: u64) -> Result<(), LandingError> {
    let broken = |error: std::io::Error| LandingError::Broken(error.to_string());
    let mut directory = BufReader::new(file);
    directory.seek(SeekFrom::Start(start)).map_err(broken)?;
    let mut names = HashSet::new();
    let mut entry = [0; ENTRY_LENGTH];
    // Behind the last entry there is at least the end of the directory, which may be shorter.
    while directory.read_exact(&mut entry).is_ok() && entry.starts_with(ENTRY) {
        let length = |at: usize| {
            entry.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |two| u16::from_le_bytes(*two))
        };
        let mut name = vec![0; usize::from(length(28))];
        directory.read_exact(&mut name).map_err(broken)?;
        let behind = i64::from(length(30)) + i64::from(length(32));
        directory.seek_relative(behind).map_err(broken)?;
        if let Some(double) = names.replace(name) {
            return Err(refused(&String::from_utf8_lossy(&double), Unsafe::Collision));
        }
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
