//! Removing what nobody refers to any more.
//!
//! What stays is what the caller names, what was written or used again since a moment, and whatever those name in turn: every text of 64
//! hexadecimal digits in a document that is the digest of something here counts as a reference. Rather too much stays than too little.
//! Whoever adds meanwhile waits: what is there already is relied on only by somebody who has made it count as new before.

mod inventory;
mod names;

use super::error::StoreError;
use super::pack::PackWriter;
use super::workspace::Workspace;
use super::{Store, failed, turn};
use guild_manifest::Digest;
use inventory::{Inventory, PackFile};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::time::SystemTime;

pub use names::digests_in;

/// What documents begin with: trees, and what security hashes stand for. Only those are looked into for names.
const DOCUMENT: u8 = b'{';

/// A store to which nobody adds meanwhile.
#[derive(Debug)]
pub struct Still<'a> {
    store: &'a Store,
    _turn: Option<File>,
}

/// What is to be done with what nobody refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// It is counted.
    Count,
    /// It is removed.
    Remove,
}

/// What stays, and what goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Swept {
    /// How many blobs, logs and trees stay.
    pub kept: usize,
    /// How many of them go.
    pub removed: usize,
    /// How many bytes that frees.
    pub freed: u64,
}

impl Store {
    /// Waits until nobody is adding anything, and keeps everybody from it.
    ///
    /// # Errors
    /// Where the lock cannot be had.
    pub fn still(&self) -> Result<Still<'_>, StoreError> {
        Ok(Still { store: self, _turn: turn::alone(self)? })
    }
}

impl Still<'_> {
    /// Removes everything that is older than `since` and that nothing refers to, beginning at `roots`.
    ///
    /// Whoever is killed has removed a part of it, and of nothing else.
    ///
    /// # Errors
    /// Where something cannot be read or removed.
    pub fn sweep(
        &self,
        roots: &BTreeSet<Digest>,
        since: SystemTime,
        manner: Manner,
    ) -> Result<Swept, StoreError> {
        let inventory = Inventory::take(self.store)?;
        let marked = self.mark(&inventory, roots, since);
        let mut swept = Swept::default();
        let is_old = |modified: SystemTime| modified < since;
        for item in inventory.blobs.iter().chain(&inventory.logs) {
            let goes = is_old(item.modified) && !marked.contains(&item.digest);
            swept.count(goes, item.bytes);
            if goes && manner == Manner::Remove {
                remove(&item.path)?;
            }
        }
        for item in &inventory.trees {
            // One that is needed again is made again.
            let goes = is_old(item.modified) && !marked.contains(&item.digest);
            swept.count(goes, item.bytes);
            if goes && manner == Manner::Remove {
                self.remove_tree(&item.path)?;
            }
        }
        for pack in &inventory.packs {
            self.sweep_pack(pack, &marked, manner, &mut swept)?;
        }
        Ok(swept)
    }

    /// Everything that is referred to, by the roots, by what is new, and by what those refer to.
    fn mark(&self, inventory: &Inventory, roots: &BTreeSet<Digest>, since: SystemTime) -> BTreeSet<Digest> {
        let new = inventory.since(since);
        let mut open: Vec<Digest> = roots.iter().copied().chain(new).collect();
        let mut marked = BTreeSet::new();
        while let Some(digest) = open.pop() {
            if !marked.insert(digest) || !inventory.has(&digest) {
                continue;
            }
            // What is damaged names nothing that could be relied on.
            let bytes = self.store.get(&digest).unwrap_or_default();
            if bytes.first() == Some(&DOCUMENT) {
                open.extend(digests_in(&bytes).filter(|named| inventory.has(named)));
            }
        }
        marked
    }

    /// Removes a tree that nobody finds any more then.
    fn remove_tree(&self, place: &Path) -> Result<(), StoreError> {
        let workspace = Workspace::new(self.store)?;
        let aside = workspace.path().join("tree");
        match fs::rename(place, &aside) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed("remove", place)(error)),
            _ => Ok(()),
        }
    }

    /// Removes a pack of which nothing stays, and writes one anew of which little does.
    fn sweep_pack(
        &self,
        pack: &PackFile,
        marked: &BTreeSet<Digest>,
        manner: Manner,
        swept: &mut Swept,
    ) -> Result<(), StoreError> {
        let (stays, goes): (Vec<_>, Vec<_>) = pack.sizes().partition(|(digest, _)| marked.contains(digest));
        let bytes = |part: &[(Digest, u64)]| part.iter().map(|(_, size)| size).sum::<u64>();
        // Writing everything anew for a little would cost more than it frees.
        let is_worth_it = !goes.is_empty() && bytes(&goes) >= bytes(&stays);
        if !is_worth_it {
            swept.kept += stays.len() + goes.len();
            return Ok(());
        }
        swept.kept += stays.len();
        swept.removed += goes.len();
        swept.freed += bytes(&goes);
        if manner == Manner::Count {
            return Ok(());
        }
        if !stays.is_empty() {
            let workspace = Workspace::new(self.store)?;
            let mut writer = PackWriter::create(&workspace.path().join("pack"))?;
            for (digest, _) in &stays {
                writer.add(*digest, &self.store.get(digest)?)?;
            }
            // It has its name before the old one goes.
            writer.finish(self.store)?;
        }
        remove(&pack.path)?;
        self.store.packs.refresh(self.store);
        Ok(())
    }
}

impl Swept {
    fn count(&mut self, goes: bool, bytes: u64) {
        if goes {
            self.removed += 1;
            self.freed += bytes;
        } else {
            self.kept += 1;
        }
    }
}

fn remove(path: &Path) -> Result<(), StoreError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed("remove", path)(error)),
        _ => Ok(()),
    }
}
