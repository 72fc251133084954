//! `remove`: out of its place and out of the lock, all at once.

use super::drift::drift;
use super::place::{Scope, site};
use super::remembered::Remembered;
use super::select::select;
use super::settled::{Fate, settle};
use super::{Installer, failure};
use crate::link::unlink;
use crate::registry::can_be_missed;
use crate::reply::Changed;
use crate::{Code, Envelope, Refusal};
use guild_source::lock::{Entry, Kind};
use guild_source::site::{Change, Site};
use std::path::{Path, PathBuf};

/// What to remove.
pub struct RemoveRequest<'a> {
    /// By name.
    pub names: &'a [String],
    /// From where.
    pub scope: Scope,
    /// Whether edits of one's own go too.
    pub force: bool,
}

/// Removes what was installed; what somebody has edited only where that is asked for.
pub async fn remove(desk: &Installer<'_>, request: &RemoveRequest<'_>) -> Envelope<Changed> {
    match run(desk, request).await {
        Ok(reply) => {
            let message = format!("{} removed", reply.changes.len());
            Envelope::ok(reply).with_message(message)
        }
        Err(refusal) => refusal.into_envelope(),
    }
}

async fn run(desk: &Installer<'_>, request: &RemoveRequest<'_>) -> Result<Changed, Refusal> {
    let site = site(&desk.hall.machine, desk.places, request.scope)?;
    let held = site.hold().map_err(failure::of_site)?;
    let mut lock = site.read_lock().map_err(failure::of_site)?;
    let entries: Vec<Entry> = select(&lock, request.names)?.into_iter().cloned().collect();
    if !request.force {
        let remembered = Remembered::of(desk, &site, &lock, true).await?;
        let mut touched = entries.iter().filter(|entry| !remembered.has_untouched(&site, entry));
        touched.try_for_each(|entry| refuse_edited(&site, entry))?;
    }
    refuse_needed(desk, &site, &entries)?;
    let mut changes = Vec::new();
    for Entry { kind, name, .. } in &entries {
        lock.remove(*kind, name);
        changes.push(Change::Remove { kind: *kind, name });
    }
    let fates = entries.iter().map(|entry| (Fate::Removed, entry));
    let changes = settle(desk, &held, &changes, &lock, fates).await?;
    // A link to nothing in another agent's directory would be a riddle; that it stays is no reason to fail.
    let targets: Vec<PathBuf> = entries.iter().map(|entry| site.place(entry.kind, &entry.name)).collect();
    unlink(desk.places, &targets).ok();
    Ok(Changed { scope: request.scope.word(), changes, ..Changed::default() })
}

/// Refuses to take a plugin from under another one that is on and stays.
fn refuse_needed(desk: &Installer<'_>, site: &Site, entries: &[Entry]) -> Result<(), Refusal> {
    let plugins = entries.iter().filter(|entry| entry.kind == Kind::Plugin);
    let is_leaving = |name: &str| plugins.clone().any(|entry| entry.name == name);
    plugins.clone().try_for_each(|entry| {
        let place = site.place(entry.kind, &entry.name);
        // One that another of its name hides is nobody's need.
        let mut known = desk.hall.snapshot.plugins.iter();
        let here = known.find(|known| is_same(&known.directory, &place));
        here.map_or(Ok(()), |here| can_be_missed(desk.hall, &here.plugin.name, is_leaving))
    })
}

fn is_same(one: &Path, other: &Path) -> bool {
    one == other || one.canonicalize().is_ok_and(|one| other.canonicalize().is_ok_and(|other| one == other))
}

/// Refuses to lose what somebody has written.
pub fn refuse_edited(site: &Site, entry: &Entry) -> Result<(), Refusal> {
    if !drift(site, entry).has_edits() {
        return Ok(());
    }
    let message = format!(
        "{} `{}` has edits of yours, which would be lost: see `guild verify {}`; `--force` goes on without them",
        entry.kind, entry.name, entry.name
    );
    Err(Refusal::new(Code::LocallyEdited, message))
}
