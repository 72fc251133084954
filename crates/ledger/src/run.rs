//! Runs: they start once, by a grant where one is needed, and they end once.
//!
//! The grant for one run is used up in the transaction that lets the run start, so that it is gone even if the run crashes at
//! once. Whether a run is still alive is for the caller to know; here it ends when somebody says so.

use crate::chain::{Links, WriteError, Writing};
use crate::grant::{Ask, Grant, Mode, Standing, standing};
use crate::receipt::{Entry, Kind, SignedReceipt};
use crate::{Ledger, RunId, StoreError, Timestamp};

/// A run that may begin now.
#[derive(Debug, Clone, PartialEq)]
pub struct Started {
    /// The receipt of it.
    pub receipt: SignedReceipt,
    /// The grant that allows it, where one was needed.
    pub grant: Option<Grant>,
}

/// Why a run may not begin.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// No grant covers it.
    #[error("no grant covers this run")]
    NotAllowed(Box<Standing>),
    /// A run of this id has started before.
    #[error("{0} has started before")]
    AlreadyStarted(RunId),
    /// It could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// Why the end of a run was not written.
#[derive(Debug, thiserror::Error)]
pub enum FinishError {
    /// No run of this id has started here.
    #[error("{0} has not started")]
    NotStarted(RunId),
    /// It has ended before.
    #[error("{0} has ended before")]
    AlreadyFinished(RunId),
    /// It could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

impl Ledger {
    /// Lets a run begin: writes its `started` receipt and, in the same transaction, finds the grant that covers `needs` and
    /// uses it up if it is for one run.
    ///
    /// # Errors
    /// Where no grant covers it, where the run has started before, or where it was not written. Then it may not begin.
    pub async fn start(
        &self,
        now: Timestamp,
        run: RunId,
        entry: Entry,
        needs: Option<&Ask>,
    ) -> Result<Started, StartError> {
        match self.try_start(now, run, entry.clone(), needs).await {
            // Another installation took the grant while this one was looking at it. Now it is gone, which has a better name.
            Err(StartError::Write(WriteError::Store(StoreError::Conflict))) => {
                self.try_start(now, run, entry, needs).await
            }
            tried => tried,
        }
    }

    async fn try_start(
        &self,
        now: Timestamp,
        run: RunId,
        entry: Entry,
        needs: Option<&Ask>,
    ) -> Result<Started, StartError> {
        let mut writing = self.write(now).await?;
        match writing.start(run, entry, needs).await {
            Ok(started) => {
                writing.commit().await?;
                Ok(started)
            }
            Err(StartError::Write(error)) => Err(error.into()),
            Err(refusal) => {
                writing.abandon().await?;
                Err(refusal)
            }
        }
    }

    /// Writes that a run has ended, well or not.
    ///
    /// # Errors
    /// Where it has not started here or has ended before, or where it was not written: then it must not be called a success.
    pub async fn finish(
        &self,
        now: Timestamp,
        run: RunId,
        entry: Entry,
    ) -> Result<SignedReceipt, FinishError> {
        self.end_run(now, run, Entry { kind: Kind::Finished, ..entry }).await
    }

    /// Writes that a run never came to its end, since its process is gone.
    ///
    /// # Errors
    /// Where it has not started here or has ended before, or where it was not written.
    pub async fn interrupt(
        &self,
        now: Timestamp,
        run: RunId,
        entry: Entry,
    ) -> Result<SignedReceipt, FinishError> {
        self.end_run(now, run, Entry { kind: Kind::Interrupted, ..entry }).await
    }

    /// The `started` receipts of this installation's runs that have not ended, the oldest first.
    ///
    /// # Errors
    /// Where the database cannot be read.
    pub async fn unfinished(&self) -> Result<Vec<SignedReceipt>, StoreError> {
        let mut session = self.session().await?;
        let sql = "SELECT r.body, r.signature FROM open_runs o JOIN receipts r ON r.id = o.receipt \
                   WHERE o.installation = $1 ORDER BY r.seq";
        let rows = session.rows(sql, vec![self.key.installation.as_str().into()]).await?;
        let mut unfinished = Vec::new();
        for row in rows {
            unfinished.extend(SignedReceipt::read(row.text(0)?, row.text(1)?));
        }
        session.done();
        Ok(unfinished)
    }

    async fn end_run(&self, now: Timestamp, run: RunId, entry: Entry) -> Result<SignedReceipt, FinishError> {
        let mut writing = self.write(now).await?;
        match writing.end_run(run, entry).await {
            Ok(receipt) => {
                writing.commit().await?;
                Ok(receipt)
            }
            Err(FinishError::Write(error)) => Err(error.into()),
            Err(refusal) => {
                writing.abandon().await?;
                Err(refusal)
            }
        }
    }
}

impl Writing<'_> {
    async fn start(&mut self, run: RunId, entry: Entry, needs: Option<&Ask>) -> Result<Started, StartError> {
        if self.stages(run).await?.any {
            return Err(StartError::AlreadyStarted(run));
        }
        let grant = match needs {
            None => None,
            Some(ask) => match standing(self.ledger, &mut self.session, self.now, ask).await? {
                Standing::Allowed(grant) => Some(grant),
                other => return Err(StartError::NotAllowed(Box::new(other))),
            },
        };
        let used_up = grant.as_ref().filter(|grant| matches!(grant.mode, Mode::RunOnce { .. }));
        let links = Links { ends: used_up.map(|grant| grant.id.to_string()), ..Links::default() };
        let entry = Entry { kind: Kind::Started, run: Some(run), ..entry };
        let receipt = self.append(entry, links).await?;
        let sql = "INSERT INTO open_runs (run, installation, receipt) VALUES ($1, $2, $3)";
        let installation = self.ledger.key.installation.as_str();
        let values = vec![run.to_string().into(), installation.into(), receipt.receipt.id.to_string().into()];
        self.session.execute(sql, values).await?;
        Ok(Started { receipt, grant })
    }

    async fn end_run(&mut self, run: RunId, entry: Entry) -> Result<SignedReceipt, FinishError> {
        let stages = self.stages(run).await?;
        if !stages.started {
            return Err(FinishError::NotStarted(run));
        }
        if stages.ended {
            return Err(FinishError::AlreadyFinished(run));
        }
        let receipt = self.append(Entry { run: Some(run), ..entry }, Links::default()).await?;
        self.session.execute("DELETE FROM open_runs WHERE run = $1", vec![run.to_string().into()]).await?;
        Ok(receipt)
    }

    /// How far a run has come.
    async fn stages(&mut self, run: RunId) -> Result<Stages, StoreError> {
        let sql = "SELECT installation, kind FROM receipts WHERE run = $1";
        let mut stages = Stages::default();
        for row in self.session.rows(sql, vec![run.to_string().into()]).await? {
            let is_ours = row.text(0)? == self.ledger.key.installation.as_str();
            let kind = row.text(1)?;
            stages.any |= kind == Kind::Started.as_str();
            stages.started |= is_ours && kind == Kind::Started.as_str();
            stages.ended |= kind == Kind::Finished.as_str() || kind == Kind::Interrupted.as_str();
        }
        Ok(stages)
    }
}

#[derive(Default)]
struct Stages {
    any: bool,
    started: bool,
    ended: bool,
}
