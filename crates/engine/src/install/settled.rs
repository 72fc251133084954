//! Everything that changes what is installed passes here: applied all at once, followed by the registry, and told to whoever asked.

use super::follow::{Statuses, announce, follow, follow_ahead};
use super::{Installer, failure};
use crate::Refusal;
use crate::reply::InstalledChange;
use guild_source::lock::{Entry, Lock};
use guild_source::site::{Change, Held, Site, SiteError, Staged};
use std::panic::resume_unwind;
use std::time::Duration;
use tokio::task::{JoinError, spawn_blocking};
use tokio::time::timeout;

/// How long other writers of the books wait for a disk that takes its time with what is installed.
const PATIENCE: Duration = Duration::from_secs(1);

/// What has become of something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It was not there.
    Installed,
    /// It was there, and is another one now.
    Updated,
    /// It is not there any more.
    Removed,
    /// It is as it was.
    Unchanged,
}

impl Fate {
    const fn word(self) -> &'static str {
        match self {
            Self::Installed => "installed",
            Self::Updated => "updated",
            Self::Removed => "removed",
            Self::Unchanged => "unchanged",
        }
    }
}

/// Makes changes, and the lock that says so, all at once; then the registry follows, and what has become of each entry is told.
///
/// A note outlives whoever is killed in between, so that the next one lets the registry follow.
pub async fn settle<'e>(
    desk: &Installer<'_>,
    held: &Held<'_>,
    changes: &[Change<'_>],
    lock: &Lock,
    fates: impl IntoIterator<Item = (Fate, &'e Entry)>,
) -> Result<Vec<InstalledChange>, Refusal> {
    let site = held.site();
    let is_so = changes.is_empty() && site.read_lock().map_err(failure::of_site)? == *lock;
    let applied = if is_so {
        Ok(None)
    } else {
        held.announce().map_err(failure::of_site)?;
        announce(desk, site, lock).await?;
        match held.stage(desk.store, changes, lock) {
            Ok(staged) => make(desk, held, lock, staged).await,
            Err(error) => Err(error),
        }
    };
    let applied = applied.map_err(failure::of_site);
    let followed = match &applied {
        Ok(Some(statuses)) => Ok(statuses.clone()),
        Ok(None) => follow(desk.registrar.as_ref(), desk.store, held, lock).await,
        // Where nothing was applied the registry goes back to what is there.
        Err(_) => match site.read_lock().map_err(failure::of_site) {
            Ok(stands) => follow(desk.registrar.as_ref(), desk.store, held, &stands).await,
            Err(unread) => Err(unread),
        },
    };
    applied?;
    let statuses = followed.map_err(|refusal| {
        let later = "everything is in its place, and the next command brings the registry up to date";
        Refusal::new(refusal.code, format!("{}; {later}", refusal.message))
    })?;
    Ok(fates.into_iter().map(|(fate, entry)| told(site, fate, entry, &statuses)).collect())
}

/// Makes what is staged, and lets the registry follow meanwhile, where it can be told ahead what will be there.
///
/// Both wait for the disk and both are work; what the registry says counts once everything is in its place, and not before.
async fn make(
    desk: &Installer<'_>,
    held: &Held<'_>,
    lock: &Lock,
    staged: Staged,
) -> Result<Option<Statuses>, SiteError> {
    // The first head's syncs would wait behind those of the changes. Where even that cannot be written nothing is tried ahead.
    let registrar = match &desk.registrar {
        Some(registrar) if registrar.books.ledger.begin_chain(registrar.now).await.is_ok() => Some(registrar),
        _ => None,
    };
    let mut making = spawn_blocking(move || staged.make());
    let mut made = None;
    let is_made = async {
        made = timeout(PATIENCE, &mut making).await.ok().map(ended);
        matches!(made, Some(Ok(())))
    };
    let followed = match registrar {
        Some(registrar) => follow_ahead(registrar, desk.store, held, lock, is_made).await,
        None => {
            drop(is_made);
            Ok(None)
        }
    };
    match made {
        Some(made) => made?,
        None => ended(making.await)?,
    }
    // Whatever kept the registry from it is told by whoever lets it follow now.
    Ok(followed.unwrap_or_default())
}

/// How a thread has ended.
fn ended<T>(joined: Result<T, JoinError>) -> T {
    joined.unwrap_or_else(|error| resume_unwind(error.into_panic()))
}

fn told(site: &Site, fate: Fate, entry: &Entry, statuses: &Statuses) -> InstalledChange {
    let path = site.place(entry.kind, &entry.name).to_string_lossy().into_owned();
    InstalledChange {
        name: entry.name.clone(),
        kind: entry.kind.word(),
        change: fate.word(),
        status: statuses.get(&path).copied(),
        path,
        digest: entry.digest.to_string(),
        resolved: entry.origin.resolved.clone(),
        source: entry.origin.source.clone(),
    }
}
