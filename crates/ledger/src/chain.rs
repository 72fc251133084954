//! Writing to the chain: everything that changes the ledger is one transaction with at least one receipt in it.
//!
//! Before anything is added the end of the chain is compared with the head outside the database; where they disagree nothing
//! is written, since a new receipt would bury the evidence. The whole chain is checked by `verify`, not here.

mod columns;
mod failure;
mod news;
mod tail;

use guild_manifest::{Digest, canonical};
use ulid::Ulid;

pub(crate) use columns::Columns;
pub use failure::WriteError;
pub(crate) use news::News;
use tail::Tail;

use crate::entropy::NoEntropy;
use crate::head::Head;
use crate::id;
use crate::key::{Purpose, Signature};
use crate::ledger::Session;
use crate::receipt::{self, Entry, Kind, Receipt, Reference, SignedReceipt};
use crate::{Ledger, ReceiptId, StoreError, Timestamp};

/// The longest text of a receipt or record; whoever has more keeps its digest.
pub const MAX_TEXT: usize = 1 << 20;

/// What a receipt does to records.
#[derive(Debug, Default)]
pub(crate) struct Links {
    pub(crate) begins: Option<Reference>,
    pub(crate) ends: Option<String>,
}

/// A receipt that nobody has signed yet.
pub(crate) struct Draft {
    receipt: Receipt,
    text: String,
    /// What is to be signed.
    pub(crate) hash: Digest,
}

/// A transaction that adds to the chain.
pub(crate) struct Writing<'l> {
    pub(crate) ledger: &'l Ledger,
    pub(crate) session: Session<'l>,
    pub(crate) now: Timestamp,
    tail: Tail,
}

impl Ledger {
    /// Writes a receipt of something that needs nothing else to be written: a denial, a load, a decision about what lies elsewhere.
    ///
    /// # Errors
    /// Where it was not written, or the head does not fit the chain.
    pub async fn append(&self, now: Timestamp, entry: Entry) -> Result<SignedReceipt, WriteError> {
        if !matches!(entry.kind, Kind::Denied | Kind::Load | Kind::Decision) {
            return Err(WriteError::NotOnItsOwn(entry.kind));
        }
        let mut writing = self.write(now).await?;
        let receipt = writing.append(entry, Links::default()).await?;
        writing.commit().await?;
        Ok(receipt)
    }

    /// Makes the head of a chain that is empty, which takes two syncs and whoever writes first would else wait for.
    ///
    /// # Errors
    /// Where it cannot be made, or the head does not fit the chain.
    pub async fn begin_chain(&self, now: Timestamp) -> Result<(), WriteError> {
        Ok(self.write(now).await?.abandon().await?)
    }

    /// Begins to write, once the end of the chain has been found to be what it was.
    pub(crate) async fn write(&self, now: Timestamp) -> Result<Writing<'_>, WriteError> {
        let mut writing = self.write_unchecked(now).await?;
        let head = self.head.read(&self.key.public)?;
        writing.compare(head).await?;
        Ok(writing)
    }

    /// Begins to write whatever the head says.
    pub(crate) async fn write_unchecked(&self, now: Timestamp) -> Result<Writing<'_>, WriteError> {
        let lock = self.key.installation.lock_number();
        let mut session = self.session().await?;
        match session.begin(lock).await {
            // The connection may have broken while nobody used it; nothing was asked of it yet.
            Err(StoreError::Unreachable(_)) => {
                drop(session);
                session = self.session().await?;
                session.begin(lock).await?;
            }
            begun => begun?,
        }
        let tail = Tail::read(&mut session, self).await?;
        self.news.find(tail.seq);
        Ok(Writing { ledger: self, session, now, tail })
    }
}

impl Writing<'_> {
    /// A new id, after all that this installation has issued here before.
    pub(crate) fn issue<I: From<Ulid>>(&mut self) -> Result<I, NoEntropy> {
        let ulid = id::next(self.now, self.tail.last)?;
        self.tail.last = Some(ulid);
        Ok(ulid.into())
    }

    /// Adds a receipt.
    pub(crate) async fn append(&mut self, entry: Entry, links: Links) -> Result<SignedReceipt, WriteError> {
        let draft = self.draft(entry, links)?;
        let signature = self.ledger.key.sign(Purpose::Receipt, &draft.hash);
        self.add(draft, signature).await
    }

    /// The next receipt, with its place in the chain. It has to be added before anything is committed.
    pub(crate) fn draft(&mut self, entry: Entry, links: Links) -> Result<Draft, WriteError> {
        let id: ReceiptId = self.issue()?;
        let receipt = Receipt {
            version: receipt::VERSION,
            id,
            installation: self.ledger.key.installation.clone(),
            seq: self.tail.seq + 1,
            previous: self.tail.hash,
            at: self.now,
            begins: links.begins,
            ends: links.ends,
            entry,
        };
        Columns::of(&receipt).check()?;
        let text = bounded(canonical::to_string(&receipt)?)?;
        let hash = Digest::of(text.as_bytes());
        self.tail = Tail { seq: receipt.seq, hash, last: Some(id.ulid()) };
        Ok(Draft { receipt, text, hash })
    }

    /// Adds a receipt that was drafted, with the signature of its digest.
    pub(crate) async fn add(
        &mut self,
        draft: Draft,
        signature: Signature,
    ) -> Result<SignedReceipt, WriteError> {
        let Draft { receipt, text, hash } = draft;
        let signed = SignedReceipt { receipt, text, hash, signature: signature.to_string() };
        self.insert(&signed).await?;
        Ok(signed)
    }

    /// Makes everything durable and remembers how far the chain has come.
    pub(crate) async fn commit(mut self) -> Result<(), WriteError> {
        self.session.commit().await?;
        self.ledger.news.leave(self.tail.seq);
        self.ledger.head.advance(&self.ledger.key, self.head())?;
        self.session.done();
        Ok(())
    }

    /// Makes everything durable and forgets whatever head was remembered before.
    pub(crate) async fn commit_over_head(mut self) -> Result<(), WriteError> {
        self.session.commit().await?;
        self.ledger.news.leave(self.tail.seq);
        self.ledger.head.replace(&self.ledger.key, self.head())?;
        self.session.done();
        Ok(())
    }

    fn head(&self) -> Head {
        Head::new(&self.ledger.key, self.tail.seq, self.tail.hash, self.now)
    }

    /// Leaves everything as it was.
    pub(crate) async fn abandon(mut self) -> Result<(), StoreError> {
        self.session.rollback().await?;
        self.session.done();
        Ok(())
    }

    /// The end of the chain, with what was added.
    pub(crate) const fn tail(&self) -> &Tail {
        &self.tail
    }

    async fn insert(&mut self, signed: &SignedReceipt) -> Result<(), WriteError> {
        let receipt = &signed.receipt;
        let columns = Columns::of(receipt);
        if receipt.seq == 1 {
            let sql = "INSERT INTO installations (id, public_key) VALUES ($1, $2) ON CONFLICT DO NOTHING";
            let key = self.ledger.key.public.to_string();
            self.session.execute(sql, vec![receipt.installation.as_str().into(), key.into()]).await?;
        }
        let sql = "INSERT INTO receipts (installation, seq, id, kind, agent, code, skill, run, begins, ends, body, signature) \
                   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)";
        let mut values = vec![receipt.installation.as_str().into(), receipt.seq.into()];
        values.extend(columns.values());
        values.extend([signed.text.as_str().into(), signed.signature.as_str().into()]);
        self.session.execute(sql, values).await?;
        if let Some(ended) = &receipt.ends {
            let sql = "UPDATE records SET ended = $1 WHERE id = $2 AND ended IS NULL";
            self.session.execute(sql, vec![receipt.id.to_string().into(), ended.as_str().into()]).await?;
        }
        Ok(())
    }
}

/// Refuses a name with a zero character, which PostgreSQL does not take.
pub(crate) fn check_name(what: &'static str, name: Option<&str>) -> Result<(), WriteError> {
    if name.is_some_and(|name| name.contains('\0')) {
        Err(WriteError::ZeroCharacter { what })
    } else {
        Ok(())
    }
}

/// A text, unless it is too long to be kept.
pub(crate) fn bounded(text: String) -> Result<String, WriteError> {
    if text.len() > MAX_TEXT { Err(WriteError::TooLarge { bytes: text.len() }) } else { Ok(text) }
}
