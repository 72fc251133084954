//! Verifying: every receipt of every chain, every record, and the head, compared with each other and with the signatures.
//!
//! Receipts are read in pages and checked by all processors, in constant memory. It changes nothing and forgives nothing; what
//! to do about a fault is for a person to say.

mod fault;
mod link;
mod records;
mod registry;
mod walk;

use std::collections::VecDeque;
use std::num::NonZero;
use std::thread;

use tokio::task::{JoinHandle, spawn_blocking};

pub use fault::{Broken, ChainReport, Fault, Report};
pub(crate) use link::{Checked, Link, Skim, check};
pub(crate) use walk::Walk;

use crate::chain::Columns;
use crate::head::Head;
use crate::{HeadError, InstallationId, Ledger, PublicKey, StoreError};

/// How many receipts are read and checked at a time.
pub(crate) const PAGE: usize = 1024;

impl Ledger {
    /// Checks everything that the ledger holds.
    ///
    /// # Errors
    /// Where the database cannot be read. What is wrong with what it says is no error; it stands in the report.
    pub async fn verify(&self) -> Result<Report, StoreError> {
        let mut report = Report::default();
        // The head comes first: what is written meanwhile is beyond it, and never before it.
        let head = self.head.read(&self.key.public);
        let mut chains = self.chains().await?;
        if !chains.iter().any(|(id, _)| id == self.key.installation.as_str()) {
            chains.push((self.key.installation.to_string(), self.key.public.to_string()));
        }
        for (installation, key) in chains {
            let is_ours = installation == self.key.installation.as_str();
            let key = if is_ours { Some(self.key.public) } else { claimed_key(&installation, &key) };
            let Some(key) = key else {
                report.fault(Broken::of_chain(&installation, Fault::KeyUnknown));
                continue;
            };
            let known = if is_ours { own_head(&head, &installation, &mut report) } else { None };
            let chain = self.verify_chain(key, known, &mut report).await?;
            if is_ours && chain.receipts > 0 && matches!(head, Ok(None)) {
                report.fault(Broken::of_chain(&installation, Fault::HeadMissing));
            }
            report.chains.push(chain);
        }
        records::verify(self, &mut report).await?;
        registry::verify(self, &mut report).await?;
        Ok(report)
    }

    /// The chains that the database holds, with the keys that it has for them.
    pub(crate) async fn chains(&self) -> Result<Vec<(String, String)>, StoreError> {
        let mut session = self.session().await?;
        // Chains whose installation was deleted have receipts still. This steps from one to the next along the index.
        let mut chains: Vec<(String, String)> = Vec::new();
        let sql = "SELECT min(installation) FROM receipts WHERE installation > $1";
        let mut last = String::new();
        while let Some(next) =
            session.row(sql, vec![last.into()]).await?.map(|row| row.optional_text(0)).transpose()?.flatten()
        {
            let key = session
                .row("SELECT public_key FROM installations WHERE id = $1", vec![next.as_str().into()])
                .await?;
            let key = key.map(|row| row.text(0)).transpose()?.unwrap_or_default();
            chains.push((next.clone(), key));
            last = next;
        }
        session.done();
        Ok(chains)
    }

    async fn verify_chain(
        &self,
        key: PublicKey,
        head: Option<Head>,
        report: &mut Report,
    ) -> Result<ChainReport, StoreError> {
        let installation = key.installation();
        let mut walk = Walk::new(key, head);
        let mut underway: VecDeque<JoinHandle<Vec<Checked>>> = VecDeque::new();
        let workers = thread::available_parallelism().map_or(1, NonZero::get);
        let mut last = 0;
        loop {
            let links = self.page(&installation, last).await?;
            let Some(link) = links.last() else { break };
            last = link.seq;
            underway.push_back(spawn_blocking(move || check(&key, links)));
            if underway.len() > workers
                && let Some(page) = underway.pop_front()
            {
                walk.take_all(finished(page).await?, report);
            }
        }
        for page in underway {
            walk.take_all(finished(page).await?, report);
        }
        Ok(walk.finish(report))
    }

    /// The receipts of a chain after number `last`.
    pub(crate) async fn page(
        &self,
        installation: &InstallationId,
        last: u64,
    ) -> Result<Vec<Link>, StoreError> {
        let sql = "SELECT seq, body, signature, id, kind, agent, code, skill, run, begins, ends FROM receipts \
                   WHERE installation = $1 AND seq > $2 ORDER BY seq LIMIT 1024";
        let mut session = self.session().await?;
        let rows = session.many(sql, vec![installation.as_str().into(), last.into()]).await?;
        session.done();
        let link = |row: &crate::database::Row| {
            Ok(Link {
                seq: row.number(0)?,
                // What is no text at all is as unreadable as an empty one.
                text: row.text(1).unwrap_or_default(),
                signature: row.text(2).unwrap_or_default(),
                columns: Some(Columns::read(row, 3).ok()),
            })
        };
        rows.iter().map(link).collect()
    }
}

/// The key that the database has for a chain, if it can be the chain's.
fn claimed_key(installation: &str, key: &str) -> Option<PublicKey> {
    let key: PublicKey = key.parse().ok()?;
    (key.installation().as_str() == installation).then_some(key)
}

fn own_head(head: &Result<Option<Head>, HeadError>, installation: &str, report: &mut Report) -> Option<Head> {
    match head {
        Ok(head) => head.clone(),
        Err(_) => {
            report.fault(Broken::of_chain(installation, Fault::HeadUnreadable));
            None
        }
    }
}

async fn finished(page: JoinHandle<Vec<Checked>>) -> Result<Vec<Checked>, StoreError> {
    page.await.map_err(|error| StoreError::Failed(error.into()))
}
