//! Everything that changes what is installed passes here: applied all at once, followed by the registry, and told to whoever asked.

use super::follow::{Statuses, announce, follow};
use super::{Installer, failure};
use crate::Refusal;
use crate::reply::InstalledChange;
use guild_source::lock::{Entry, Lock};
use guild_source::site::{Change, Held, Site};

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
        Ok(())
    } else {
        held.announce().map_err(failure::of_site)?;
        announce(desk, site, lock).await?;
        held.apply(desk.store, changes, lock).map_err(failure::of_site)
    };
    // Where nothing was applied the registry goes back to what is there.
    let stands = if applied.is_ok() { Ok(None) } else { site.read_lock().map(Some) };
    let followed = match stands.map_err(failure::of_site) {
        Ok(stands) => {
            follow(desk.registrar.as_ref(), desk.store, held, stands.as_ref().unwrap_or(lock)).await
        }
        Err(unread) => Err(unread),
    };
    applied?;
    let statuses = followed.map_err(|refusal| {
        let later = "everything is in its place, and the next command brings the registry up to date";
        Refusal::new(refusal.code, format!("{}; {later}", refusal.message))
    })?;
    Ok(fates.into_iter().map(|(fate, entry)| told(site, fate, entry, &statuses)).collect())
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
