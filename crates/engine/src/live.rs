//! The last good hall, kept while refreshes come and go: readers have a whole one at any moment.
//!
//! It neither sleeps nor watches by itself: whoever holds it decides when to look again.

use crate::Refusal;
use crate::hall::{ConfigFile, Hall};
use crate::registry::{RegistryCache, Viewed, merge};
use crate::reply::Registry;
use guild_catalog::{Fingerprint, Freshness, Machine, Status};
use guild_manifest::Problem;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::SystemTime;

/// A hall that can be refreshed under its readers.
#[derive(Debug)]
pub struct Live {
    current: RwLock<Arc<Hall>>,
    /// One refresh at a time, so that an earlier look never replaces a later one.
    refreshing: Mutex<()>,
    /// What its plugins bring, merged.
    merged: RegistryCache<Registry>,
}

/// What a refresh changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changes {
    /// Skills that were not there before, by name.
    pub added: Vec<Change>,
    /// Skills that are not there any more, by name.
    pub removed: Vec<Change>,
    /// Skills whose file, place or state is another, by name.
    pub changed: Vec<Change>,
    /// The version of the snapshot that is in effect now.
    pub version: Fingerprint,
}

/// One skill that changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Its qualified name.
    pub name: String,
    /// The scope of its root.
    pub scope: guild_catalog::Scope,
    /// Its file.
    pub path: PathBuf,
    /// Whether it loads.
    pub loaded: bool,
}

/// Why a refresh was not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RefreshError {
    /// A file of the person or the machine can no longer be read; without it other skills would be allowed.
    #[error("{}: {}", problem.file, problem.message)]
    Configuration {
        /// What is wrong with it.
        problem: Problem,
    },
    /// It has not come to its end.
    #[error("the look was not finished: {reason}")]
    Unfinished {
        /// Why.
        reason: String,
    },
    /// A root that could be read cannot be read any more; its skills are not gone, they are out of sight.
    #[error("{}: this directory can no longer be read", path.display())]
    Root {
        /// Which.
        path: PathBuf,
    },
}

impl Changes {
    /// Whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty() && self.changed.is_empty()
    }
}

impl Live {
    /// Opens a hall to be kept.
    pub fn open(machine: Machine, files: &[ConfigFile]) -> Self {
        Self::of(Hall::open(machine, files, Freshness::Indexed))
    }

    /// Keeps a hall.
    pub fn of(hall: Hall) -> Self {
        Self {
            current: RwLock::new(Arc::new(hall)),
            refreshing: Mutex::new(()),
            merged: RegistryCache::default(),
        }
    }

    /// The last good hall.
    pub fn current(&self) -> Arc<Hall> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Looks again and keeps what is found, unless something that was readable no longer is.
    pub fn refresh(&self, machine: Machine, files: &[ConfigFile]) -> Result<Changes, RefreshError> {
        self.refresh_by(|_| Hall::open(machine, files, Freshness::Indexed))
    }

    /// The same, where somebody else looks, who is shown what was known before.
    pub fn refresh_by(&self, look: impl FnOnce(&Hall) -> Hall) -> Result<Changes, RefreshError> {
        let _alone = self.refreshing.lock().unwrap_or_else(PoisonError::into_inner);
        let before = self.current();
        let after = look(&before);
        refuse_loss(&before, &after)?;
        let changes = compare(&before, &after);
        let is_same = before.snapshot.version == after.snapshot.version;
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(after);
        if !is_same {
            self.merged.clear();
        }
        Ok(changes)
    }

    /// What the plugins that a person has switched on bring, merged: made anew after every change and every half minute. Where that
    /// fails, the last good view stays, with the reason.
    ///
    /// # Errors
    /// Where none can be made, and none was made before.
    pub fn registry(&self, now: SystemTime) -> Result<Viewed<Registry, Refusal>, Refusal> {
        self.merged.get(now, || merge(&self.current(), None))
    }
}

/// Refuses a hall that knows less than the one before because something became unreadable.
fn refuse_loss(before: &Hall, after: &Hall) -> Result<(), RefreshError> {
    let was_ignored = |file: &str| before.ignored_config.iter().any(|problem| problem.file == file);
    if let Some(problem) = after.ignored_config.iter().find(|problem| !was_ignored(&problem.file)) {
        return Err(RefreshError::Configuration { problem: problem.clone() });
    }
    let has = |hall: &Hall, path: &PathBuf, status: Status| {
        hall.snapshot.roots.iter().any(|root| root.path == *path && root.status == status)
    };
    let unreadable = after.snapshot.roots.iter().filter(|root| root.status == Status::Unreadable);
    match unreadable.map(|root| &root.path).find(|path| has(before, path, Status::Ok)) {
        Some(path) => Err(RefreshError::Root { path: path.clone() }),
        None => Ok(()),
    }
}

/// What decides whether a skill is the same as before.
#[derive(PartialEq, Eq)]
struct Standing<'a> {
    path: PathBuf,
    scope: guild_catalog::Scope,
    fingerprint: Option<Fingerprint>,
    enabled: bool,
    unmet: &'a [String],
    problems: &'a [Problem],
}

fn compare(before: &Hall, after: &Hall) -> Changes {
    let (old, new) = (standings(before), standings(after));
    let change = |name: &String, standing: &Standing<'_>| Change {
        name: name.clone(),
        scope: standing.scope,
        path: standing.path.clone(),
        loaded: standing.fingerprint.is_some(),
    };
    let missing_in = |from: &BTreeMap<String, Standing<'_>>, other: &BTreeMap<String, Standing<'_>>| {
        from.iter().filter(|(name, _)| !other.contains_key(*name)).map(|(name, s)| change(name, s)).collect()
    };
    let differs = |(name, standing): &(&String, &Standing<'_>)| {
        old.get(*name).is_some_and(|before| before != *standing)
    };
    Changes {
        added: missing_in(&new, &old),
        removed: missing_in(&old, &new),
        changed: new.iter().filter(differs).map(|(name, standing)| change(name, standing)).collect(),
        version: after.snapshot.version,
    }
}

/// Every skill by its qualified name, those that do not load included.
fn standings(hall: &Hall) -> BTreeMap<String, Standing<'_>> {
    let skills = hall.snapshot.skills.iter().map(|entry| {
        let standing = Standing {
            path: entry.place.path(),
            scope: entry.place.scope,
            fingerprint: Some(entry.fingerprint),
            enabled: entry.enabled,
            unmet: &entry.unmet,
            problems: &entry.problems,
        };
        (entry.qualified_name().into_owned(), standing)
    });
    let broken = hall.snapshot.broken.iter().map(|broken| {
        let standing = Standing {
            path: broken.place.path(),
            scope: broken.place.scope,
            fingerprint: None,
            enabled: true,
            unmet: &[],
            problems: &broken.problems,
        };
        (broken.place.qualified(&broken.name).into_owned(), standing)
    });
    skills.chain(broken).collect()
}
