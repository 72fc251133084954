//! The content store: blobs and trees under the digests of what they hold, read from wherever a skill lies, once.
//!
//! ```text
//! version                      the version of this layout
//! blobs/sha256/ab/HEX          one file's content, a tree's manifest, or whatever else is named by its digest
//! packs/HEX                    many blobs that came at once, in one file
//! logs/sha256/ab/HEX           what a run has printed; nothing depends on it
//! trees/sha256/ab/HEX/         the files of a tree, as containers see them: made of blobs, checked before each use
//! tmp/                         what is being made, each with a lock that its maker holds
//! turn                         a lock: whoever adds shares it, and whoever sweeps has it alone
//! ```
//!
//! Several processes may use it at once, and any of them may be killed: what has its final name is whole. Blobs are synced before
//! they get their names; trees are not, since what is damaged is made again. Only [`sweep`] removes anything. The calls wait for the disk and
//! for nothing else, mostly for less than a millisecond, so that they are synchronous; whoever cannot wait calls from another thread.

mod blob;
mod error;
mod export;
mod follow;
mod fresh;
mod glance;
mod limits;
mod log;
mod pack;
mod seen;
mod stage;
pub mod sweep;
mod tree;
mod turn;
mod walk;
mod workspace;

use guild_manifest::{Digest, TreeManifest};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use error::{Reason, StageError, StoreError};
pub use export::{scan, scan_installed};
pub use fresh::Keeping;
pub use limits::{Limit, MAX_BYTES, MAX_DEPTH, MAX_FILE_BYTES, MAX_NAMES};
pub use stage::{Content, Kept, MemoryFile};
pub use walk::is_executable;

use blob::Writer;
use fresh::Fresh;
use glance::Glances;
use pack::Packs;
use seen::Seen;
use workspace::Workspace;

/// The version of the layout.
const VERSION: u32 = 1;

/// A store in a directory.
#[derive(Debug, Clone)]
pub struct Store {
    directory: PathBuf,
    packs: Packs,
    /// What is on its way to the disk.
    fresh: Fresh,
    /// What was read before, in a process that lives on.
    seen: Option<Arc<Seen>>,
    /// What was looked at before, in one run.
    glances: Option<Arc<Glances>>,
}

/// A tree that is in the store, and was whole when this was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// Its files.
    pub tree: TreeManifest,
    /// The digest of that, which names it.
    pub digest: Digest,
    /// The directory with its files, to be mounted and never to be written to.
    pub root: PathBuf,
}

/// A directory in which nothing stays.
#[derive(Debug)]
pub struct Scratch(Workspace);

impl Scratch {
    /// Where it is.
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Store {
    /// The store in a directory, which is made when the first content comes.
    ///
    /// # Errors
    /// Where it is of a version that this program does not know, or cannot be read.
    pub fn open(directory: impl Into<PathBuf>) -> Result<Self, StoreError> {
        let (packs, fresh) = (Packs::default(), Fresh::default());
        let store = Self { directory: directory.into(), packs, fresh, seen: None, glances: None };
        let path = store.directory.join("version");
        match fs::read_to_string(&path) {
            Ok(text) if text.trim() == VERSION.to_string() => Ok(store),
            Ok(text) => Err(StoreError::Version { path, found: text.trim().chars().take(20).collect() }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(store),
            Err(source) => Err(StoreError::Io { action: "read", path, source }),
        }
    }

    /// The same store for a process that lives on: a tree that looks from outside as it did when it was read is not read again.
    #[must_use]
    pub fn remembering(self) -> Self {
        Self { seen: Some(Arc::default()), ..self }
    }

    /// The same store for one run: it looks at no directory twice, so that all parts of the run see the same files.
    #[must_use]
    pub fn for_one_run(&self) -> Self {
        Self { glances: Some(Arc::default()), ..self.clone() }
    }

    /// Keeps some bytes.
    ///
    /// # Errors
    /// Where they cannot be written.
    pub fn put(&self, bytes: &[u8]) -> Result<Digest, StoreError> {
        let digest = Digest::of(bytes);
        let is_known = self.seen.as_ref().is_some_and(|seen| seen.is_young(&digest));
        if is_known && blob::is_whole(&self.blob(&digest), bytes.len() as u64) {
            return Ok(digest);
        }
        let mut writer = Writer::new(self);
        writer.add(bytes)?;
        writer.commit()?;
        if let Some(seen) = &self.seen {
            seen.put(digest);
        }
        Ok(digest)
    }

    /// The bytes of a digest, checked against it.
    ///
    /// # Errors
    /// Where they are not there, or are not what the digest says.
    pub fn get(&self, digest: &Digest) -> Result<Vec<u8>, StoreError> {
        if let Some(bytes) = self.fresh.read(digest) {
            return Ok(bytes.to_vec());
        }
        if let Some(bytes) = self.packs.read(digest)? {
            return Ok(bytes);
        }
        match blob::read(&self.blob(digest), digest) {
            // Somebody may have brought a pack since.
            Err(missing @ StoreError::Missing { .. }) => {
                self.packs.refresh(self);
                self.packs.read(digest)?.ok_or(missing)
            }
            found => found,
        }
    }

    /// Reads every file of a tree once and keeps it, so that what is there afterwards no longer depends on where it came from.
    ///
    /// # Errors
    /// Where something in it is refused or cannot be read, or where it cannot be kept.
    pub fn stage(&self, content: &Content<'_>) -> Result<Stored, StageError> {
        stage::stage(self, content)
    }

    /// Reads every file of some trees once and keeps it, without a directory for containers to see.
    ///
    /// # Errors
    /// As for staging one; the number is that of the tree which it is about. Nothing of any of them is relied on then.
    pub fn keep_all(&self, contents: &[Content<'_>]) -> Result<Vec<Kept>, (usize, StageError)> {
        stage::keep_all(self, contents)
    }

    /// The same, which goes on while they are written: what was read can be had at once, and is relied on by whoever has waited.
    ///
    /// # Errors
    /// As for [`Store::keep_all`].
    pub fn keep_all_ahead(
        &self,
        contents: &[Content<'_>],
    ) -> Result<(Vec<Kept>, Keeping), (usize, StageError)> {
        stage::keep_all_ahead(self, contents)
    }

    /// Does the same with one.
    ///
    /// # Errors
    /// As for staging it.
    pub fn keep(&self, content: &Content<'_>) -> Result<Kept, StageError> {
        stage::keep(self, content)
    }

    /// A tree that was kept before, if every file of it is there and whole.
    ///
    /// # Errors
    /// Where it, or a part of it, is not there or is not what its digest says.
    pub fn kept(&self, digest: &Digest) -> Result<Kept, StoreError> {
        let tree = self.manifest(digest)?;
        tree.files().iter().try_for_each(|file| self.get(&file.digest).map(drop))?;
        Ok(Kept { tree, digest: *digest, is_exact: false })
    }

    /// A tree that was staged before, made whole where that is needed.
    ///
    /// # Errors
    /// Where it, or a part of it, is not there or is not what its digest says.
    pub fn tree(&self, digest: &Digest) -> Result<Stored, StoreError> {
        glance::once(self, &self.place("trees", digest), || {
            if let Some(stored) = tree::recall(self, digest) {
                return Ok(stored);
            }
            let tree = self.manifest(digest)?;
            let root = tree::materialise(self, &tree, digest)?;
            Ok(Stored { tree, digest: *digest, root })
        })
    }

    /// A directory of one's own to fetch or unpack something in, which goes with the value, or with the next one's after a kill.
    ///
    /// # Errors
    /// Where it cannot be made.
    pub fn scratch(&self) -> Result<Scratch, StoreError> {
        Workspace::new(self).map(Scratch)
    }

    /// Writes the files of a stored tree into a directory that is not there yet, each checked against its digest.
    ///
    /// # Errors
    /// Where a file is not in the store or is damaged there, or cannot be written.
    pub fn export(&self, tree: &TreeManifest, to: &Path) -> Result<(), StoreError> {
        export::export(self, tree, to)
    }

    fn manifest(&self, digest: &Digest) -> Result<TreeManifest, StoreError> {
        let bytes = self.get(digest)?;
        serde_json::from_slice(&bytes).map_err(|_| StoreError::NotATree { digest: *digest })
    }

    fn packs_directory(&self) -> PathBuf {
        self.directory.join("packs")
    }

    fn blob(&self, digest: &Digest) -> PathBuf {
        self.place("blobs", digest)
    }

    fn place(&self, kind: &str, digest: &Digest) -> PathBuf {
        let hex = digest.to_hex();
        let shard = hex.get(..2).unwrap_or_default();
        self.directory.join(kind).join("sha256").join(shard).join(&hex)
    }

    fn temporary(&self) -> PathBuf {
        self.directory.join("tmp")
    }
}

/// What failed, with which file.
fn failed<'a>(action: &'static str, path: &'a Path) -> impl FnOnce(io::Error) -> StoreError + 'a {
    move |source| StoreError::Io { action, path: path.to_owned(), source }
}
