//! Bringing the registry up to what is installed, all at once: what has come, what has another version now, and what is gone.
//!
//! What is installed is known above; here it is written down in one transaction, each change with its receipt.

use super::known::Known;
use super::{Arrival, Registration, RegistryError, Subject};
use crate::chain::{WriteError, Writing};
use crate::record::{NotAPerson, person};
use crate::{Ledger, Principal, Timestamp};

impl Ledger {
    /// Registers everything that has come as [`Ledger::register`] does, and forgets what is gone, by id. Ids that are not registered are
    /// gone already. Gives everything that is registered then.
    ///
    /// # Errors
    /// Where no person decides, or where it was not written; then nothing of it was.
    pub async fn settle_registry(
        &self,
        now: Timestamp,
        come: Vec<(Subject, Arrival)>,
        gone: &[String],
        by: &Principal,
    ) -> Result<Vec<Registration>, RegistryError> {
        let settled = self.settle_registry_once(now, (come, gone), by, async { true }).await?;
        Ok(settled.unwrap_or_default())
    }

    /// The same for what is only about to come or go: everything is signed and written meanwhile, and made durable once `is_so`, or not
    /// at all. Other writers wait as long.
    ///
    /// # Errors
    /// As for [`Ledger::settle_registry`].
    pub async fn settle_registry_once(
        &self,
        now: Timestamp,
        (come, gone): (Vec<(Subject, Arrival)>, &[String]),
        by: &Principal,
        is_so: impl Future<Output = bool>,
    ) -> Result<Option<Vec<Registration>>, RegistryError> {
        person(by).map_err(|NotAPerson| RegistryError::NotAPerson)?;
        let mut writing = self.write(now).await?;
        let settled = writing.settle_registry(come, gone, by).await;
        if settled.is_ok() && !is_so.await {
            writing.abandon().await.map_err(WriteError::from)?;
            return Ok(None);
        }
        writing.finish(settled).await.map(Some)
    }
}

impl Writing<'_> {
    async fn settle_registry(
        &mut self,
        come: Vec<(Subject, Arrival)>,
        gone: &[String],
        by: &Principal,
    ) -> Result<Vec<Registration>, RegistryError> {
        let (gone, known): (Vec<_>, Vec<_>) =
            self.registered().await?.into_iter().partition(|known| gone.contains(&known.plugin));
        for known in &gone {
            self.forget(known, by).await?;
        }
        let mut known = Known::of(known);
        let mut beginnings = Vec::with_capacity(come.len());
        for (subject, arrival) in come {
            let plugin = known.name(&subject);
            let (before, others) = known.take(&plugin, &subject.place);
            if !others.is_empty() {
                // One of them may be about to begin.
                self.begin(std::mem::take(&mut beginnings), by).await?;
            }
            for other in &others {
                self.forget(other, by).await?;
            }
            let beginning = self.arrive(before, (plugin, subject, arrival), by)?;
            known.put(beginning.state().clone());
            beginnings.push(beginning);
        }
        self.begin(beginnings, by).await?;
        Ok(known.into_sorted())
    }
}
