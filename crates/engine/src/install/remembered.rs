//! What was installed on this machine before the lock said something else, as the registry remembers it.
//!
//! A lock is shared: somebody else updates a skill or removes one, and their lock arrives here. What still lies in its place as it was
//! installed then is nobody's edit, so that nothing of anybody's is lost with it.

use super::Installer;
use super::follow::{known, was_installed};
use crate::Refusal;
use crate::reply::{DriftLine, InstalledChange};
use guild_ledger::Subject;
use guild_manifest::Digest;
use guild_source::lock::{Entry, Kind, Lock};
use guild_source::site::{Change, Site};
use guild_source::store::scan_installed;
use std::fs;
use std::path::Path;

/// What was installed here.
#[derive(Default)]
pub struct Remembered(Vec<Subject>);

/// Something that was installed here and that the lock does not name any more.
pub struct Stray {
    kind: Kind,
    subject: Subject,
    /// Whether it is as it was installed; else somebody may have written something in it.
    is_intact: bool,
}

impl Remembered {
    /// What the registry remembers of a site. It is not asked where everything that is there is in the lock.
    pub async fn of(desk: &Installer<'_>, site: &Site, lock: &Lock, differs: bool) -> Result<Self, Refusal> {
        let is_more = |(kind, name): (Kind, String)| lock.get(kind, &name).is_none();
        let asks = differs || site.lock_file().exists() && site.names().into_iter().any(is_more);
        match desk.registrar.as_ref().filter(|_| asks) {
            Some(registrar) => {
                let rows = known(registrar).await?.into_iter().filter(|row| was_installed(site, row));
                Ok(Self(rows.map(|row| row.subject).collect()))
            }
            None => Ok(Self::default()),
        }
    }

    /// Whether the place of an entry holds what was last installed there, every byte of it.
    pub fn has_untouched(&self, site: &Site, entry: &Entry) -> bool {
        let place = site.place(entry.kind, &entry.name);
        let subject = self.0.iter().find(|subject| Path::new(&subject.place) == place);
        subject.and_then(|subject| subject.digest).is_some_and(|digest| is_intact(&place, &digest))
    }

    /// What was installed here and is here still, although the lock does not name it. Of a lock that is gone nothing is told: then
    /// everything would be.
    pub fn strays(self, site: &Site, lock: &Lock) -> Vec<Stray> {
        let stray = |subject: Subject| {
            let place = Path::new(&subject.place);
            let kind = [Kind::Skill, Kind::Plugin].into_iter().find(|kind| site.holds(*kind, place))?;
            let name = place.file_name()?.to_str()?;
            let is_there = lock.get(kind, name).is_none() && fs::symlink_metadata(place).is_ok();
            let is_intact = is_there && is_intact(place, &subject.digest?);
            is_there.then_some(Stray { kind, subject, is_intact })
        };
        if site.lock_file().exists() { self.0.into_iter().filter_map(stray).collect() } else { Vec::new() }
    }
}

impl Stray {
    /// Whether it may go: it is as it was installed, or what was edited is to go too.
    pub fn may_go(&self, replace: bool) -> bool {
        self.is_intact || replace
    }

    /// Its name.
    pub fn name(&self) -> &str {
        self.place().file_name().and_then(|name| name.to_str()).unwrap_or_default()
    }

    /// Where it lies.
    pub fn place(&self) -> &Path {
        Path::new(&self.subject.place)
    }

    /// Taking it away.
    pub fn removal(&self) -> Change<'_> {
        Change::Remove { kind: self.kind, name: self.name() }
    }

    /// That it is here.
    pub fn line(&self) -> DriftLine {
        DriftLine { name: self.name().to_owned(), kind: self.kind.word(), state: "extra" }
    }

    /// That it went.
    pub fn removed(&self) -> InstalledChange {
        InstalledChange {
            name: self.name().to_owned(),
            kind: self.kind.word(),
            change: "removed",
            status: None,
            path: self.subject.place.clone(),
            digest: self.subject.digest.map(|digest| digest.to_string()).unwrap_or_default(),
            resolved: self.subject.resolved.clone(),
            source: self.subject.source.clone(),
        }
    }
}

/// Whether a directory has exactly the files of this digest. A link is somebody's own.
fn is_intact(place: &Path, digest: &Digest) -> bool {
    let is_directory = fs::symlink_metadata(place).is_ok_and(|there| there.is_dir());
    is_directory && scan_installed(place).is_ok_and(|tree| tree.digest() == *digest)
}
