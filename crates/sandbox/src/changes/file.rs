//! Records as JSON files: written whole or not at all, and read with their version checked.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Why a record was not read.
#[derive(Debug, thiserror::Error)]
pub enum ReadFileError {
    /// The system refused.
    #[error("cannot be read")]
    Io(#[from] io::Error),
    /// It is damaged.
    #[error("is malformed")]
    Malformed(#[from] serde_json::Error),
    /// A newer program has written it.
    #[error("has version {found}, and {known} is the newest known here")]
    Newer {
        /// The version it has.
        found: u32,
        /// The newest that is known.
        known: u32,
    },
}

#[derive(Deserialize)]
struct Version {
    version: u32,
}

/// Writes `directory/name`. A crash leaves the old record or the new one, and at most one file beside it that the next writing
/// replaces.
pub fn write_json(directory: &Path, name: &str, record: &impl Serialize) -> io::Result<()> {
    let aside = directory.join(format!("{name}.new"));
    let mut file = File::create(&aside)?;
    let mut bytes = serde_json::to_vec(record)?;
    bytes.push(b'\n');
    file.write_all(&bytes)?;
    file.sync_all()?;
    fs::rename(&aside, directory.join(name))?;
    sync_directory(directory)
}

/// Reads a record that has at most version `known`.
pub fn read_json<T: DeserializeOwned>(path: &Path, known: u32) -> Result<T, ReadFileError> {
    let bytes = fs::read(path)?;
    let Version { version: found } = serde_json::from_slice(&bytes)?;
    if found > known {
        return Err(ReadFileError::Newer { found, known });
    }
    Ok(serde_json::from_slice(&bytes)?)
}

/// Makes the names in a directory last.
pub fn sync_directory(directory: &Path) -> io::Result<()> {
    File::open(directory)?.sync_all()
}
