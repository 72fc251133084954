//! `sync`: what the lock says, put into its place, on this machine too.
//!
//! What is in the store comes from there; the rest is fetched again, at the very commit, and has to have the very digest. What somebody
//! has edited is left alone unless they ask.

use super::drift::{Drift, drift};
use super::place::{Scope, site};
use super::preview::{previews, waiting};
use super::refetch::{Refetch, local_place};
use super::remembered::{Remembered, Stray};
use super::settled::{Fate, settle};
use super::vetting::{self, Look};
use super::{Installer, failure};
use crate::link::unlink;
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

/// What was found, and is to be done about it.
struct Found<'l> {
    /// What is to be put into its place, and what becomes of it then.
    wanted: Vec<(&'l Entry, Fate)>,
    /// What the lock does not name any more, and is to go.
    strays: Vec<Stray>,
    /// How many entries are left alone with edits.
    edited: usize,
}

/// Installs what the lock says.
pub async fn sync(desk: &Installer<'_>, request: &SyncRequest) -> Envelope<Changed> {
    let mut reply = Changed { scope: request.scope.word(), ..Changed::default() };
    match run(desk, request, &mut reply).await {
        Ok(edited) => {
            let count = |wanted: &[&str]| {
                reply.changes.iter().filter(|change| wanted.contains(&change.change)).count()
            };
            let restored = format!("{} restored", count(&["installed", "updated"]));
            let locked = format!("{} as locked", count(&["unchanged"]).saturating_sub(edited));
            let removed = count(&["removed"]);
            let removed = (removed > 0).then(|| format!("{removed} removed, as the lock has it"));
            let left = reply.drift.len();
            let left = (left > 0).then(|| format!("{left} with edits left alone (see `guild verify`)"));
            let parts = [Some(restored), Some(locked), removed, left].into_iter().flatten();
            let parts = parts.collect::<Vec<_>>().join(", ");
            let message = format!("{parts}{}", waiting(&reply.previews));
            Envelope::ok(reply).with_message(message)
        }
        Err(Refusal { code, message }) => Envelope::error(code, message, reply),
    }
}

/// Installs it, and says how many entries were left alone with edits.
async fn run(desk: &Installer<'_>, request: &SyncRequest, reply: &mut Changed) -> Result<usize, Refusal> {
    let site = site(&desk.hall.machine, desk.places, request.scope)?;
    let lock = site.read_lock().map_err(failure::of_site)?;
    if request.frozen && !site.lock_file().exists() {
        return Err(failure::of_missing_lock(&site));
    }
    let found = look(desk, request, &site, &lock, &mut reply.drift).await?;
    if let Some(first) = reply.drift.first().filter(|_| request.frozen) {
        return Err(drifted(first));
    }
    let wanted = || found.wanted.iter().map(|(entry, _)| *entry);
    let stored = Refetch::new(desk, &site).all_locked(wanted()).await?;
    let looks: Vec<Look<'_>> =
        wanted().zip(&stored).map(|(entry, stored)| Look::of(entry, stored)).collect::<Result<_, _>>()?;
    reply.vetted = vetting::vet(desk, &looks);
    vetting::refuse_denied(&reply.vetted, "")?;
    reply.changes = place(desk, &site, &lock, &found).await?;
    reply.previews = previews(desk.store, &lock, &reply.changes);
    Ok(found.edited)
}

/// Looks at everything that is there. What differs and is left alone is told.
async fn look<'l>(
    desk: &Installer<'_>,
    request: &SyncRequest,
    site: &Site,
    lock: &'l Lock,
    told: &mut Vec<DriftLine>,
) -> Result<Found<'l>, Refusal> {
    let looked: Vec<(&Entry, Drift)> =
        lock.entries().iter().map(|entry| (entry, drift(site, entry))).collect();
    let is_edited = |found: &Drift| matches!(found, Drift::Edited { .. });
    let differs = looked.iter().any(|(_, found)| is_edited(found));
    let remembered = Remembered::of(desk, site, lock, differs).await?;
    let mut found = Found { wanted: Vec::new(), strays: Vec::new(), edited: 0 };
    for (entry, state) in looked {
        let (kind, name) = (entry.kind.word(), entry.name.clone());
        match state {
            Drift::Absent => found.wanted.push((entry, Fate::Installed)),
            Drift::Edited { .. } if request.replace => found.wanted.push((entry, Fate::Installed)),
            // It is what another lock said, and nobody has touched it since.
            Drift::Edited { .. } if !request.frozen && remembered.has_untouched(site, entry) => {
                found.wanted.push((entry, Fate::Updated));
            }
            Drift::Edited { .. } => {
                found.edited += 1;
                told.push(DriftLine { name, kind, state: state.word() });
            }
            Drift::None | Drift::Linked => {}
        }
    }
    let (go, stay): (Vec<Stray>, Vec<Stray>) = remembered
        .strays(site, lock)
        .into_iter()
        .partition(|stray| if request.frozen { request.replace } else { stray.may_go(request.replace) });
    told.extend(stay.iter().map(Stray::line));
    found.strays = go;
    Ok(found)
}

fn drifted(DriftLine { name, kind, state }: &DriftLine) -> Refusal {
    let message = if *state == "extra" {
        format!(
            "{kind} `{name}` was installed here, and the lock does not name it any more; `guild sync` takes it away"
        )
    } else {
        format!(
            "{kind} `{name}` is not what the lock says; `guild verify` shows what differs, `--replace` restores it"
        )
    };
    Refusal::new(Code::SyncDrift, message)
}

/// Puts what is wanted into its place and takes away what is not, unless somebody has changed the lock meanwhile. The registry follows in
/// any case: the lock may have come with the project.
async fn place(
    desk: &Installer<'_>,
    site: &Site,
    lock: &Lock,
    found: &Found<'_>,
) -> Result<Vec<InstalledChange>, Refusal> {
    let is_empty = lock.entries().is_empty() && found.strays.is_empty();
    if is_empty && !site.is_unsettled().map_err(failure::of_site)? {
        return Ok(Vec::new());
    }
    let targets: Vec<PathBuf> = found.wanted.iter().map(|(entry, _)| local_place(site, entry)).collect();
    let mut changes = Vec::new();
    for ((entry, _), target) in found.wanted.iter().zip(&targets) {
        let (kind, name): (Kind, &str) = (entry.kind, &entry.name);
        changes.push(if entry.linked {
            Change::Link { kind, name, target }
        } else {
            Change::Place { kind, name, tree: &entry.tree, from: None }
        });
    }
    changes.extend(found.strays.iter().map(Stray::removal));
    let held = site.hold().map_err(failure::of_site)?;
    // Somebody may have written another lock while this one was carried out.
    if site.read_lock().map_err(failure::of_site)? != *lock {
        let message = format!("{} was changed meanwhile; run it again", site.lock_file().display());
        return Err(Refusal::new(Code::InstallConflict, message));
    }
    let fate = |entry: &Entry| {
        let known = found.wanted.iter().find(|(wanted, _)| std::ptr::eq(*wanted, entry));
        known.map_or(Fate::Unchanged, |(_, fate)| *fate)
    };
    let fates = lock.entries().iter().map(|entry| (fate(entry), entry));
    let mut made = settle(desk, &held, &changes, lock, fates).await?;
    let places: Vec<PathBuf> = found.strays.iter().map(|stray| stray.place().to_owned()).collect();
    unlink(desk.places, &places).ok();
    made.extend(found.strays.iter().map(Stray::removed));
    Ok(made)
}
