//! Packs: many blobs in one file, since to make a file costs more than to write what is in it.
//!
//! ```text
//! the contents, one after the other
//! the index: for each its digest, where it begins and how long it is, sorted by digest
//! where the index begins, how many there are, and the mark of the format
//! ```
//!
//! A pack is written once and never changed. Its index is believed as far as a blob's name is: what is read is held to its digest.

mod write;

use super::error::StoreError;
use super::{Store, failed};
use guild_manifest::Digest;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub use write::PackWriter;

/// What a pack ends with.
const MARK: &[u8; 8] = b"guildpk1";
/// How long the end is: two numbers and the mark.
const END: u64 = 24;
/// How long an entry of the index is: a digest and two numbers.
const ENTRY: usize = 48;
/// The largest index that is read.
const MAX_ENTRIES: u64 = 4_000_000;

/// One pack, open.
#[derive(Debug)]
pub struct Pack {
    path: PathBuf,
    file: File,
    index: Vec<Entry>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Entry {
    digest: Digest,
    at: u64,
    length: u64,
}

/// The packs of a store that have been opened, by their names.
#[derive(Debug, Clone, Default)]
pub struct Packs(Arc<Mutex<BTreeMap<String, Arc<Pack>>>>);

impl Packs {
    /// The content of a blob, checked, if a pack that is open has it.
    pub fn read(&self, digest: &Digest) -> Result<Option<Vec<u8>>, StoreError> {
        match self.find(digest) {
            Some((pack, entry)) => pack.read(&entry).map(Some),
            None => Ok(None),
        }
    }

    /// The pack that has a blob of this length, among those that are open.
    pub fn holder(&self, digest: &Digest, length: u64) -> Option<Arc<Pack>> {
        self.find(digest).filter(|(_, entry)| entry.length == length).map(|(pack, _)| pack)
    }

    /// Opens those that have come since, and forgets those that have gone.
    pub fn refresh(&self, store: &Store) {
        let directory = store.packs_directory();
        let entries = fs::read_dir(&directory).into_iter().flatten().flatten();
        let names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        let mut known = self.known();
        known.retain(|name, _| names.contains(name));
        for name in names.into_iter().filter(|name| !name.starts_with('.')) {
            // One that cannot be read has nothing; whoever misses a blob says so.
            if !known.contains_key(&name)
                && let Ok(pack) = Pack::open(&directory.join(&name))
            {
                known.insert(name, Arc::new(pack));
            }
        }
    }

    fn find(&self, digest: &Digest) -> Option<(Arc<Pack>, Entry)> {
        let known = self.known();
        let mut found = known.values().filter_map(|pack| Some((Arc::clone(pack), pack.entry(digest)?)));
        found.next()
    }

    fn known(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Pack>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pack {
    /// Opens a pack and reads its index.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let broken = || io::Error::new(io::ErrorKind::InvalidData, "it is no pack");
        let length = file.metadata()?.len();
        let end = length.checked_sub(END).ok_or_else(broken)?;
        let mut last = [0; END as usize];
        file.read_exact_at(&mut last, end)?;
        let (numbers, mark) = last.split_at(16);
        let (start, count) = (number(numbers, 0), number(numbers, 8));
        let size = count.checked_mul(ENTRY as u64).filter(|_| count <= MAX_ENTRIES);
        if mark != MARK || size.and_then(|size| start.checked_add(size)) != Some(end) {
            return Err(broken());
        }
        let mut bytes = vec![0; usize::try_from(end - start).map_err(|_| broken())?];
        file.read_exact_at(&mut bytes, start)?;
        let index: Vec<Entry> = bytes.chunks_exact(ENTRY).filter_map(Entry::read).collect();
        let is_within = |entry: &Entry| entry.at.checked_add(entry.length).is_some_and(|end| end <= start);
        if !index.is_sorted_by_key(|entry| entry.digest) || !index.iter().all(is_within) {
            return Err(broken());
        }
        Ok(Self { path: path.to_owned(), file, index })
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is in it, with how long each is.
    pub fn sizes(&self) -> impl Iterator<Item = (Digest, u64)> {
        self.index.iter().map(|entry| (entry.digest, entry.length))
    }

    fn entry(&self, digest: &Digest) -> Option<Entry> {
        let at = self.index.binary_search_by_key(digest, |entry| entry.digest).ok()?;
        self.index.get(at).copied()
    }

    fn read(&self, entry: &Entry) -> Result<Vec<u8>, StoreError> {
        let mut bytes = vec![0; usize::try_from(entry.length).unwrap_or(0)];
        self.file.read_exact_at(&mut bytes, entry.at).map_err(failed("read", &self.path))?;
        if Digest::of(&bytes) == entry.digest {
            Ok(bytes)
        } else {
            Err(StoreError::Damaged { digest: entry.digest, path: self.path.clone() })
        }
    }
}

impl Entry {
    fn read(bytes: &[u8]) -> Option<Self> {
        let (digest, numbers) = bytes.split_at_checked(32)?;
        let digest = Digest::from_bytes(digest.try_into().ok()?);
        Some(Self { digest, at: number(numbers, 0), length: number(numbers, 8) })
    }

    fn write(&self) -> Vec<u8> {
        [self.digest.as_bytes().as_slice(), &self.at.to_le_bytes(), &self.length.to_le_bytes()].concat()
    }
}

fn number(bytes: &[u8], at: usize) -> u64 {
    let number = bytes.get(at..).and_then(|bytes| bytes.first_chunk::<8>());
    number.map_or(u64::MAX, |bytes| u64::from_le_bytes(*bytes))
}
