//! Applies a change set to its source, wholly or not at all.
//!
//! First everything is compared with what the set was made from. Then all that is new is written into a directory at the top of
//! the source, on the same file system; what will be moved is journalled; and only then files move, each by one rename, what they
//! replace into that same directory. Whoever is cut short, at whatever point, leaves a journal by which the next one moves all
//! that is left, or all of it back. What moves is known by its inode, so that nothing is moved twice and nothing that somebody
//! else put there meanwhile is moved at all.
//!
//! What was not asked here is not answered here: whether anybody may apply the set is the caller's to decide.

mod check;
mod durable;
mod error;
mod journal;
mod moves;
mod plan;
mod stage;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use rustix::fs::Mode;

use super::STAGING_PREFIX;
use super::layer::Layer;
use super::removal::remove_at;
use super::set::{ChangeSet, ChangeSetId, Status};
use super::store::{ChangeStore, Lock};
use super::tree::Tree;
use error::{ActionError, at};
pub use error::{ApplyError, Conflict, ConflictKind};
use journal::{Journal, Phase};
use moves::Mover;

/// A step of an application that was just taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The source is what the set was made from.
    Checked,
    /// The journal says that something is about to be written into the source.
    Announced,
    /// The directory for what is new is there.
    Opened,
    /// Something new was written into it.
    Staged,
    /// The journal says what will be moved. From here on, whoever is cut short is brought to the end.
    Journalled,
    /// Something was moved into or out of the source, or got its permissions.
    Moved,
    /// The journal says that everything is moved back, because something was in the way.
    Undoing,
    /// Something was moved back, or was not moved in the first place.
    MovedBack,
    /// The journal says that everything was moved.
    Finished,
    /// The set says that it was applied.
    Recorded,
    /// What was replaced and deleted is gone.
    Cleaned,
    /// The layer is gone.
    LayerRemoved,
}

/// What became of an application that was cut short.
#[derive(Debug)]
pub struct Recovery {
    /// Which set.
    pub id: ChangeSetId,
    /// Where it was brought, or why it stays where it is.
    pub outcome: Result<Recovered, ApplyError>,
}

/// Where an application that was cut short was brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovered {
    /// To its end: the set is applied.
    Forward,
    /// To its beginning: the source is as it was, and the set waits.
    Back,
}

/// How an application ended.
enum End {
    Applied,
    /// Everything was put back.
    Undone(ActionError),
}

/// Applies a set. The caller has the lock, and has recovered what was cut short.
pub fn apply(
    store: &ChangeStore,
    lock: &Lock,
    id: &ChangeSetId,
    progress: &mut dyn FnMut(Progress),
) -> Result<(), ApplyError> {
    let set = store.load(id)?;
    if set.status == Status::Applied {
        return Err(ApplyError::AlreadyApplied { id: id.clone() });
    }
    if !set.refused.is_empty() {
        return Err(ApplyError::Refused { entries: set.refused });
    }
    let source = Tree::open(&set.source).map_err(at(&set.source))?;
    let layer = Layer::open(&set.layer)?;
    let seen = check::check(&set.changes, &source)?;
    progress(Progress::Checked);
    let mut journal = Journal::announce(&set);
    free(&source, &journal)?;
    journal.write(store)?;
    progress(Progress::Announced);
    match prepare(&mut journal, &set, &seen, (&source, &layer), progress) {
        Ok(mover) => {
            drop(layer);
            journal.write(store)?;
            progress(Progress::Journalled);
            match finish(store, lock, journal, &mover, progress)? {
                End::Applied => Ok(()),
                End::Undone(error) => Err(error.into()),
            }
        }
        Err(error) => {
            clean(&source, &journal)?;
            journal.remove(store)?;
            Err(error)
        }
    }
}

/// Brings every application that was cut short to its end or back.
pub fn recover(
    store: &ChangeStore,
    lock: &Lock,
    progress: &mut dyn FnMut(Progress),
) -> Result<Vec<Recovery>, ApplyError> {
    let mut recoveries = Vec::new();
    for id in store.ids()? {
        let outcome = match Journal::read(store, &id) {
            Ok(None) => continue,
            Ok(Some(journal)) => resume(store, lock, journal, progress),
            Err(error) => Err(error.into()),
        };
        recoveries.push(Recovery { id, outcome });
    }
    Ok(recoveries)
}

fn resume(
    store: &ChangeStore,
    lock: &Lock,
    journal: Journal,
    progress: &mut dyn FnMut(Progress),
) -> Result<Recovered, ApplyError> {
    let source = Tree::open(&journal.source);
    match journal.phase {
        Phase::Preparing | Phase::Undone => {
            // Without the source there is nothing to clean in it.
            if let Ok(source) = source {
                clean(&source, &journal)?;
            }
            journal.remove(store)?;
            Ok(Recovered::Back)
        }
        Phase::Moving | Phase::Undoing => {
            let mover = source
                .and_then(|source| Mover::open(source, &journal.staging, journal.staging_inode))
                .map_err(|_| journal.disturbed(Vec::new()))?;
            if journal.phase == Phase::Undoing {
                undo(store, journal, &mover, progress)?;
                return Ok(Recovered::Back);
            }
            match finish(store, lock, journal, &mover, progress)? {
                End::Applied => Ok(Recovered::Forward),
                End::Undone(_) => Ok(Recovered::Back),
            }
        }
        Phase::Moved => {
            let source = source.map_err(at(&journal.source))?;
            conclude(store, lock, &journal, &source, progress)?;
            Ok(Recovered::Forward)
        }
    }
}

/// Writes everything new into the staging directory, and plans the moves.
fn prepare(
    journal: &mut Journal,
    set: &ChangeSet,
    seen: &check::SeenPaths,
    (source, layer): (&Tree, &Layer),
    progress: &mut dyn FnMut(Progress),
) -> Result<Mover, ApplyError> {
    let path = PathBuf::from(&journal.staging);
    let failed = |error: rustix::io::Errno| at(&set.source.join(&path))(error.into());
    let (top, name) = source.parent(&path).map_err(at(&set.source))?;
    rustix::fs::mkdirat(&top, name, Mode::RWXU).map_err(failed)?;
    let staging = source.directory(&path).map_err(at(&set.source))?;
    // A mask of the caller could have taken permissions away that moving needs.
    rustix::fs::fchmod(&staging, Mode::RWXU).map_err(failed)?;
    journal.staging_inode = rustix::fs::fstat(&staging).map_err(failed)?.st_ino;
    progress(Progress::Opened);
    let content = layer.content()?;
    let stager = stage::Stager::new(source, &content, &staging, seen);
    journal.actions = plan::plan(&set.changes, (source, seen), stager, &mut || progress(Progress::Staged))?;
    stage::Stager::sync(&staging, &journal.actions).map_err(at(&set.source))?;
    journal.phase = Phase::Moving;
    Ok(Mover::new(source.below(Path::new("")).map_err(at(&set.source))?, staging))
}

/// Moves everything that is not moved yet, or everything back.
fn finish(
    store: &ChangeStore,
    lock: &Lock,
    mut journal: Journal,
    mover: &Mover,
    progress: &mut dyn FnMut(Progress),
) -> Result<End, ApplyError> {
    match mover.forward(&journal.actions, &mut || progress(Progress::Moved)) {
        Ok(()) => {
            journal.phase = Phase::Moved;
            journal.actions.clear();
            journal.write(store)?;
            progress(Progress::Finished);
            conclude(store, lock, &journal, mover.source(), progress)?;
            Ok(End::Applied)
        }
        Err(error) => {
            undo(store, journal, mover, progress)?;
            Ok(End::Undone(error))
        }
    }
}

/// Moves everything back. Once this was begun there is no way forward any more: whoever asked has been told that it failed.
fn undo(
    store: &ChangeStore,
    mut journal: Journal,
    mover: &Mover,
    progress: &mut dyn FnMut(Progress),
) -> Result<(), ApplyError> {
    journal.phase = Phase::Undoing;
    journal.write(store)?;
    progress(Progress::Undoing);
    let stuck = mover.backward(&journal.actions, &mut || progress(Progress::MovedBack));
    if !stuck.is_empty() {
        return Err(journal.disturbed(stuck));
    }
    journal.phase = Phase::Undone;
    journal.actions.clear();
    journal.write(store)?;
    clean(mover.source(), &journal)?;
    Ok(journal.remove(store)?)
}

/// Says that a set is applied, and removes what is of no use any more.
fn conclude(
    store: &ChangeStore,
    _lock: &Lock,
    journal: &Journal,
    source: &Tree,
    progress: &mut dyn FnMut(Progress),
) -> Result<(), ApplyError> {
    let mut set = store.load(&journal.id)?;
    set.status = Status::Applied;
    store.write(&set)?;
    progress(Progress::Recorded);
    clean(source, journal)?;
    progress(Progress::Cleaned);
    store.remove_layer(&set)?;
    progress(Progress::LayerRemoved);
    Ok(journal.remove(store)?)
}

/// Whoever finds something in the place of the staging directory does not take it for their own.
fn free(source: &Tree, journal: &Journal) -> Result<(), ApplyError> {
    let path = journal.source.join(&journal.staging);
    match source.stat(Path::new(&journal.staging)).map_err(at(&path))? {
        None => Ok(()),
        Some(_) => Err(at(&path)(std::io::ErrorKind::AlreadyExists.into())),
    }
}

/// Removes the staging directory with everything in it.
fn clean(source: &Tree, journal: &Journal) -> Result<(), ApplyError> {
    let path = journal.source.join(&journal.staging);
    let removed = source.parent(Path::new(&journal.staging)).and_then(|(top, name)| remove_at(&top, name));
    removed.map_err(at(&path))
}

/// How the staging directory of a set is called.
fn staging_name(id: &ChangeSetId) -> String {
    format!("{STAGING_PREFIX}{id}")
}

/// How what is new, or what is old, of one move is called in the staging directory.
fn slot(number: u64, kind: &str) -> std::ffi::OsString {
    OsStr::new(&format!("{number}.{kind}")).to_owned()
}
