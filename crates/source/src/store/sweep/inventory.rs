//! What is in a store, by name, size and age.

use crate::store::error::StoreError;
use crate::store::pack::Pack;
use crate::store::{Store, failed};
use guild_manifest::Digest;
use std::collections::BTreeSet;
use std::fs::{self, DirEntry};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Everything that can be swept.
pub struct Inventory {
    pub blobs: Vec<Item>,
    pub logs: Vec<Item>,
    pub trees: Vec<Item>,
    pub packs: Vec<PackFile>,
    /// The digests of blobs and of what is in packs.
    names: BTreeSet<Digest>,
}

/// A file, or the directory of a tree.
pub struct Item {
    pub digest: Digest,
    pub path: PathBuf,
    pub bytes: u64,
    pub modified: SystemTime,
}

/// A pack.
pub struct PackFile {
    pub path: PathBuf,
    modified: SystemTime,
    pack: Pack,
}

impl PackFile {
    /// What is in it, with how long each is.
    pub fn sizes(&self) -> impl Iterator<Item = (Digest, u64)> {
        self.pack.sizes()
    }
}

impl Inventory {
    /// Lists a store.
    pub fn take(store: &Store) -> Result<Self, StoreError> {
        let blobs = items(&store.directory.join("blobs/sha256"))?;
        let packs = packs(&store.packs_directory())?;
        let packed = packs.iter().flat_map(PackFile::sizes).map(|(digest, _)| digest);
        let names = blobs.iter().map(|item| item.digest).chain(packed).collect();
        let logs = items(&store.directory.join("logs/sha256"))?;
        let trees = items(&store.directory.join("trees/sha256"))?;
        Ok(Self { blobs, logs, trees, packs, names })
    }

    /// Whether a blob is there.
    pub fn has(&self, digest: &Digest) -> bool {
        self.names.contains(digest)
    }

    /// What was written or used again since a moment.
    pub fn since(&self, since: SystemTime) -> Vec<Digest> {
        let items = self.blobs.iter().chain(&self.trees).filter(|item| item.modified >= since);
        let packs = self.packs.iter().filter(|pack| pack.modified >= since);
        let packed = packs.flat_map(PackFile::sizes).map(|(digest, _)| digest);
        items.map(|item| item.digest).chain(packed).collect()
    }
}

/// Everything below shards that bears a digest's name; other names are not ours.
fn items(root: &Path) -> Result<Vec<Item>, StoreError> {
    let mut items = Vec::new();
    for shard in entries(root)? {
        for entry in entries(&shard.path())? {
            let name = entry.file_name();
            let Ok(digest) = format!("sha256:{}", name.to_string_lossy()).parse() else { continue };
            let path = entry.path();
            let facts = entry.metadata().map_err(failed("read", &path))?;
            let modified = facts.modified().map_err(failed("read", &path))?;
            let bytes = if facts.is_dir() { size_of(&path)? } else { facts.len() };
            items.push(Item { digest, path, bytes, modified });
        }
    }
    Ok(items)
}

fn packs(directory: &Path) -> Result<Vec<PackFile>, StoreError> {
    let mut packs = Vec::new();
    for entry in entries(directory)? {
        let path = entry.path();
        // One that cannot be read is left for whoever misses something in it.
        let Ok(pack) = Pack::open(&path) else { continue };
        let modified = entry.metadata().and_then(|facts| facts.modified()).map_err(failed("read", &path))?;
        packs.push(PackFile { path, modified, pack });
    }
    Ok(packs)
}

fn size_of(directory: &Path) -> Result<u64, StoreError> {
    let mut bytes = 0;
    for entry in entries(directory)? {
        let path = entry.path();
        let facts = entry.metadata().map_err(failed("read", &path))?;
        bytes += if facts.is_dir() { size_of(&path)? } else { facts.len() };
    }
    Ok(bytes)
}

/// The names in a directory; none where it is not there.
fn entries(directory: &Path) -> Result<Vec<DirEntry>, StoreError> {
    let read = match fs::read_dir(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => return Ok(Vec::new()),
        read => read.map_err(failed("read", directory))?,
    };
    read.collect::<io::Result<_>>().map_err(failed("read", directory))
}
