//! What is written down of a stored image: one file beside its tree, and one list of names for all.
//!
//! Both carry a version, and a newer one is refused.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::digest::Digest;
use super::documents::Settings;
use super::platform::Platform;

/// The version of both files.
const VERSION: u32 = 1;

/// Bytes that either of them may have.
const LONGEST: u64 = 64 << 20;

/// A stored image.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Image {
    /// Names it.
    pub digest: Digest,
    /// What that digest is of.
    pub kind: Kind,
    /// The digest of what was unpacked.
    pub content: Digest,
    /// What it is made for, where it says so.
    pub platform: Option<Platform>,
    /// How it wants to be run.
    pub config: Settings,
    /// When it was made, as it says itself.
    pub created: Option<String>,
    /// When it was brought in.
    pub imported: String,
    /// Bytes of its files.
    pub bytes: u64,
    /// Files, directories and links in it.
    pub entries: u64,
    /// Entries that were left out: devices, pipes and sockets.
    pub skipped: u64,
    /// Its layers, lowest first.
    pub layers: Vec<Layer>,
    /// Its names, sorted. They may change, and are kept elsewhere.
    #[serde(skip)]
    pub names: Vec<Named>,
}

/// What an image's digest is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Of its manifest, as registries and OCI layouts name images.
    Manifest,
    /// Of its configuration, as `docker save` archives without manifests do.
    Config,
    /// Of its content, where there was nothing else.
    Content,
}

/// A layer of a stored image.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layer {
    /// The digest of its bytes as they came.
    pub digest: Digest,
    /// The digest of its bytes before compression.
    pub diff_id: Digest,
    /// Bytes as they came.
    pub bytes: u64,
    /// What it said it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
}

/// A name of an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The name.
    pub name: String,
    /// Where the image came from under it.
    pub source: String,
    /// When.
    pub at: String,
}

/// What a name stands for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    /// The image.
    pub digest: Digest,
    /// Where it came from.
    pub source: String,
    /// When.
    pub at: String,
}

/// Every name and what it stands for.
pub type Names = BTreeMap<String, Target>;

#[derive(Serialize, Deserialize)]
struct Versioned<T> {
    version: u32,
    #[serde(flatten)]
    value: T,
}

#[derive(Deserialize)]
struct VersionOnly {
    version: u32,
}

/// The list of names as it is written.
#[derive(Default, Serialize, Deserialize)]
pub struct NameList {
    /// The names.
    pub names: Names,
}

/// Why a file of the store cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The system says so.
    #[error("cannot be read")]
    Read(#[source] io::Error),
    /// A later release has written it.
    #[error("is of version {version}, which this release does not know")]
    Newer {
        /// Which version.
        version: u32,
    },
    /// It is not what was written.
    #[error("is damaged")]
    Damaged(#[source] serde_json::Error),
}

/// Reads a file of the store; `None` where there is none.
pub fn read<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, RecordError> {
    let mut bytes = Vec::new();
    match File::open(path) {
        Ok(file) => drop(file.take(LONGEST).read_to_end(&mut bytes).map_err(RecordError::Read)?),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(RecordError::Read(error)),
    }
    // The version first: a later one may have another shape.
    let VersionOnly { version } = serde_json::from_slice(&bytes).map_err(RecordError::Damaged)?;
    if version > VERSION {
        return Err(RecordError::Newer { version });
    }
    let versioned: Versioned<T> = serde_json::from_slice(&bytes).map_err(RecordError::Damaged)?;
    Ok(Some(versioned.value))
}

/// Writes a file of the store, whole or not at all.
pub fn write<T: Serialize>(path: &Path, value: &T) -> io::Result<()> {
    let directory = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new().prefix(".").tempfile_in(directory)?;
    serde_json::to_writer_pretty(file.as_file_mut(), &Versioned { version: VERSION, value })?;
    file.as_file_mut().write_all(b"\n")?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    File::open(directory)?.sync_all()
}
