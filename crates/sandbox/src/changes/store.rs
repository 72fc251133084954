//! The change sets of one state directory.
//!
//! | name | what |
//! | --- | --- |
//! | `lock` | held by whoever applies, saves, drops or recovers |
//! | `<id>/layer` | the layer, where [`ChangeStore::begin`] made it |
//! | `<id>/set.json` | the set, once it is saved |
//! | `<id>/journal.json` | an application under way, or one that was cut short |

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::FlockOperation;
use rustix::io::Errno;

use super::apply::{self, ApplyError, Progress, Recovery};
use super::bounds::Bounds;
use super::file::{ReadFileError, read_json, write_json};
use super::layer::{Copied, Layer, LayerError, Owner, Place, is_held};
use super::removal::remove_path;
use super::set::{ChangeSet, ChangeSetId, SET_VERSION};

const LOCK: &str = "lock";
const LAYER: &str = "layer";
const SET: &str = "set.json";

/// The change sets of one state directory.
#[derive(Clone, Debug)]
pub struct ChangeStore {
    directory: PathBuf,
}

/// Why a set was not saved, loaded or dropped.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// There is no such set.
    #[error("there is no change set `{id}`")]
    Unknown {
        /// Its name.
        id: ChangeSetId,
    },
    /// Its record cannot be used.
    #[error("the record of change set `{id}` cannot be used")]
    Record {
        /// Its name.
        id: ChangeSetId,
        /// What is wrong with it.
        source: ReadFileError,
    },
    /// Its record is that of another set, or speaks of paths outside its source.
    #[error("the record of change set `{id}` contradicts itself")]
    Unsound {
        /// Its name.
        id: ChangeSetId,
    },
    /// Its layer could not be made or removed.
    #[error("cannot use the layer of change set `{id}`")]
    Layer {
        /// Its name.
        id: ChangeSetId,
        /// What is wrong with it.
        source: LayerError,
    },
    /// The system refused.
    #[error("cannot use {path:?}")]
    Io {
        /// What was used.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// The sets of a state directory.
#[derive(Debug, Default)]
pub struct Saved {
    /// Those that can be read, sorted by name.
    pub sets: Vec<ChangeSet>,
    /// Why others cannot.
    pub unusable: Vec<StoreError>,
}

/// Whoever has it is the only one to change anything of a state directory.
#[derive(Debug)]
pub(super) struct Lock(#[expect(dead_code, reason = "the lock lasts as long as the file is open")] File);

impl ChangeStore {
    /// The sets in `directory`, which is made where it is absent, for this user alone.
    pub fn open(directory: &Path) -> Result<ChangeStore, StoreError> {
        DirBuilder::new().recursive(true).mode(0o700).create(directory).map_err(at(directory))?;
        Ok(ChangeStore { directory: fs::canonicalize(directory).map_err(at(directory))? })
    }

    /// Makes the layer, for an overlay, of a set that is to be. It lives until the set is dropped or applied, or, where it is never
    /// saved, until [`ChangeStore::recover`] finds that nobody holds it any more.
    pub fn begin(&self, id: &ChangeSetId) -> Result<Layer, StoreError> {
        let place = self.place(id)?;
        place.for_overlay().map_err(|source| StoreError::Layer { id: id.clone(), source })
    }

    /// The same with a copy of `source`, as [`Layer::copy_from`] makes it.
    pub fn begin_copy(
        &self,
        id: &ChangeSetId,
        source: &Path,
        bounds: Bounds,
        owner: Option<Owner>,
    ) -> Result<(Layer, Copied), StoreError> {
        let place = self.place(id)?;
        place.with_copy(source, bounds, owner).map_err(|source| StoreError::Layer { id: id.clone(), source })
    }

    /// Keeps a set, in place of an earlier one of that name.
    pub fn save(&self, set: &ChangeSet) -> Result<(), StoreError> {
        let _lock = self.lock()?;
        self.write(set)
    }

    /// The set of that name.
    pub fn load(&self, id: &ChangeSetId) -> Result<ChangeSet, StoreError> {
        let set: ChangeSet = match read_json(&self.of(id).join(SET), SET_VERSION) {
            Ok(set) => set,
            Err(ReadFileError::Io(error)) if error.kind() == io::ErrorKind::NotFound => {
                return Err(StoreError::Unknown { id: id.clone() });
            }
            Err(source) => return Err(StoreError::Record { id: id.clone(), source }),
        };
        if set.is_sound() && set.id == *id { Ok(set) } else { Err(StoreError::Unsound { id: id.clone() }) }
    }

    /// All sets that were saved.
    pub fn list(&self) -> Result<Saved, StoreError> {
        let mut saved = Saved::default();
        for id in self.ids()? {
            match self.load(&id) {
                Ok(set) => saved.sets.push(set),
                Err(StoreError::Unknown { .. }) => {}
                Err(error) => saved.unusable.push(error),
            }
        }
        Ok(saved)
    }

    /// Applies a set to its source, wholly or not at all, and tells `progress` of each step. Sets whose application was cut short
    /// are recovered first.
    pub fn apply(&self, id: &ChangeSetId, progress: &mut dyn FnMut(Progress)) -> Result<(), ApplyError> {
        let lock = self.lock()?;
        for recovery in apply::recover(self, &lock, &mut |_| {})? {
            if recovery.id == *id {
                recovery.outcome?;
            }
        }
        apply::apply(self, &lock, id, progress)
    }

    /// Forgets a set and removes its layer. The source is not touched, except that an application that was cut short is recovered
    /// first; where that is not possible, what was moved aside stays where the error of [`ChangeStore::recover`] says.
    pub fn discard(&self, id: &ChangeSetId) -> Result<(), ApplyError> {
        let lock = self.lock()?;
        apply::recover(self, &lock, &mut |_| {})?;
        match self.load(id) {
            Ok(set) => self.remove_layer(&set)?,
            // What a newer program keeps is for that one to drop; what nobody can read is of no use to anybody.
            Err(
                StoreError::Record { source: ReadFileError::Malformed(_), .. } | StoreError::Unsound { .. },
            ) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(self.forget(id)?)
    }

    /// Brings every application that was cut short to its end or back to its beginning, and removes layers that nobody holds and
    /// that became no set. To be called at each start; it does nothing while another process is at work here. `progress` is told of
    /// each step.
    pub fn recover(&self, progress: &mut dyn FnMut(Progress)) -> Result<Vec<Recovery>, ApplyError> {
        let Some(lock) = self.try_lock()? else { return Ok(Vec::new()) };
        let recoveries = apply::recover(self, &lock, progress)?;
        for id in self.ids()? {
            let directory = self.of(&id);
            if !directory.join(SET).exists() && !is_held(&directory.join(LAYER)) {
                self.forget(&id)?;
            }
        }
        Ok(recoveries)
    }

    fn forget(&self, id: &ChangeSetId) -> Result<(), StoreError> {
        let directory = self.of(id);
        remove_path(&directory).map_err(at(&directory))
    }

    /// Where what belongs to a set lies.
    pub(super) fn of(&self, id: &ChangeSetId) -> PathBuf {
        self.directory.join(id.as_str())
    }

    /// Every name that has a directory here, sorted.
    pub(super) fn ids(&self) -> Result<Vec<ChangeSetId>, StoreError> {
        let mut ids = Vec::new();
        for entry in fs::read_dir(&self.directory).map_err(at(&self.directory))? {
            let name = entry.map_err(at(&self.directory))?.file_name();
            ids.extend(name.into_string().ok().and_then(|name| ChangeSetId::try_from(name).ok()));
        }
        ids.sort();
        Ok(ids)
    }

    /// Writes a set's record; the caller has the lock.
    pub(super) fn write(&self, set: &ChangeSet) -> Result<(), StoreError> {
        let directory = self.make(&set.id)?;
        write_json(&directory, SET, set).map_err(at(&directory))
    }

    /// Takes the place of a layer, under the lock: nobody who cleans up meets it before it is held.
    fn place(&self, id: &ChangeSetId) -> Result<Place, StoreError> {
        let _lock = self.lock()?;
        let directory = self.make(id)?;
        Place::take(&directory.join(LAYER)).map_err(|source| StoreError::Layer { id: id.clone(), source })
    }

    /// Removes a set's layer, if it is still there.
    pub(super) fn remove_layer(&self, set: &ChangeSet) -> Result<(), StoreError> {
        if !set.layer.exists() {
            return Ok(());
        }
        let removed = Layer::open(&set.layer).and_then(Layer::remove);
        removed.map_err(|source| StoreError::Layer { id: set.id.clone(), source })
    }

    fn make(&self, id: &ChangeSetId) -> Result<PathBuf, StoreError> {
        let directory = self.of(id);
        DirBuilder::new().recursive(true).mode(0o700).create(&directory).map_err(at(&directory))?;
        Ok(directory)
    }

    fn lock(&self) -> Result<Lock, StoreError> {
        let file = self.lock_file()?;
        loop {
            match rustix::fs::flock(&file, FlockOperation::LockExclusive) {
                Ok(()) => return Ok(Lock(file)),
                Err(Errno::INTR) => {}
                Err(error) => return Err(at(&self.directory)(error.into())),
            }
        }
    }

    fn try_lock(&self) -> Result<Option<Lock>, StoreError> {
        let file = self.lock_file()?;
        match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Some(Lock(file))),
            Err(Errno::WOULDBLOCK) => Ok(None),
            Err(error) => Err(at(&self.directory)(error.into())),
        }
    }

    fn lock_file(&self) -> Result<File, StoreError> {
        let path = self.directory.join(LOCK);
        OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(&path).map_err(at(&path))
    }
}

/// Says where an error of the system happened.
fn at(path: &Path) -> impl FnOnce(io::Error) -> StoreError {
    move |source| StoreError::Io { path: path.to_owned(), source }
}
