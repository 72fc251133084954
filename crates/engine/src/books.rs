//! The books of this installation: its ledger, opened where the configuration says, and the locks of runs that live.
//!
//! Which operation writes what is decided by the operations. A command that writes first brings the books up to date: runs
//! whose process is gone are written down as interrupted.

mod failure;
mod run_lock;
mod settings;
mod sweep;

use std::path::{Path, PathBuf};
use std::time::Duration;

use guild_ledger::{Ledger, Location, Options, RunId, Timestamp};
use guild_manifest::Problem;
use guild_manifest::config::Config;

pub use run_lock::RunLock;
use run_lock::RunLocks;
pub use settings::Approvals;
pub(crate) use settings::problems;

use crate::{Code, Places, Refusal};

/// The ledger's file where no URL leads elsewhere.
const FILE: &str = "ledger.db";
/// How long another writer is waited for.
const PATIENCE: Duration = Duration::from_secs(10);

/// The ledger of this installation and what belongs to it.
pub struct Books {
    /// What has happened and what is allowed.
    pub ledger: Ledger,
    /// What the person's and the machine's configuration say of approvals.
    pub approvals: Approvals,
    location: Location,
    /// The locks of runs that live.
    runs: RunLocks,
    /// The directory with what people have answered to calls that wait.
    answers: PathBuf,
}

impl Books {
    /// Opens the books, and makes them where there are none. `ignored` is why files of the person or the machine are not in
    /// effect: then nobody knows where the ledger is, and none is opened.
    pub async fn open(places: &Places, config: &Config, ignored: &[Problem]) -> Result<Self, Refusal> {
        if let Some(problem) = ignored.first() {
            let message = format!(
                "{} cannot be read ({}), so nobody can tell where the ledger is; mend it first",
                problem.file, problem.message
            );
            return Err(Refusal::new(Code::LedgerUnavailable, message));
        }
        let settings = settings::read(config)?;
        let (data, state) = (places.data()?, places.state()?);
        let location = settings.location.unwrap_or_else(|| Location::Sqlite(data.join(FILE)));
        let options = Options {
            location: location.clone(),
            keys: data.join("keys"),
            heads: state.join("heads"),
            trusted: settings.trusted,
            patience: PATIENCE,
        };
        let opened = Ledger::open(options).await;
        let ledger = opened.map_err(|error| failure::of_opening(&location, &error))?;
        Ok(Self {
            ledger,
            approvals: settings.approvals,
            location,
            runs: RunLocks::in_directory(state.join("runs")),
            answers: state.join("answers"),
        })
    }

    /// Whether there are books, or should be, for whoever only asks what they say and would make none.
    pub fn exist(places: &Places, config: &Config) -> bool {
        let is_here = || places.data.as_ref().is_some_and(|data| data.join(FILE).exists());
        settings::read(config).map_or(true, |settings| settings.location.is_some()) || is_here()
    }

    /// Opens the books to write in them: runs whose process is gone are interrupted first.
    pub async fn open_to_write(
        places: &Places,
        config: &Config,
        ignored: &[Problem],
        now: Timestamp,
    ) -> Result<Self, Refusal> {
        let books = Self::open(places, config, ignored).await?;
        books.sweep(now).await?;
        Ok(books)
    }

    /// Says that a run lives, for as long as the lock is held. It is taken before the run is started in the ledger and let go
    /// after it has been finished there.
    pub fn lock_run(&self, run: RunId) -> Result<RunLock, Refusal> {
        self.runs.take(run).map_err(|error| failure::of_lock(self.runs.directory(), &error))
    }

    /// Where what people answer waits for the call that asked.
    pub(crate) fn answers(&self) -> &Path {
        &self.answers
    }

    /// Leaves the books as they are, for a process that ends now; everything acknowledged is in them.
    pub fn leave(self) {
        self.ledger.leave();
    }
}

impl std::fmt::Debug for Books {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Books").field("location", &self.location).finish_non_exhaustive()
    }
}
