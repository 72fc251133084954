//! The beginning of a state: its record, its row, its receipt and its event, signed together with those of others that begin with it.
//!
//! Which state follows which is decided where registrations are changed.

use super::change::Changed;
use super::rows::user;
use super::{EventType, Registration, RegistryError};
use crate::Principal;
use crate::chain::{self, Links, Writing, check_name};
use crate::key::{Purpose, Signature};
use crate::receipt::SkillRef;
use crate::record::{self, decision};

/// A state that is about to begin, with its place in the chain, before anybody has signed it.
pub(super) struct Beginning {
    next: Registration,
    record: record::Draft,
    receipt: chain::Draft,
    event: EventType,
    details: String,
}

impl Beginning {
    /// The state.
    pub(super) const fn state(&self) -> &Registration {
        &self.next
    }
}

impl Writing<'_> {
    /// Ends the state before and prepares the next.
    pub(super) fn prepare(
        &mut self,
        before: Option<Registration>,
        next: Registration,
        (event, details): (EventType, String),
        by: &Principal,
    ) -> Result<Beginning, RegistryError> {
        check_name("the event", Some(&details))?;
        let next = Registration { id: self.issue()?, updated_at: self.now, ..next };
        let record = self.draft_record(&next)?;
        let mut entry = decision(event.as_str(), by.clone());
        entry.skill = Some(SkillRef { name: next.subject.name.clone(), security_hash: None });
        entry.note = Some(details.clone());
        let ends = before.map(|before| before.id.to_string());
        let receipt = self.draft(entry, Links { begins: Some(record.reference()), ends })?;
        Ok(Beginning { next, record, receipt, event, details })
    }

    /// Lets states begin, in the order in which they were prepared.
    pub(super) async fn begin(
        &mut self,
        beginnings: Vec<Beginning>,
        by: &Principal,
    ) -> Result<Vec<Changed>, RegistryError> {
        let digests = |beginning: &Beginning| {
            [(Purpose::Record, beginning.record.digest), (Purpose::Receipt, beginning.receipt.hash)]
        };
        let wanted: Vec<_> = beginnings.iter().flat_map(digests).collect();
        let signatures = self.ledger.key.sign_all(&wanted);
        let (pairs, _) = signatures.as_chunks::<2>();
        let mut begun = Vec::with_capacity(beginnings.len());
        for (beginning, signatures) in beginnings.into_iter().zip(pairs) {
            begun.push(self.begin_signed(beginning, *signatures, by).await?);
        }
        Ok(begun)
    }

    /// Lets one begin.
    pub(super) async fn begin_one(
        &mut self,
        beginning: Beginning,
        by: &Principal,
    ) -> Result<Changed, RegistryError> {
        let key = &self.ledger.key;
        let record = key.sign(Purpose::Record, &beginning.record.digest);
        let receipt = key.sign(Purpose::Receipt, &beginning.receipt.hash);
        self.begin_signed(beginning, [record, receipt], by).await
    }

    async fn begin_signed(
        &mut self,
        beginning: Beginning,
        [record, receipt]: [Signature; 2],
        by: &Principal,
    ) -> Result<Changed, RegistryError> {
        let next = beginning.next;
        self.add_record(beginning.record, record).await?;
        self.put_row(&next).await?;
        let receipt = self.add(beginning.receipt, receipt).await?;
        let sql = "INSERT INTO plugin_events (id, installation, plugin_id, event_type, details, user_id, created_at) \
                   VALUES ($1, $2, $3, $4, $5, $6, $7)";
        let values = vec![
            receipt.receipt.id.to_string().into(),
            self.ledger.key.installation.as_str().into(),
            next.plugin.as_str().into(),
            beginning.event.as_str().into(),
            beginning.details.into(),
            user(by).into(),
            self.now.to_string().into(),
        ];
        self.session.execute(sql, values).await?;
        Ok((next, receipt))
    }
}
