//! Writing a pack: contents as they come, the index at the end, synced, and then its name.

use super::{Entry, MARK};
use crate::store::blob::{make_directory, sync_directory};
use crate::store::error::StoreError;
use crate::store::{Store, failed};
use guild_manifest::Digest;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

/// How much is written at once.
const PIECE: usize = 1024 * 1024;

/// A pack that is being written.
#[derive(Debug)]
pub struct PackWriter {
    path: PathBuf,
    file: BufWriter<File>,
    index: Vec<Entry>,
    at: u64,
}

impl PackWriter {
    /// An empty one at a path where nothing is.
    pub fn create(path: &Path) -> Result<Self, StoreError> {
        let made = OpenOptions::new().write(true).create_new(true).mode(0o444).open(path);
        let file = BufWriter::with_capacity(PIECE, made.map_err(failed("write", path))?);
        Ok(Self { path: path.to_owned(), file, index: Vec::new(), at: 0 })
    }

    /// Writes a blob, which is not in it yet.
    pub fn add(&mut self, digest: Digest, bytes: &[u8]) -> Result<(), StoreError> {
        self.file.write_all(bytes).map_err(failed("write", &self.path))?;
        let length = bytes.len() as u64;
        self.index.push(Entry { digest, at: self.at, length });
        self.at += length;
        Ok(())
    }

    /// Gives it the name that its index has, so that it stays.
    pub fn finish(mut self, store: &Store) -> Result<(), StoreError> {
        self.index.sort_unstable_by_key(|entry| entry.digest);
        let index: Vec<u8> = self.index.iter().flat_map(Entry::write).collect();
        let path = self.path;
        let write = || -> io::Result<()> {
            self.file.write_all(&index)?;
            self.file.write_all(&self.at.to_le_bytes())?;
            self.file.write_all(&(self.index.len() as u64).to_le_bytes())?;
            self.file.write_all(MARK)?;
            self.file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
        };
        write().map_err(failed("write", &path))?;
        let directory = store.packs_directory();
        if make_directory(&directory)? {
            sync_directory(&store.directory)?;
        }
        let place = directory.join(Digest::of(&index).to_hex());
        fs::rename(&path, &place).map_err(failed("write", &place))?;
        sync_directory(&directory)?;
        store.packs.refresh(store);
        Ok(())
    }
}
