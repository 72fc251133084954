//! `pin`: what updates leave alone, until somebody says otherwise.

use super::place::{Scope, site};
use super::select::select;
use super::settled::{Fate, settle};
use super::{Installer, failure};
use crate::reply::Changed;
use crate::{Envelope, Refusal};
use guild_source::lock::Entry;

/// Pins what is installed at what it is, or lets updates have it again.
pub async fn pin(desk: &Installer<'_>, scope: Scope, names: &[String], pinned: bool) -> Envelope<Changed> {
    match run(desk, scope, names, pinned).await {
        Ok(reply) => {
            let word = if pinned { "pinned" } else { "no longer pinned" };
            let message = format!("{} {word}", reply.changes.len());
            Envelope::ok(reply).with_message(message)
        }
        Err(refusal) => refusal.into_envelope(),
    }
}

async fn run(desk: &Installer<'_>, scope: Scope, names: &[String], pinned: bool) -> Result<Changed, Refusal> {
    let site = site(&desk.hall.machine, desk.places, scope)?;
    let held = site.hold().map_err(failure::of_site)?;
    let mut lock = site.read_lock().map_err(failure::of_site)?;
    let entries: Vec<Entry> = select(&lock, names)?.into_iter().cloned().collect();
    for entry in &entries {
        lock.put(Entry { pinned, ..entry.clone() });
    }
    let fates = entries.iter().map(|entry| (Fate::Unchanged, entry));
    let changes = settle(desk, &held, &[], &lock, fates).await?;
    Ok(Changed { scope: scope.word(), changes, ..Changed::default() })
}
