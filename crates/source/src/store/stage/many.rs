//! Many trees at once: read and digested on two threads, since that is work and no wait for the disk, and written by one into a pack,
//! beside whatever follows where they are in memory together.

use super::{Content, Kept, Noted, Staging};
use crate::beside::both;
use crate::store::blob::Writer;
use crate::store::error::{StageError, StoreError};
use crate::store::fresh;
use crate::store::{Keeping, Store};
use guild_manifest::Digest;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;

/// How much is read before it is written: no more is in memory but for one tree on each thread.
const MAX_HELD: u64 = 32 * 1024 * 1024;

/// A tree that was read, with the bytes that are to be kept.
struct Held {
    kept: Kept,
    blobs: Vec<(Digest, fresh::Content)>,
}

/// Reads trees; a failure says which one it is of. More than is held at once is written before this ends.
pub fn keep(store: &Store, contents: &[Content<'_>]) -> Result<(Vec<Kept>, Keeping), (usize, StageError)> {
    let mut writer = Writer::of_many(store);
    let mut trees = Vec::with_capacity(contents.len());
    while let Some(rest) = contents.get(trees.len()..).filter(|rest| !rest.is_empty()) {
        let mut blobs = Vec::new();
        let (first, held) = (trees.len(), read_some(rest, MAX_HELD));
        for held in held {
            let held = held.map_err(|error| (trees.len(), error))?;
            blobs.extend(held.blobs);
            trees.push(held.kept);
        }
        if first == 0 && trees.len() == contents.len() {
            // Without a thread for it, it is written here.
            if let Ok(keeping) = keep_beside(store, &blobs) {
                return Ok((trees, keeping));
            }
        }
        write(&mut writer, &blobs).map_err(|error| (first, error.into()))?;
    }
    writer.commit().map_err(|error| (0, error.into()))?;
    Ok((trees, Keeping::default()))
}

/// Writes contents on a thread of their own, for others to read meanwhile; not, where none can be had.
fn keep_beside(store: &Store, blobs: &[(Digest, fresh::Content)]) -> io::Result<Keeping> {
    let (beside, written) = (store.clone(), blobs.to_vec());
    let writing = thread::Builder::new().spawn(move || {
        let mut writer = Writer::of_many(&beside);
        write(&mut writer, &written)?;
        writer.commit()
    })?;
    Ok(store.fresh.keep(blobs, writing))
}

fn write(writer: &mut Writer<'_>, blobs: &[(Digest, fresh::Content)]) -> Result<(), StoreError> {
    blobs.iter().try_for_each(|(digest, bytes)| writer.add_as(*digest, bytes))
}

/// Reads the first trees, at least one, in their order, until they have so many bytes.
fn read_some(contents: &[Content<'_>], most: u64) -> Vec<Result<Held, StageError>> {
    let (next, size) = (AtomicUsize::new(0), AtomicU64::new(0));
    let work = || {
        let mut read = Vec::new();
        // Whatever a thread has taken it reads, so that none is left out before the last.
        while size.load(Ordering::Relaxed) < most
            && let at = next.fetch_add(1, Ordering::Relaxed)
            && let Some(content) = contents.get(at)
        {
            let held = hold(content);
            let sizes = held.iter().flat_map(|held| &held.blobs).map(|(_, bytes)| bytes.len() as u64);
            size.fetch_add(sizes.sum(), Ordering::Relaxed);
            read.push((at, held));
        }
        read
    };
    let (mut read, others) = both(work, work);
    read.extend(others);
    read.sort_by_key(|(at, _)| *at);
    read.into_iter().map(|(_, held)| held).collect()
}

/// Reads a tree.
fn hold(content: &Content<'_>) -> Result<Held, StageError> {
    let mut blobs = Vec::new();
    let add = |bytes: &[u8]| {
        let digest = Digest::of(bytes);
        blobs.push((digest, Arc::new(bytes.to_vec())));
        Ok(digest)
    };
    let mut staging = Staging { add, noted: Noted::default() };
    staging.take(content)?;
    let (kept, text) = staging.noted.into_kept()?;
    blobs.push((kept.digest, Arc::new(text.into_bytes())));
    Ok(Held { kept, blobs })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::MemoryFile;

    #[test]
    fn what_is_too_much_for_one_reading_comes_in_the_next_and_in_order() {
        let texts: Vec<String> = (0..100).map(|number| format!("number {number}")).collect();
        let file = |text| [MemoryFile { path: "SKILL.md", bytes: text, executable: false }];
        let files: Vec<[MemoryFile<'_>; 1]> = texts.iter().map(|text| file(text.as_bytes())).collect();
        let contents: Vec<Content<'_>> = files.iter().map(|files| Content::Memory(files)).collect();
        let digest = |content: &Content<'_>| hold(content).unwrap().kept.digest;
        let expected: Vec<Digest> = contents.iter().map(digest).collect();
        for most in [1, 1_000, u64::MAX] {
            let mut found = Vec::new();
            while found.len() < contents.len() {
                let read = read_some(&contents[found.len()..], most);
                assert!(!read.is_empty());
                found.extend(read.into_iter().map(|held| held.unwrap().kept.digest));
            }
            assert_eq!(found, expected);
        }
    }
}
