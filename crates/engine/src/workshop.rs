//! The workshop: the hall, and everything that running a skill needs beyond it.
//!
//! It is put together by a surface and handed to every run. It holds no state of its own.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use guild_ledger::Timestamp;
use guild_source::git::GitProgram;
use guild_source::store::Store;

use crate::hall::Hall;
use crate::image::Images;
use crate::install::{Installer, Registrar};
use crate::ports::{Approver, SubagentRunner, ToolProvider};
use crate::sandbox::Backends;
use crate::{Books, Places, Refusal};

/// Everything that a run may use.
#[derive(Clone, Copy)]
pub struct Workshop<'a> {
    /// What there is.
    pub hall: &'a Hall,
    /// Where Guildhall keeps its own things.
    pub places: &'a Places,
    /// The root file systems.
    pub images: &'a Images,
    /// What makes containers.
    pub backends: &'a Backends,
    /// Where staged files are kept.
    pub store: &'a Store,
    /// What has happened and what is allowed.
    pub books: &'a Books,
    /// Who offers tools, beside our own.
    pub providers: &'a [Box<dyn ToolProvider>],
    /// Who runs child agents, if anybody does.
    pub subagents: Option<&'a dyn SubagentRunner>,
    /// Who can be asked now, if anybody can.
    pub approver: Option<&'a dyn Approver>,
    /// How long a person may take to answer what a tool asks in the midst of a call, where the caller does not say; nobody is asked
    /// where this is nothing.
    pub patience: Option<Duration>,
    /// Tells the time.
    pub clock: &'a (dyn Fn() -> SystemTime + Send + Sync),
}

impl<'w> Workshop<'w> {
    /// The same things, as far as installing uses them; without a registrar it only looks.
    pub fn desk<'a>(
        &'a self,
        git: &'a dyn GitProgram,
        progress: &'a (dyn Fn(&str) + Sync),
        registrar: Option<Registrar<'a>>,
    ) -> Installer<'a>
    where
        'w: 'a,
    {
        Installer {
            hall: self.hall,
            places: self.places,
            store: self.store,
            git,
            shelf: Some(self),
            progress,
            registrar,
        }
    }
}

impl Workshop<'_> {
    /// The moment.
    pub(crate) fn now(&self) -> Timestamp {
        Timestamp::from((self.clock)())
    }

    /// Writes down the runs whose process or caller has gone before their end.
    ///
    /// # Errors
    /// Where that cannot be written.
    pub async fn settle(&self) -> Result<(), Refusal> {
        self.books.sweep(self.now()).await.map(drop)
    }

    /// These variables, as far as they are set here, or else kept as secrets.
    ///
    /// # Errors
    /// Where the secrets cannot be read.
    pub async fn environment(&self, names: &[String]) -> Result<BTreeMap<String, String>, Refusal> {
        let mut environment = BTreeMap::new();
        for name in names {
            let value = match self.hall.machine.env.get(name) {
                Some(value) => Some(value.clone()),
                None => {
                    let kept = self.books.ledger.secret(name).await;
                    kept.map_err(|error| self.books.secret_refusal(error))?
                }
            };
            environment.extend(value.map(|value| (name.clone(), value)));
        }
        Ok(environment)
    }
}
