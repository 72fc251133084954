//! The index as bytes: a header, a digest of what follows, the records.

use super::{Record, stamp};
use guild_manifest::Digest;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

/// Raised whenever the shape of [`Record`] or of anything in it changes; a test holds the two together.
const FORMAT: u32 = 1;
const MAGIC: &[u8; 8] = b"guildidx";

/// When the index was written, and its records; `None` where it is missing, damaged or of another format.
pub fn load(file: &Path) -> Option<(i128, Vec<Record>)> {
    let written = stamp::modified(&fs::metadata(file).ok()?);
    let bytes = fs::read(file).ok()?;
    let body = bytes.strip_prefix(MAGIC)?.strip_prefix(&FORMAT.to_le_bytes())?;
    let (digest, records) = body.split_at_checked(32)?;
    if Digest::of(records).as_bytes() != digest {
        return None;
    }
    Some((written, postcard::from_bytes(records).ok()?))
}

/// Writes the index beside its place and moves it there.
pub fn save(file: &Path, records: &[Record]) -> io::Result<()> {
    let directory = file.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(directory)?;
    let bytes = postcard::to_stdvec(records).map_err(io::Error::other)?;
    let mut temporary = tempfile::NamedTempFile::new_in(directory)?;
    temporary.write_all(MAGIC)?;
    temporary.write_all(&FORMAT.to_le_bytes())?;
    temporary.write_all(Digest::of(&bytes).as_bytes())?;
    temporary.write_all(&bytes)?;
    temporary.as_file().sync_all()?;
    temporary.persist(file)?;
    Ok(())
}
