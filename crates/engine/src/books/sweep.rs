//! Runs that never came to their end: their process is gone, and the books say so.

use std::fs;

use guild_ledger::receipt::{Entry, Kind};
use guild_ledger::{FinishError, RunId, Timestamp};

use super::{Books, failure};
use crate::Refusal;

impl Books {
    /// Writes down as interrupted every run of this installation that has started, has not ended and is not alive.
    pub async fn sweep(&self, now: Timestamp) -> Result<Vec<RunId>, Refusal> {
        let mut interrupted = Vec::new();
        for started in self.ledger.unfinished().await.map_err(|error| self.refusal(error))? {
            let started = started.receipt.entry;
            let Some(run) = started.run else { continue };
            let lock = self.runs.take_over(&run.to_string());
            // The lock is held until it is written, so that two who clean up do not both write it.
            let Some(_lock) = lock.map_err(|error| failure::of_lock(self.runs.directory(), &error))? else {
                continue;
            };
            let entry = Entry {
                skill: started.skill,
                note: Some("the process that ran it is gone".to_owned()),
                ..Entry::new(Kind::Interrupted, "interrupted", started.principal)
            };
            match self.ledger.interrupt(now, run, entry).await {
                Ok(_) => interrupted.push(run),
                // It came to its end while this was looking.
                Err(FinishError::AlreadyFinished(_) | FinishError::NotStarted(_)) => {}
                Err(FinishError::Write(error)) => return Err(self.refusal(error)),
            }
        }
        self.forget_dead();
        Ok(interrupted)
    }

    /// Removes the locks of processes that were killed before their run had started or after it had ended.
    fn forget_dead(&self) {
        let entries = fs::read_dir(self.runs.directory()).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        // What cannot be removed now is removed another time.
        names.for_each(|name| drop(self.runs.take_over(&name)));
    }
}
