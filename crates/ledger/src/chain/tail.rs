//! The end of a chain, and whether it is the one that was acknowledged.
//!
//! Only the last receipts are looked at; the whole chain is checked by `verify`.

use guild_manifest::Digest;
use ulid::Ulid;

use super::{WriteError, Writing};
use crate::database::Connection;
use crate::head::Head;
use crate::receipt::SignedReceipt;
use crate::{Ledger, ReceiptId, StoreError};

/// The end of a chain.
pub(crate) struct Tail {
    pub(crate) seq: u64,
    pub(crate) hash: Digest,
    /// The last id that was issued.
    pub(super) last: Option<Ulid>,
}

impl Writing<'_> {
    /// Compares the end of the chain with the head that is remembered, and makes one for a chain that is empty.
    pub(super) async fn compare(&mut self, head: Option<Head>) -> Result<(), WriteError> {
        let tail = &self.tail;
        let Some(head) = head else {
            if tail.seq > 0 {
                return Err(WriteError::HeadMissing { found: tail.seq });
            }
            let genesis = Head::genesis(&self.ledger.key, self.now);
            return Ok(self.ledger.head.replace(&self.ledger.key, genesis)?);
        };
        if head.seq > tail.seq {
            return Err(WriteError::TailCut { acknowledged: head.seq, found: tail.seq });
        }
        if head.seq == tail.seq {
            return if head.hash == tail.hash { Ok(()) } else { Err(WriteError::Forked { seq: head.seq }) };
        }
        self.compare_beyond(&head).await
    }

    /// Writers that were killed before they could remember the head leave receipts beyond it. The head's own receipt must
    /// still be there, and the last one must be ours.
    async fn compare_beyond(&mut self, head: &Head) -> Result<(), WriteError> {
        let forked = |seq| WriteError::Forked { seq };
        let sql = "SELECT seq, body, signature FROM receipts WHERE installation = $1 AND seq IN ($2, $3)";
        let installation = self.ledger.key.installation.as_str();
        let numbers = vec![installation.into(), head.seq.into(), self.tail.seq.into()];
        let mut met_head = head.seq == 0;
        for row in self.session.rows(sql, numbers).await? {
            let seq = row.number(0)?;
            let signed = SignedReceipt::read(row.text(1)?, row.text(2)?).ok_or(forked(seq))?;
            met_head |= seq == head.seq && signed.hash == head.hash;
            if seq == self.tail.seq && !signed.is_signed_by(&self.ledger.key.public) {
                return Err(forked(seq));
            }
        }
        if met_head { Ok(()) } else { Err(forked(head.seq)) }
    }
}

impl Tail {
    pub(super) async fn read(connection: &mut Connection, ledger: &Ledger) -> Result<Self, StoreError> {
        let sql = "SELECT seq, id, body FROM receipts WHERE installation = $1 ORDER BY seq DESC LIMIT 1";
        let row = connection.row(sql, vec![ledger.key.installation.as_str().into()]).await?;
        match row {
            None => Ok(Self { seq: 0, hash: ledger.key.public.genesis(), last: None }),
            Some(row) => Ok(Self {
                seq: row.number(0)?,
                last: row.text(1)?.parse().ok().map(ReceiptId::ulid),
                hash: Digest::of(row.text(2)?.as_bytes()),
            }),
        }
    }
}
