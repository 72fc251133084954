//! Entries of zip files.

use super::executable;
use crate::landing::{Landing, LandingError, Unsafe, printable, refused};
use std::collections::HashSet;
use std::fs::File;
use std::io::{BufReader, Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::FileExt as _;
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
    let copy = || file.try_clone().map_err(|error| broken(error.into()));
    let (directory, plain) = (copy()?, copy()?);
    let mut archive = ZipArchive::new(file).map_err(broken)?;
    refuse_doubles(directory, archive.central_directory_start())?;
    for at in 0..archive.len() {
        let entry = archive.by_index(at).map_err(broken)?;
        refuse_other_name(&plain, &entry)?;
        land_entry(entry, landing)?;
    }
    Ok(())
}

/// How long what stands before an entry's content is, before its name; where that says how long the name is.
const HEAD_LENGTH: usize = 30;
const NAME_LENGTH: usize = 26;

/// Refuses a name that the archive's directory has otherwise than the entry itself: whoever reads from front to back sees the other one.
fn refuse_other_name(file: &File, entry: &ZipFile<'_, File>) -> Result<(), LandingError> {
    let broken = |error: std::io::Error| LandingError::Broken(error.to_string());
    let mut head = [0; HEAD_LENGTH];
    file.read_exact_at(&mut head, entry.header_start()).map_err(broken)?;
    let length =
        head.get(NAME_LENGTH..).and_then(<[u8]>::first_chunk).map_or(0, |two| u16::from_le_bytes(*two));
    let mut name = vec![0; usize::from(length)];
    file.read_exact_at(&mut name, entry.header_start() + HEAD_LENGTH as u64).map_err(broken)?;
    if name == entry.name_raw() {
        return Ok(());
    }
    let shown = printable(&String::from_utf8_lossy(entry.name_raw()));
    Err(LandingError::Broken(format!(
        "`{shown}` has another name where it lies than in the archive's directory"
    )))
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
