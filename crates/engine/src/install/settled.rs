//! Everything that has changed passes here, once it is durable: told to whoever asked, and to whoever follows what is installed.

use crate::reply::InstalledChange;
use guild_source::lock::Entry;
use guild_source::site::Site;

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

/// Tells what has become of each entry. The lock and the files agree by now: whatever follows the lock is brought up to date from here.
pub fn settled<'e>(
    site: &Site,
    changes: impl IntoIterator<Item = (Fate, &'e Entry)>,
) -> Vec<InstalledChange> {
    let change = |(fate, entry): (Fate, &Entry)| InstalledChange {
        name: entry.name.clone(),
        kind: entry.kind.word(),
        change: fate.word(),
        path: site.place(entry.kind, &entry.name).to_string_lossy().into_owned(),
        digest: entry.digest.to_string(),
        resolved: entry.origin.resolved.clone(),
        source: entry.origin.source.clone(),
    };
    changes.into_iter().map(change).collect()
}
