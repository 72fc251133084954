//! Layers to a tree: each entry of an archive made beneath one directory, and nowhere else.
//!
//! Links are kept as they are and never followed. Devices, pipes and sockets are left out. Owners, extended attributes and set-id
//! bits are not kept: everything belongs to whoever unpacks, can be read by everybody, and is executable or not. A root file system
//! is only ever read, by an unprivileged user, and holds no secret of the host; so the bits of an image's own users mean nothing.

mod beneath;
mod name;

use std::borrow::Cow;
use std::collections::HashSet;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::rc::Rc;

use tar::{Archive, Entry, EntryType};

use self::beneath::Beneath;
use self::name::{Name, Whiteout};
use super::error::{ImageError, Refusal, shown};
use super::guard::Guard;
use super::limits::{Budget, Limits};

/// Unpacks the layers of one image, lowest first.
pub struct Unpacker {
    root: Beneath,
    budget: Budget,
    /// What this layer has made: what takes things away spares it.
    made: HashSet<Vec<u8>>,
    /// What has taken things away in this layer. A second time there is nothing left to take, and to look for it may take for ever.
    taken: HashSet<Vec<u8>>,
    /// Entries that were left out.
    pub skipped: u64,
}

impl Unpacker {
    /// Unpacks into an empty directory that nobody else touches meanwhile.
    pub fn new(root: OwnedFd, limits: Limits) -> Unpacker {
        let budget = Budget::new(limits);
        Unpacker { root: Beneath::new(root), budget, made: HashSet::new(), taken: HashSet::new(), skipped: 0 }
    }

    /// Lays one archive over what is there; `what` names it in errors. The archive is read to its very end. Says whether it had
    /// an end of its own, without which it may have been cut between two entries.
    pub fn apply(&mut self, what: &str, layer: impl Read) -> Result<bool, ImageError> {
        self.made.clear();
        self.taken.clear();
        let guard = Guard::new(layer);
        let watch = Rc::clone(&guard.watch);
        let mut archive = Archive::new(guard);
        let reading = |error| ImageError::reading(what, error);
        let mut entries = archive.entries().map_err(reading)?;
        loop {
            watch.expect_header();
            let Some(entry) = entries.next() else { break };
            let mut entry = entry.map_err(reading)?;
            watch.expect_data();
            self.budget.take_entries(1).map_err(refused(what))?;
            self.make(what, &mut entry)?;
            // Whatever lies deep brings the directories above it, of which it has paid for one.
            let implied = self.root.take_made().saturating_sub(1);
            self.budget.take_entries(implied).map_err(refused(what))?;
            io::copy(&mut entry, &mut io::sink()).map_err(reading)?;
        }
        let is_closed = watch.has_ended();
        watch.expect_data();
        io::copy(&mut archive.into_inner(), &mut io::sink()).map_err(reading)?;
        Ok(is_closed)
    }

    fn make<R: Read>(&mut self, what: &str, entry: &mut Entry<'_, R>) -> Result<(), ImageError> {
        let path = entry.path_bytes().into_owned();
        let name = Name::parse(&path)?;
        let Some((_, last)) = name.split() else {
            // The root itself, which is there.
            return Ok(());
        };
        if let Some(whiteout) = Whiteout::parse(last, &path)? {
            self.budget.take_text(&path).map_err(refused(what))?;
            let is_first = self.taken.insert(name.joined());
            return if is_first { self.take_away(&name, &whiteout) } else { Ok(()) };
        }
        let kind = match entry.header().entry_type() {
            // Archives from before there were types say it by a slash.
            EntryType::Regular if path.ends_with(b"/") => EntryType::Directory,
            kind => kind,
        };
        match kind {
            EntryType::Directory => self.root.directory(&name)?,
            EntryType::Regular | EntryType::Continuous | EntryType::GNUSparse => {
                self.file(what, &name, entry)?;
            }
            EntryType::Symlink => {
                let target = link_target(entry, &path)?;
                self.root.symlink(&name, &target)?;
            }
            EntryType::Link => {
                let target = link_target(entry, &path)?;
                self.root.link(&name, &Name::parse(&target)?)?;
            }
            EntryType::XGlobalHeader => return Ok(()),
            _ => {
                self.skipped += 1;
                return Ok(());
            }
        }
        self.remember(&name).map_err(refused(what))
    }

    fn file<R: Read>(
        &mut self,
        what: &str,
        name: &Name<'_>,
        entry: &mut Entry<'_, R>,
    ) -> Result<(), ImageError> {
        let size = entry.size();
        // Before anything is written: an entry's size is known from its header.
        self.budget.take_bytes(size).map_err(refused(what))?;
        let header = entry.header();
        let executable = header.mode().unwrap_or(0) & 0o111 != 0;
        let modified = header.mtime().unwrap_or(0);
        let written = self.root.file(name, executable, modified, entry)?;
        if written != size {
            let reason = format!("`{}` is cut short", shown(&name.joined()));
            return Err(ImageError::invalid(what, reason));
        }
        Ok(())
    }

    /// Removes what lower layers hold, and spares what this one has made.
    fn take_away(&mut self, name: &Name<'_>, whiteout: &Whiteout<'_>) -> Result<(), ImageError> {
        match whiteout {
            Whiteout::One(sibling) => self.root.prune(&name.sibling(sibling), &self.made),
            Whiteout::Everything => self.root.empty(&name.parent(), &self.made),
            Whiteout::Bookkeeping => Ok(()),
        }
    }

    /// Notes that this layer has made something, and with it the directories above.
    fn remember(&mut self, name: &Name<'_>) -> Result<(), Refusal> {
        let mut path = name.joined();
        while !path.is_empty() && !self.made.contains(&path) {
            self.budget.take_text(&path)?;
            self.made.insert(path.clone());
            path.truncate(path.iter().rposition(|byte| *byte == b'/').unwrap_or(0));
        }
        Ok(())
    }
}

fn refused(what: &str) -> impl Fn(Refusal) -> ImageError {
    move |refusal| ImageError::reading(what, refusal.into())
}

fn link_target<R: Read>(entry: &Entry<'_, R>, path: &[u8]) -> Result<Vec<u8>, ImageError> {
    const LONGEST: usize = 4096;
    let target = entry.link_name_bytes().map(Cow::into_owned).unwrap_or_default();
    if target.is_empty() || target.len() >= LONGEST || target.contains(&0) {
        return Err(ImageError::invalid(shown(path), "it is a link to nothing that can be a path"));
    }
    Ok(target)
}
