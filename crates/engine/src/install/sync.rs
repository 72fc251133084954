//! `sync`: what the lock says, put into its place, on this machine too.
//!
//! What is in the store comes from there; the rest is fetched again, at the very commit, and has to have the very digest. What somebody
//! has edited is left alone unless they ask.

use super::drift::{Drift, drift};
use super::place::{Scope, site};
use super::preview::{previews, waiting};
use super::refetch::{Refetch, local_place};
use super::settled::{Fate, settle};
use super::vetting::{self, Look};
use super::{Installer, failure};
use crate::reply::{Changed, DriftLine, InstalledChange};
use crate::{Code, Envelope, Refusal};
use guild_source::lock::{Entry, Kind, Lock};
use guild_source::site::{Change, Site};
use std::path::PathBuf;

/// How to bring things into their place.
pub struct SyncRequest {
    /// Where.
    pub scope: Scope,
    /// Whether anything that differs from the lock is a failure, and that there is none.
    pub frozen: bool,
    /// Whether edits are replaced by what the lock says.
    pub replace: bool,
}

/// Puts everything into its place that the lock says.
pub async fn sync(desk: &Installer<'_>, request: &SyncRequest) -> Envelope<Changed> {
    let mut reply = Changed { scope: request.scope.word(), ..Changed::default() };
    match run(desk, request, &mut reply).await {
        Ok(()) => {
            let restored = reply.changes.iter().filter(|change| change.change != "unchanged").count();
            let edited = match reply.drift.len() {
                0 => String::new(),
                count => format!(", {count} with edits left alone (see `guild verify`)"),
            };
            let message = format!(
                "{restored} restored, {} as locked{edited}{}",
                reply.changes.len() - restored - reply.drift.len(),
                waiting(&reply.previews)
            );
            Envelope::ok(reply).with_message(message)
        }
        Err(Refusal { code, message }) => Envelope::error(code, message, reply),
    }
}

async fn run(desk: &Installer<'_>, request: &SyncRequest, reply: &mut Changed) -> Result<(), Refusal> {
    let site = site(&desk.hall.machine, desk.places, request.scope)?;
    let lock = site.read_lock().map_err(failure::of_site)?;
    if request.frozen && !site.lock_file().exists() {
        return Err(failure::of_missing_lock(&site));
    }
    let looked: Vec<(&Entry, Drift)> =
        lock.entries().iter().map(|entry| (entry, drift(&site, entry))).collect();
    let is_edited = |found: &Drift| matches!(found, Drift::Edited { .. });
    if !request.replace {
        let edited = looked.iter().filter(|(_, found)| is_edited(found));
        reply.drift = edited
            .map(|(entry, found)| DriftLine {
                name: entry.name.clone(),
                kind: entry.kind.word(),
                state: found.word(),
            })
            .collect();
    }
    if let Some(first) = reply.drift.first().filter(|_| request.frozen) {
        let message = format!(
            "{} `{}` is not what the lock says; `guild verify` shows what differs, `--replace` restores it",
            first.kind, first.name
        );
        return Err(Refusal::new(Code::SyncDrift, message));
    }
    let is_wanted = |found: &Drift| *found == Drift::Absent || request.replace && is_edited(found);
    let wanted: Vec<&Entry> =
        looked.iter().filter(|(_, found)| is_wanted(found)).map(|(entry, _)| *entry).collect();
    let stored = Refetch::new(desk, &site).all_locked(wanted.iter().copied()).await?;
    let looks: Vec<Look<'_>> =
        wanted.iter().zip(&stored).filter_map(|(entry, stored)| Look::of(entry, stored)).collect();
    reply.vetted = vetting::vet(desk, &looks);
    vetting::refuse_denied(&reply.vetted, "")?;
    reply.changes = place(desk, &site, &lock, &wanted).await?;
    reply.previews = previews(desk.store, &lock, &reply.changes);
    Ok(())
}

async fn place(
    desk: &Installer<'_>,
    site: &Site,
    lock: &Lock,
    wanted: &[&Entry],
) -> Result<Vec<InstalledChange>, Refusal> {
    if lock.entries().is_empty() && !site.is_unsettled().map_err(failure::of_site)? {
        return Ok(Vec::new());
    }
    let targets: Vec<PathBuf> = wanted.iter().map(|entry| local_place(site, entry)).collect();
    let mut changes = Vec::new();
    for (entry, target) in wanted.iter().zip(&targets) {
        let (kind, name): (Kind, &str) = (entry.kind, &entry.name);
        changes.push(if entry.linked {
            Change::Link { kind, name, target }
        } else {
            Change::Place { kind, name, tree: &entry.tree, from: None }
        });
    }
    let held = site.hold().map_err(failure::of_site)?;
    // Somebody may have written another lock while this one was carried out.
    if site.read_lock().map_err(failure::of_site)? != *lock {
        let message = format!("{} was changed meanwhile; run it again", site.lock_file().display());
        return Err(Refusal::new(Code::InstallConflict, message));
    }
    let fate = |entry: &Entry| {
        let is_wanted = wanted.iter().any(|wanted| std::ptr::eq(*wanted, entry));
        if is_wanted { Fate::Installed } else { Fate::Unchanged }
    };
    let fates = lock.entries().iter().map(|entry| (fate(entry), entry));
    settle(desk, &held, &changes, lock, fates).await
}
