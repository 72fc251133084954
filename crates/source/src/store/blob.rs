//! Blobs: written aside, synced, and then given the names that their content has.

use super::error::StoreError;
use super::pack::{Pack, PackWriter};
use super::turn::{self, Freshness};
use super::workspace::{Workspace, tidy};
use super::{Store, failed};
use crate::durable;
use guild_manifest::Digest;
use std::collections::{BTreeSet, HashMap};
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind::NotFound, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Up to so many blobs are synced one by one; more cost less with the whole file system at once.
const FEW: usize = 32;

/// Writes blobs, and gives all of them their names at the end.
#[derive(Debug)]
pub struct Writer<'a> {
    store: &'a Store,
    workspace: Option<Workspace>,
    pending: BTreeSet<Digest>,
    manner: Manner,
    /// Whether the packs that there are have been looked for.
    knows_packs: bool,
    /// Whether the directories that blobs would lie in are there.
    shards: HashMap<PathBuf, bool>,
    /// Kept from the first question whether something is there until everything that is new has its name.
    turn: Option<File>,
    freshness: Freshness,
}

/// How blobs are written.
#[derive(Debug)]
enum Manner {
    /// Each into a file of its own.
    Loose,
    /// All into one, which is made when the first one comes.
    Packed(Option<PackWriter>),
}

impl<'a> Writer<'a> {
    /// A writer that has written nothing, and touches nothing before it must.
    pub fn new(store: &'a Store) -> Self {
        Self {
            store,
            workspace: None,
            pending: BTreeSet::new(),
            manner: Manner::Loose,
            knows_packs: false,
            shards: HashMap::new(),
            turn: None,
            freshness: Freshness::default(),
        }
    }

    /// A writer of so many blobs that they share one file.
    pub fn of_many(store: &'a Store) -> Self {
        Self { manner: Manner::Packed(None), ..Self::new(store) }
    }

    /// Writes some bytes, unless they are there.
    pub fn add(&mut self, bytes: &[u8]) -> Result<Digest, StoreError> {
        let digest = Digest::of(bytes);
        self.add_as(digest, bytes)?;
        Ok(digest)
    }

    /// Writes the bytes of a digest, which somebody has just computed, unless they are there.
    pub fn add_as(&mut self, digest: Digest, bytes: &[u8]) -> Result<(), StoreError> {
        if self.turn.is_none() {
            self.turn = turn::shared(self.store)?;
        }
        if self.pending.contains(&digest) || self.is_there(&digest, bytes.len() as u64)? {
            return Ok(());
        }
        let workspace = match self.workspace.take() {
            Some(workspace) => workspace,
            None => Workspace::new(self.store)?,
        };
        let directory = workspace.path().to_owned();
        self.workspace = Some(workspace);
        match &mut self.manner {
            Manner::Loose => write_loose(&directory, digest, bytes, self.pending.len() < FEW)?,
            Manner::Packed(Some(pack)) => pack.add(digest, bytes)?,
            Manner::Packed(none) => {
                let mut pack = PackWriter::create(&directory.join("pack"))?;
                pack.add(digest, bytes)?;
                *none = Some(pack);
            }
        }
        self.pending.insert(digest);
        Ok(())
    }

    /// Gives everything that was written its name, so that it stays.
    pub fn commit(self) -> Result<(), StoreError> {
        let Some(workspace) = self.workspace else {
            // Whoever was killed once everything had its name has left a directory, and nobody else would come by.
            tidy(self.store);
            return Ok(());
        };
        if let Manner::Packed(Some(pack)) = self.manner {
            return pack.finish(self.store);
        }
        let is_few = self.pending.len() <= FEW;
        if !is_few {
            sync_all(workspace.path())?;
        }
        let mut shards = BTreeSet::new();
        for digest in &self.pending {
            let to = self.store.blob(digest);
            let Some(shard) = to.parent() else { continue };
            if shards.insert(shard.to_owned()) && make_directory(shard)? && is_few {
                shards.extend(shard.parent().map(Path::to_owned));
            }
            fs::rename(workspace.path().join(digest.to_hex()), &to).map_err(failed("write", &to))?;
        }
        if !is_few {
            return sync_all(workspace.path());
        }
        shards.iter().try_for_each(|shard| sync_directory(shard))
    }

    /// Whether a blob is there, as long as it should be; a shorter one is what a broken disk left, and is written anew. What is there
    /// counts as new from now on.
    fn is_there(&mut self, digest: &Digest, size: u64) -> Result<bool, StoreError> {
        let path = self.store.blob(digest);
        let loose = if self.has_shard(&path) { fs::symlink_metadata(&path) } else { Err(NotFound.into()) };
        if let Ok(seen) = &loose
            && is_blob(seen, size)
        {
            return self.freshness.renew(self.store, &path, Some(seen));
        }
        // Packs are opened for what has no file of its own, and nearly everything has one.
        match (self.holder(digest, size), loose) {
            (Some(pack), _) => self.freshness.renew(self.store, pack.path(), None),
            (None, Err(error)) if error.kind() != NotFound => Err(failed("read", &path)(error)),
            (None, _) => Ok(false),
        }
    }

    /// Whether anything can be where a blob would be: most of a large store is in packs. A directory that somebody makes meanwhile is
    /// not seen, so that what they put there is there twice.
    fn has_shard(&mut self, path: &Path) -> bool {
        let Some(shard) = path.parent() else { return true };
        if let Some(known) = self.shards.get(shard) {
            return *known;
        }
        // What cannot be told is for the look at the blob itself to say.
        let is_there = fs::exists(shard).unwrap_or(true);
        self.shards.insert(shard.to_owned(), is_there);
        is_there
    }

    /// The pack that has it; those that others have brought are looked for once.
    fn holder(&mut self, digest: &Digest, size: u64) -> Option<Arc<Pack>> {
        if !std::mem::replace(&mut self.knows_packs, true) {
            self.store.packs.refresh(self.store);
        }
        self.store.packs.holder(digest, size)
    }
}

/// Whether a file of this length is there.
pub fn is_whole(path: &Path, size: u64) -> bool {
    fs::symlink_metadata(path).is_ok_and(|seen| is_blob(&seen, size))
}

fn is_blob(seen: &Metadata, size: u64) -> bool {
    seen.is_file() && seen.len() == size
}

/// Writes a blob aside.
fn write_loose(directory: &Path, digest: Digest, bytes: &[u8], is_synced: bool) -> Result<(), StoreError> {
    let path = directory.join(digest.to_hex());
    let write = || -> io::Result<()> {
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o444).open(&path)?;
        file.write_all(bytes)?;
        if is_synced { file.sync_all() } else { Ok(()) }
    };
    write().map_err(failed("write", &path))
}

/// The content of a blob, checked.
pub fn read(path: &Path, digest: &Digest) -> Result<Vec<u8>, StoreError> {
    match fs::read(path) {
        Ok(bytes) if Digest::of(&bytes) == *digest => Ok(bytes),
        Ok(_) => Err(StoreError::Damaged { digest: *digest, path: path.to_owned() }),
        Err(error) if error.kind() == NotFound => Err(StoreError::Missing { digest: *digest }),
        Err(error) => Err(failed("read", path)(error)),
    }
}

/// Makes a directory for its owner alone, and says whether it had to be made.
pub fn make_directory(path: &Path) -> Result<bool, StoreError> {
    match fs::DirBuilder::new().create(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(failed("make", path)(error)),
    }
}

/// Makes sure that the names in a directory outlive a power cut.
pub fn sync_directory(path: &Path) -> Result<(), StoreError> {
    durable::sync_directory(path).map_err(failed("sync", path))
}

fn sync_all(path: &Path) -> Result<(), StoreError> {
    durable::sync_file_system(path).map_err(failed("sync", path))
}
