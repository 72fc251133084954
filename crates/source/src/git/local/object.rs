//! Objects by their ids: each from a file of its own or out of a pack, and held to its id.

use super::pack::{Pack, PackFile};
use super::{MAX_BYTES, content};
use flate2::{Decompress, FlushDecompress, Status};
use ring::digest::{Context, SHA1_FOR_LEGACY_USE_ONLY};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How much of an object is inflated to see how long it is.
const HEAD: usize = 64;

/// The id of an object: the SHA-1 of what it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Id([u8; 20]);

impl Id {
    /// The id of these bytes.
    pub const fn of(bytes: [u8; 20]) -> Self {
        Self(bytes)
    }

    /// Reads forty digits; ids of another length are those of another digest.
    pub fn parse(text: &str) -> Option<Self> {
        let mut bytes = [0; 20];
        let is_whole = text.len() == 40 && text.bytes().all(|digit| digit.is_ascii_hexdigit());
        for (at, byte) in bytes.iter_mut().enumerate().filter(|_| is_whole) {
            *byte = u8::from_str_radix(text.get(at * 2..at * 2 + 2)?, 16).ok()?;
        }
        is_whole.then_some(Self(bytes))
    }

    /// Its digits.
    pub fn to_hex(self) -> String {
        let digits = self.0.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        digits.filter_map(|digit| char::from_digit(u32::from(digit), 16)).collect()
    }

    /// Its bytes.
    pub const fn as_bytes(&self) -> &[u8; 20] {
        &self.0
    }
}

/// What an object is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    Commit,
    Tree,
    Blob,
    Tag,
}

impl Type {
    const ALL: [Self; 4] = [Self::Commit, Self::Tree, Self::Blob, Self::Tag];

    const fn word(self) -> &'static str {
        match self {
            Self::Commit => "commit",
            Self::Tree => "tree",
            Self::Blob => "blob",
            Self::Tag => "tag",
        }
    }
}

/// The objects of a repository.
pub struct Objects {
    directory: PathBuf,
    packs: Option<Vec<Pack>>,
    inflater: Inflater,
    /// How much may still be read.
    left: u64,
    /// How much might be read when this began.
    most: u64,
}

/// The same objects for another thread, which reads no pack anew.
pub struct Shared {
    directory: PathBuf,
    packs: Option<Vec<Arc<PackFile>>>,
    left: u64,
}

impl Shared {
    /// The objects, by themselves from now on.
    pub fn open(&self) -> Objects {
        let packs = self.packs.as_ref().map(|packs| packs.iter().cloned().map(Pack::of).collect());
        let inflater = Inflater(Decompress::new(true));
        Objects { directory: self.directory.clone(), packs, inflater, left: self.left, most: self.left }
    }
}

impl Objects {
    /// Those in a directory.
    pub fn of(directory: &Path) -> Self {
        Shared { directory: directory.to_owned(), packs: None, left: MAX_BYTES }.open()
    }

    /// What another thread needs to read the same.
    pub fn shared(&self) -> Shared {
        let packs = self.packs.as_ref().map(|packs| packs.iter().map(Pack::file).collect());
        Shared { directory: self.directory.clone(), packs, left: self.left }
    }

    /// How much was read here.
    pub const fn read(&self) -> u64 {
        self.most - self.left
    }

    /// Counts what another thread has read; nothing where both together have read too much.
    pub fn count(&mut self, read: u64) -> Option<()> {
        self.left = self.left.checked_sub(read)?;
        Some(())
    }

    /// An object that has to be of this type.
    pub fn get(&mut self, id: Id, wanted: Type) -> Option<Vec<u8>> {
        self.any(id).filter(|(found, _)| *found == wanted).map(|(_, bytes)| bytes)
    }

    /// An object, whatever it is.
    pub fn any(&mut self, id: Id) -> Option<(Type, Vec<u8>)> {
        let (kind, bytes) = match self.packed(id)? {
            Some(found) => found,
            None => self.loose(id)?,
        };
        self.left = self.left.checked_sub(bytes.len() as u64)?;
        let mut hash = Context::new(&SHA1_FOR_LEGACY_USE_ONLY);
        hash.update(format!("{} {}\0", kind.word(), bytes.len()).as_bytes());
        hash.update(&bytes);
        (hash.finish().as_ref() == id.as_bytes()).then_some((kind, bytes))
    }

    /// What a pack has of it; no answer at all where packs cannot be read here.
    fn packed(&mut self, id: Id) -> Option<Option<(Type, Vec<u8>)>> {
        if self.packs.is_none() {
            self.packs = Some(self.open()?);
        }
        let mut packs = self.packs.iter_mut().flatten();
        let Some((pack, at)) = packs.find_map(|pack| pack.find(id).map(|at| (pack, at))) else {
            return Some(None);
        };
        pack.read(at, &mut self.inflater, self.left).map(Some)
    }

    /// Opens all packs.
    fn open(&mut self) -> Option<Vec<Pack>> {
        let entries = fs::read_dir(self.directory.join("pack")).into_iter().flatten().flatten();
        let mut packs = Vec::new();
        for index in entries.map(|entry| entry.path()) {
            if index.extension().is_some_and(|end| end == "idx") {
                let pack = Pack::open(&index, self.left)?;
                self.left = self.left.checked_sub(pack.size())?;
                packs.push(pack);
            }
        }
        Some(packs)
    }

    /// Reads the file of an object: `TYPE SIZE<NUL>` and its bytes, compressed.
    fn loose(&mut self, id: Id) -> Option<(Type, Vec<u8>)> {
        let hex = id.to_hex();
        let (shard, name) = hex.split_at_checked(2)?;
        let packed = content(&self.directory.join(shard).join(name), self.left)?;
        let start = self.inflater.start(&packed, HEAD)?;
        let end = start.iter().position(|byte| *byte == 0)?;
        let (word, size) = std::str::from_utf8(start.get(..end)?).ok()?.split_once(' ')?;
        let kind = Type::ALL.into_iter().find(|kind| kind.word() == word)?;
        let size: usize = size.parse().ok().filter(|size| *size as u64 <= self.left)?;
        let mut bytes = self.inflater.all(&packed, end + 1 + size)?;
        bytes.drain(..=end);
        Some((kind, bytes))
    }
}

/// Inflates, again and again with the same memory.
pub struct Inflater(Decompress);

impl Inflater {
    /// What compressed bytes begin with.
    fn start(&mut self, packed: &[u8], length: usize) -> Option<Vec<u8>> {
        let mut bytes = Vec::with_capacity(length);
        self.0.reset(true);
        self.0.decompress_vec(packed, &mut bytes, FlushDecompress::None).ok()?;
        Some(bytes)
    }

    /// All of it, which has to be so long.
    pub fn all(&mut self, packed: &[u8], length: usize) -> Option<Vec<u8>> {
        // Room for a byte too many, which would be seen.
        let mut bytes = Vec::with_capacity(length + 1);
        self.0.reset(true);
        let status = self.0.decompress_vec(packed, &mut bytes, FlushDecompress::Finish).ok()?;
        (status == Status::StreamEnd && bytes.len() == length).then_some(bytes)
    }
}
