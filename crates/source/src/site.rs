//! A site: the `.guild` directory of a project or a person, and the lock of what is installed in it.
//!
//! What is installed changes all at once. Everything is staged beside its place and synced; then a journal is written, and from that
//! moment the change has happened: whoever is killed afterwards leaves a journal that the next one carries through. Before that
//! moment nothing has happened. The journal lies with the person's own state, where no project can put one.

mod change;
mod journal;
mod staged;
mod step;
mod tops;

use crate::bounded;
use crate::durable::sync_directory;
use crate::lock::{Kind, Lock, LockError};
use crate::store::{Store, StoreError};
use guild_manifest::Digest;
use std::collections::{BTreeSet, HashSet};
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use change::{Change, Ours};
use journal::Journal;
pub use staged::Staged;
use step::{Step, identity};
use tops::Tops;

/// What directories are called that something is staged in.
const STAGING: &str = ".install-";

/// The most that is read of a lock: a thousand times what ten skills take.
const MAX_LOCK_BYTES: u64 = 64 * 1024 * 1024;

/// Who may have made the directories of a site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// A project may be a stranger's, whose links could lead anywhere.
    Stranger,
    /// The person's own, who may keep theirs elsewhere.
    Own,
}

/// A place where skills and plugins are installed.
#[derive(Debug, Clone)]
pub struct Site {
    directory: PathBuf,
    lock: PathBuf,
    journals: PathBuf,
    trust: Trust,
}

/// Why a site cannot be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum SiteError {
    /// The lock is none.
    #[error("{} cannot be read: {source}", .path.display())]
    Lock {
        /// The lock.
        path: PathBuf,
        /// Why.
        source: LockError,
    },
    /// A directory of the site is a link, which may lead anywhere.
    #[error("{} is a link or no directory, so nothing is installed through it", .path.display())]
    Link {
        /// The directory.
        path: PathBuf,
    },
    /// Somebody else put something in a place that a change needs.
    #[error("{} was changed by somebody else meanwhile", .path.display())]
    Interfered {
        /// The place.
        path: PathBuf,
    },
    /// What is to be installed is not in the store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The system refused something.
    #[error("cannot {action} {}", .path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// With what.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// A site that nobody else changes meanwhile.
#[derive(Debug)]
pub struct Held<'a> {
    site: &'a Site,
    /// Shared with changes that are being made, which keep the site held for as long.
    lock: Arc<File>,
}

impl Site {
    /// The site below `directory`, a `.guild`, with its lock; `journals` is where journals are kept.
    pub fn new(directory: PathBuf, lock: PathBuf, journals: PathBuf, trust: Trust) -> Self {
        Self { directory, lock, journals, trust }
    }

    /// Where something is installed.
    pub fn place(&self, kind: Kind, name: &str) -> PathBuf {
        self.directory.join(kind.directory()).join(name)
    }

    /// The lock's file.
    pub fn lock_file(&self) -> &Path {
        &self.lock
    }

    /// What the lock says; nothing where there is none.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub fn read_lock(&self) -> Result<Lock, SiteError> {
        // It may have come with a stranger's project.
        let read = bounded::read(&self.lock, MAX_LOCK_BYTES);
        match read.and_then(|bytes| String::from_utf8(bytes).map_err(io::Error::other)) {
            Ok(text) => {
                Lock::parse(&text).map_err(|source| SiteError::Lock { path: self.lock.clone(), source })
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Lock::default()),
            Err(source) => Err(failed("read", &self.lock)(source)),
        }
    }

    /// Whether somebody was killed who had begun to change the site, or before what follows the lock had followed. Costs two looks.
    /// Holding the site carries through what had begun.
    ///
    /// # Errors
    /// Where that cannot be told.
    pub fn is_unsettled(&self) -> Result<bool, SiteError> {
        for path in [self.journal(), self.mark()] {
            match path.try_exists() {
                Ok(true) => return Ok(true),
                Ok(false) => {}
                // Services run with `HOME=/dev/null`, and below a file there is nothing.
                Err(error) if error.kind() == io::ErrorKind::NotADirectory => {}
                Err(error) => return Err(failed("read", &path)(error)),
            }
        }
        Ok(false)
    }

    /// Whether anything lies where things are installed, whoever put it there.
    pub fn is_inhabited(&self) -> bool {
        self.is_inhabited_after(&[])
    }

    /// What lies there, by kind and name, whoever put it there.
    pub fn names(&self) -> Vec<(Kind, String)> {
        let within = |kind: Kind| {
            let entries = fs::read_dir(self.directory.join(kind.directory())).into_iter().flatten().flatten();
            entries.map(move |entry| (kind, entry.file_name().to_string_lossy().into_owned()))
        };
        [Kind::Skill, Kind::Plugin].into_iter().flat_map(within).collect()
    }

    /// The same, once these changes are made.
    fn is_inhabited_after(&self, changes: &[Change<'_>]) -> bool {
        let is_removal = |change: &&Change<'_>| matches!(change, Change::Remove { .. });
        let gone: HashSet<PathBuf> =
            changes.iter().filter(is_removal).map(|change| change.place(self)).collect();
        [Kind::Skill, Kind::Plugin].into_iter().any(|kind| {
            let within = fs::read_dir(self.directory.join(kind.directory())).into_iter().flatten().flatten();
            within.into_iter().any(|entry| !gone.contains(&entry.path()))
        })
    }

    /// Whether a path is that of something that could be installed here.
    pub fn holds(&self, kind: Kind, path: &Path) -> bool {
        path.parent() == Some(&self.directory.join(kind.directory()))
    }

    /// Takes hold of the site, once whoever has it lets go, and leaves nothing half done there.
    ///
    /// # Errors
    /// Where it cannot be made, or what was begun cannot be carried through.
    pub fn hold(&self) -> Result<Held<'_>, SiteError> {
        self.make(&self.directory)?;
        let lock = File::open(&self.directory).and_then(|file| file.lock().map(|()| file));
        let held = Held { site: self, lock: Arc::new(lock.map_err(failed("lock", &self.directory))?) };
        if let Some(journal) = Journal::read(&self.journal())? {
            journal.forward()?;
            journal.settle(&self.journal())?;
        }
        held.sweep();
        Ok(held)
    }

    /// The journal of this site, by what the site is called.
    fn journal(&self) -> PathBuf {
        let name = Digest::of(self.directory.as_os_str().as_encoded_bytes()).to_hex();
        self.journals.join(format!("{name}.json"))
    }

    /// What says that whatever follows the lock has not followed yet.
    fn mark(&self) -> PathBuf {
        self.journal().with_extension("follow")
    }

    /// Makes a directory of the site, and sees that it is one.
    fn make(&self, path: &Path) -> Result<(), SiteError> {
        match fs::create_dir_all(path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(failed("make", path)(error));
            }
            _ => {}
        }
        let metadata = match self.trust {
            Trust::Stranger => fs::symlink_metadata(path),
            Trust::Own => fs::metadata(path),
        };
        match metadata {
            Ok(metadata) if metadata.is_dir() => Ok(()),
            Ok(_) => Err(SiteError::Link { path: path.to_owned() }),
            Err(source) => Err(failed("read", path)(source)),
        }
    }
}

impl Held<'_> {
    /// The site that is held.
    pub fn site(&self) -> &Site {
        self.site
    }

    /// Notes that the lock is about to change, and that whatever follows it has to follow; a kill does not forget it.
    ///
    /// # Errors
    /// Where that cannot be written.
    pub fn announce(&self) -> Result<(), SiteError> {
        let mark = self.site.mark();
        let directory = &self.site.journals;
        fs::create_dir_all(directory).map_err(failed("make", directory))?;
        let noted = File::create(&mark).and_then(|_| sync_directory(directory));
        noted.map_err(failed("write", &mark))
    }

    /// Everything that follows the lock has followed.
    ///
    /// # Errors
    /// Where the note of it cannot be removed.
    pub fn followed(&self) -> Result<(), SiteError> {
        let mark = self.site.mark();
        match fs::remove_file(&mark) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed("remove", &mark)(error)),
            _ => Ok(()),
        }
    }

    /// Makes changes, and the lock that says so, all at once. Where it fails nothing has changed.
    ///
    /// # Errors
    /// Where something cannot be staged, or is in the way.
    pub fn apply(&self, store: &Store, changes: &[Change<'_>], lock: &Lock) -> Result<(), SiteError> {
        self.stage(store, changes, lock)?.make()
    }

    /// Stages changes, and the lock that says so, beside their places; nothing has happened then.
    ///
    /// # Errors
    /// Where something cannot be staged.
    pub fn stage(&self, store: &Store, changes: &[Change<'_>], lock: &Lock) -> Result<Staged, SiteError> {
        let site = self.site;
        let made = tempfile::Builder::new().prefix(STAGING).tempdir_in(&site.directory);
        let staging = made.map_err(failed("make a directory in", &site.directory))?;
        for kind in changes.iter().filter_map(Change::placed).collect::<BTreeSet<Kind>>() {
            site.make(&site.directory.join(kind.directory()))?;
        }
        let mut tops = Tops::beside(staging.path());
        let is_bare = !site.is_inhabited();
        let mut steps = Vec::new();
        for (at, change) in changes.iter().enumerate() {
            let staged = staging.path().join(at.to_string());
            let place = change.place(site);
            let old = if is_bare { None } else { identity(&place)? };
            steps.extend(change.stage(store, (place, old), staged, &mut tops)?);
        }
        steps.extend(self.stage_lock(lock, changes, &staging.path().join("lock"))?);
        Ok(Staged::new(staging, steps, site.journal(), Arc::clone(&self.lock)))
    }

    /// Stages the lock; one that would be empty is none, unless something of somebody else's stays that it is known not to hold.
    fn stage_lock(
        &self,
        lock: &Lock,
        changes: &[Change<'_>],
        staged: &Path,
    ) -> Result<Option<Step>, SiteError> {
        let old = identity(&self.site.lock)?;
        if lock.entries().is_empty() && !self.site.is_inhabited_after(changes) {
            return Ok(old.map(|old| Step::new(self.site.lock.clone(), staged, Some(old), None)));
        }
        let written = File::create_new(staged).and_then(|mut file| file.write_all(lock.text().as_bytes()));
        written.map_err(failed("write", staged))?;
        Ok(Some(Step::new(self.site.lock.clone(), staged, old, identity(staged)?)))
    }

    /// Removes what somebody had staged who was killed before it counted.
    fn sweep(&self) {
        fs::remove_file(journal::aside(&self.site.journal())).ok();
        for entry in fs::read_dir(&self.site.directory).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with(STAGING) {
                fs::remove_dir_all(entry.path()).ok();
            }
        }
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        // Only those go that are empty: what was made for nothing, and what the last removal left.
        for kind in [Kind::Skill, Kind::Plugin] {
            fs::remove_dir(self.site.directory.join(kind.directory())).ok();
        }
        fs::remove_dir(&self.site.directory).ok();
    }
}

/// What failed, with what.
fn failed<'a>(action: &'static str, path: &'a Path) -> impl FnOnce(io::Error) -> SiteError + 'a {
    move |source| SiteError::Io { action, path: path.to_owned(), source }
}
