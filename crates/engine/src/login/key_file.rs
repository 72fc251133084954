//! The file of a server's key: this user's alone, and locked for as long as the server lives.
//!
//! One that nobody holds was left by a server that was killed; its links open nothing any more.

use std::fs::{self, DirBuilder, File, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The newest form that is read.
const VERSION: u32 = 1;
/// More than any such file has.
const MOST_BYTES: u64 = 4096;

/// A key, with what is known of its server.
#[derive(Debug)]
pub(super) struct KeyFile {
    pub key: [u8; 32],
    /// Where the page is.
    pub page: String,
    pub port: u16,
    /// Held, and removed in the end, by the server itself.
    held: Option<(PathBuf, File)>,
}

#[derive(Serialize, Deserialize)]
struct Written {
    version: u32,
    page: String,
    key: [u8; 32],
}

impl KeyFile {
    /// Keeps a key under the port of its server.
    pub(super) fn make(directory: &Path, port: u16, page: String, key: [u8; 32]) -> io::Result<Self> {
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(directory)?;
        let path = directory.join(format!("{port}.json"));
        // A temporary file is its owner's alone from the beginning, and locked before it has its name.
        let mut file = tempfile::NamedTempFile::new_in(directory)?;
        serde_json::to_writer(&mut file, &Written { version: VERSION, page: page.clone(), key })?;
        file.flush()?;
        file.as_file().lock()?;
        let held = file.persist(&path).map_err(|error| error.error)?;
        Ok(Self { key, page, port, held: Some((path, held)) })
    }

    /// The keys of those servers that run, by port.
    pub(super) fn running(directory: &Path) -> io::Result<Vec<Self>> {
        let entries = match fs::read_dir(directory) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut found: Vec<Self> = entries.flatten().filter_map(|entry| Self::read(&entry.path())).collect();
        found.sort_by_key(|server| server.port);
        Ok(found)
    }

    /// One that is held; everything else is none.
    fn read(path: &Path) -> Option<Self> {
        let port = path.file_name()?.to_str()?.strip_suffix(".json")?.parse().ok()?;
        let file = File::open(path).ok()?;
        if !matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)) {
            return None;
        }
        let mut bytes = Vec::new();
        (&file).take(MOST_BYTES).read_to_end(&mut bytes).ok()?;
        let Written { version, page, key } = serde_json::from_slice(&bytes).ok()?;
        (version == VERSION).then_some(Self { key, page, port, held: None })
    }
}

impl Drop for KeyFile {
    fn drop(&mut self) {
        if let Some((path, _)) = &self.held {
            // One that stays does no harm: nobody holds it.
            let _ = fs::remove_file(path);
        }
    }
}
