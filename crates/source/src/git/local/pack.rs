//! Packs of git: many objects in one file, some of them as changes of others, with an index of where each begins.

use super::content;
use super::object::{Id, Inflater, Type};
use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

/// What an index of the second version, which is the one that there is, begins with.
const INDEX: &[u8] = b"\xfftOc\0\0\0\x02";
/// What a pack of the same begins with.
const PACK: &[u8] = b"PACK\0\0\0\x02";
/// Where the ids begin in an index, behind the counts of those below each first byte.
const IDS: usize = 8 + 256 * 4;
/// How long a chain of changes may be.
const MAX_CHAIN: usize = 128;
/// How much is remembered of what changes build on.
const MAX_REMEMBERED: usize = 16 * 1024 * 1024;

/// An object out of a pack.
type Unpacked = Rc<(Type, Vec<u8>)>;

/// A pack and its index, read whole.
pub struct PackFile {
    index: Vec<u8>,
    bytes: Vec<u8>,
}

/// A pack that one thread reads objects of.
pub struct Pack {
    file: Arc<PackFile>,
    /// Objects that others build on, by where they begin.
    bases: HashMap<usize, Unpacked>,
    remembered: usize,
}

impl Pack {
    /// Reads the pack of an index, if both together are no larger than `limit`.
    pub fn open(index: &Path, limit: u64) -> Option<Self> {
        let bytes = content(&index.with_extension("pack"), limit)?;
        let index = content(index, limit.checked_sub(bytes.len() as u64)?)?;
        let is_known = index.starts_with(INDEX) && bytes.starts_with(PACK);
        is_known.then(|| Self::of(Arc::new(PackFile { index, bytes })))
    }

    /// One that was read before.
    pub fn of(file: Arc<PackFile>) -> Self {
        Self { file, bases: HashMap::new(), remembered: 0 }
    }

    /// What was read.
    pub fn file(&self) -> Arc<PackFile> {
        Arc::clone(&self.file)
    }

    /// How large it is, with its index.
    pub fn size(&self) -> u64 {
        (self.file.index.len() + self.file.bytes.len()) as u64
    }

    /// Where an object begins.
    pub fn find(&self, id: Id) -> Option<usize> {
        let [first, ..] = *id.as_bytes();
        let count = |byte: u8| number(&self.file.index, 8 + usize::from(byte) * 4);
        let total = count(u8::MAX)?;
        let (mut low, mut high) = (first.checked_sub(1).map_or(Some(0), count)?, count(first)?);
        while low < high {
            let middle = low.midpoint(high);
            let known: [u8; 20] = *self.file.index.get(IDS + middle * 20..)?.first_chunk()?;
            match Id::of(known).cmp(&id) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                // Behind the ids come as many checksums. A number with its highest bit points to where large packs have larger ones.
                std::cmp::Ordering::Equal => {
                    return number(&self.file.index, IDS + total * 24 + middle * 4)
                        .filter(|at| at >> 31 == 0);
                }
            }
        }
        None
    }

    /// The object that begins at a place, if it is no larger than `limit`.
    pub fn read(&mut self, at: usize, inflater: &mut Inflater, limit: u64) -> Option<(Type, Vec<u8>)> {
        let limit = usize::try_from(limit).ok()?;
        let read = self.unpack(at, inflater, limit, 0)?;
        Some(Rc::try_unwrap(read).unwrap_or_else(|shared| (*shared).clone()))
    }

    fn unpack(&mut self, at: usize, inflater: &mut Inflater, limit: usize, depth: usize) -> Option<Unpacked> {
        let (kind, size, mut behind) = self.head(at)?;
        if size > limit || depth > MAX_CHAIN {
            return None;
        }
        let base = match kind {
            6 => Some(at.checked_sub(self.distance(&mut behind)?)?),
            7 => {
                let id = Id::of(*self.file.bytes.get(behind..)?.first_chunk()?);
                behind += 20;
                Some(self.find(id)?)
            }
            _ => None,
        };
        let bytes = inflater.all(self.file.bytes.get(behind..)?, size)?;
        let Some(base) = base else {
            return Some(Rc::new((plain(kind)?, bytes)));
        };
        let base = self.base(base, inflater, limit, depth + 1)?;
        Some(Rc::new((base.0, change(&base.1, &bytes, limit)?)))
    }

    /// What a change builds on, which others may build on too.
    fn base(&mut self, at: usize, inflater: &mut Inflater, limit: usize, depth: usize) -> Option<Unpacked> {
        if let Some(known) = self.bases.get(&at) {
            return Some(Rc::clone(known));
        }
        let base = self.unpack(at, inflater, limit, depth)?;
        self.remembered += base.1.len();
        if self.remembered > MAX_REMEMBERED {
            self.bases.clear();
            self.remembered = base.1.len();
        }
        self.bases.insert(at, Rc::clone(&base));
        Some(base)
    }

    /// The kind and the size of what begins at a place, and where the rest of it does: three bits, and the size in fours and sevens.
    fn head(&self, at: usize) -> Option<(u8, usize, usize)> {
        let first = *self.file.bytes.get(at)?;
        let mut at = at + 1;
        let size = if first & 0x80 == 0 { 0 } else { length(&self.file.bytes, &mut at)? };
        Some((first >> 4 & 7, size.checked_mul(16)? | usize::from(first & 15), at))
    }

    /// How far before its change a base lies.
    fn distance(&self, at: &mut usize) -> Option<usize> {
        let mut distance = 0_usize;
        loop {
            let byte = *self.file.bytes.get(*at)?;
            *at += 1;
            distance |= usize::from(byte & 0x7f);
            if byte & 0x80 == 0 {
                return Some(distance);
            }
            distance = distance.checked_add(1)?.checked_mul(128)?;
        }
    }
}

/// The type that a number stands for.
const fn plain(kind: u8) -> Option<Type> {
    match kind {
        1 => Some(Type::Commit),
        2 => Some(Type::Tree),
        3 => Some(Type::Blob),
        4 => Some(Type::Tag),
        _ => None,
    }
}

/// What becomes of a base by a change: both lengths, and then pieces of the base and new ones.
fn change(base: &[u8], change: &[u8], limit: usize) -> Option<Vec<u8>> {
    let mut at = 0;
    let from = length(change, &mut at)?;
    let size = length(change, &mut at)?;
    if from != base.len() || size > limit {
        return None;
    }
    let mut bytes = Vec::with_capacity(size);
    while let Some(&order) = change.get(at) {
        at += 1;
        let piece = if order & 0x80 == 0 {
            let start = at;
            at += usize::from(order);
            change.get(start..at).filter(|piece| !piece.is_empty())?
        } else {
            let mut word = |bits: std::ops::Range<u8>| {
                bits.clone().filter(|bit| order & 1 << bit != 0).try_fold(0_usize, |word, bit| {
                    let byte = usize::from(*change.get(at)?);
                    at += 1;
                    Some(word | byte << (8 * (bit - bits.start)))
                })
            };
            let (start, count) = (word(0..4)?, word(4..7)?);
            let count = if count == 0 { 0x1_0000 } else { count };
            base.get(start..start.checked_add(count)?)?
        };
        if bytes.len() + piece.len() > size {
            return None;
        }
        bytes.extend_from_slice(piece);
    }
    (bytes.len() == size).then_some(bytes)
}

/// A length in sevens, the lowest first.
fn length(bytes: &[u8], at: &mut usize) -> Option<usize> {
    let mut length = 0_u64;
    // What takes more bytes is longer than anything that is read.
    for shift in (0..42).step_by(7) {
        let byte = *bytes.get(*at)?;
        *at += 1;
        length |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return usize::try_from(length).ok();
        }
    }
    None
}

/// A number of four bytes, the highest first.
fn number(bytes: &[u8], at: usize) -> Option<usize> {
    let bytes = bytes.get(at..)?.first_chunk()?;
    usize::try_from(u32::from_be_bytes(*bytes)).ok()
}
