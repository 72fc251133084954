//! `rollback`: back to what was installed before the last update.

use super::place::{Scope, site};
use super::refetch::Refetch;
use super::remove::refuse_edited;
use super::select::one;
use super::settled::{Fate, settle};
use super::vetting::{self, Look};
use super::{Installer, failure};
use crate::reply::Changed;
use crate::{Code, Envelope, Refusal};
use guild_source::lock::{Entry, Previous};
use guild_source::site::{Change, Site};
use guild_source::store::Kept;

/// Puts back what was there before; what somebody has edited only where that is asked for.
pub async fn rollback(desk: &Installer<'_>, scope: Scope, name: &str, force: bool) -> Envelope<Changed> {
    let mut reply = Changed { scope: scope.word(), ..Changed::default() };
    match run(desk, (scope, name, force), &mut reply).await {
        Ok(()) => {
            let message = format!("`{name}` is what it was; `guild pin {name}` keeps updates from it");
            Envelope::ok(reply).with_message(message)
        }
        Err(Refusal { code, message }) => Envelope::error(code, message, reply),
    }
}

async fn run(
    desk: &Installer<'_>,
    (scope, name, force): (Scope, &str, bool),
    reply: &mut Changed,
) -> Result<(), Refusal> {
    let site = site(&desk.hall.machine, desk.places, scope)?;
    let before = site.read_lock().map_err(failure::of_site)?;
    let entry = one(&before, name)?.clone();
    let Some(earlier) = entry.previous.clone() else {
        let message = format!("{} `{name}` was never updated, so there is nothing to go back to", entry.kind);
        return Err(Refusal::new(Code::NothingBefore, message));
    };
    if !force {
        refuse_edited(&site, &entry)?;
    }
    let stored = earlier_files(desk, &site, &entry, &earlier).await?;
    let origin = earlier.origin(&entry.origin);
    let restored = Entry {
        previous: entry.before(&origin),
        origin,
        linked: false,
        digest: stored.digest,
        tree: stored.tree.clone(),
        ..entry
    };
    // The lock may be a stranger's, and say what never was here.
    reply.vetted = vetting::vet(desk, &[Look::of(&restored, &stored)?]);
    vetting::refuse_denied(&reply.vetted, "")?;
    let held = site.hold().map_err(failure::of_site)?;
    let mut lock = site.read_lock().map_err(failure::of_site)?;
    if lock != before {
        let message = format!("{} was changed meanwhile; run it again", site.lock_file().display());
        return Err(Refusal::new(Code::InstallConflict, message));
    }
    lock.put(restored.clone());
    let change =
        Change::Place { kind: restored.kind, name: &restored.name, tree: &restored.tree, from: None };
    reply.changes = settle(desk, &held, &[change], &lock, [(Fate::Updated, &restored)]).await?;
    Ok(())
}

/// The files of the earlier state, which are fetched again where another machine has installed it.
async fn earlier_files(
    desk: &Installer<'_>,
    site: &Site,
    entry: &Entry,
    earlier: &Previous,
) -> Result<Kept, Refusal> {
    let origin = earlier.origin(&entry.origin);
    let earlier = Entry { origin, linked: false, digest: earlier.digest, ..entry.clone() };
    Refetch::new(desk, site).locked(&earlier).await
}
