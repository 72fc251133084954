//! What has changed between two payloads: what the skill may do now, and each file, line by line.
//!
//! It is what a person sees who approved one hash and is asked about another. It judges nothing but more and less.

mod capabilities;

use super::Payload;
use super::locks::is_lock;
use crate::diff::{Difference, difference};
use crate::reply::{Comparison, FileChange};
use crate::sandbox::Refusal;
use guild_manifest::FileEntry;
use guild_source::store::Store;

/// Longer files are named and not shown.
const MOST_BYTES: u64 = 512 << 10;
/// When so much has been compared, what is left is named and not shown: a stranger may change ten thousand files at once.
const MOST_BYTES_TOGETHER: u64 = 8 << 20;

/// Compares what was hashed once with what is hashed now; the contents come from the store.
///
/// # Errors
/// Where a content is no longer in the store, or is damaged there.
pub fn compare(old: &Payload, new: &Payload, store: &Store) -> Result<Comparison, Refusal> {
    let mut contents = Contents { store, left: MOST_BYTES_TOGETHER };
    let files = pairs(&old.files, &new.files).into_iter().filter(|(old, new)| !is_same(*old, *new));
    let files = files.map(|(old, new)| contents.change(old, new)).collect::<Result<_, _>>()?;
    Ok(Comparison { capabilities: capabilities::changes(old, new), files })
}

type Pair<'a> = (Option<&'a FileEntry>, Option<&'a FileEntry>);

/// The files of two sorted lists side by side, those of one path together.
fn pairs<'a>(old: &'a [FileEntry], new: &'a [FileEntry]) -> Vec<Pair<'a>> {
    let (mut old, mut new) = (old.iter().peekable(), new.iter().peekable());
    let mut pairs = Vec::new();
    loop {
        let path = match (old.peek(), new.peek()) {
            (Some(one), Some(other)) => one.path.as_str().min(&other.path),
            (Some(file), None) | (None, Some(file)) => &file.path,
            (None, None) => return pairs,
        };
        pairs.push((old.next_if(|file| file.path == path), new.next_if(|file| file.path == path)));
    }
}

fn is_same(old: Option<&FileEntry>, new: Option<&FileEntry>) -> bool {
    let what = |file: &FileEntry| (file.digest, file.executable);
    old.map(what) == new.map(what)
}

/// The contents of files, as much of them as is compared.
struct Contents<'a> {
    store: &'a Store,
    left: u64,
}

impl Contents<'_> {
    fn change(&mut self, old: Option<&FileEntry>, new: Option<&FileEntry>) -> Result<FileChange, Refusal> {
        let path = new.or(old).map(|file| file.path.clone()).unwrap_or_default();
        Ok(FileChange {
            change: match (old, new) {
                (None, _) => "added",
                (_, None) => "removed",
                _ => "changed",
            },
            was_executable: old.map(|file| file.executable),
            is_executable: new.map(|file| file.executable),
            lock: is_lock(&path),
            difference: self.difference(old, new)?,
            path,
        })
    }

    fn difference(
        &mut self,
        old: Option<&FileEntry>,
        new: Option<&FileEntry>,
    ) -> Result<Difference, Refusal> {
        if old.map(|file| file.digest) == new.map(|file| file.digest) {
            return Ok(Difference::None);
        }
        let size = |file: Option<&FileEntry>| file.map_or(0, |file| file.size);
        let both = size(old).saturating_add(size(new));
        if size(old).max(size(new)) > MOST_BYTES || both > self.left {
            return Ok(Difference::TooLong);
        }
        self.left -= both;
        let bytes = |file: Option<&FileEntry>| {
            file.map_or_else(|| Ok(Vec::new()), |file| self.store.get(&file.digest))
        };
        Ok(difference(&bytes(old)?, &bytes(new)?))
    }
}
