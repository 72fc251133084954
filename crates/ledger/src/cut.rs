//! Accepting that the end of the chain is lost: a database was restored from a backup, or somebody has cut it.
//!
//! Nothing is written while the head remembers more than the database holds, since the next receipt would take the place of
//! a lost one. A person can accept the loss; the chain then says for ever what was lost and who accepted it.

use crate::chain::{Links, WriteError};
use crate::receipt::{Cut, Entry, Kind, SignedReceipt};
use crate::record::{NotAPerson, person};
use crate::{Ledger, Principal, Timestamp};

/// Why a loss was not accepted.
#[derive(Debug, thiserror::Error)]
pub enum AcceptError {
    /// Nothing is lost.
    #[error("nothing is lost: the chain ends where its head says")]
    NothingLost,
    /// Only people decide.
    #[error("an agent cannot decide this; it takes a person")]
    NotAPerson,
    /// It could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

impl Ledger {
    /// Accepts that the end of the chain is lost, so that the ledger can be written to again.
    ///
    /// # Errors
    /// Where nothing is lost, where no person decides, or where it was not written.
    pub async fn accept_cut(
        &self,
        now: Timestamp,
        note: String,
        by: Principal,
    ) -> Result<SignedReceipt, AcceptError> {
        person(&by).map_err(|NotAPerson| AcceptError::NotAPerson)?;
        match self.write(now).await {
            Ok(writing) => {
                writing.abandon().await.map_err(WriteError::from)?;
                return Err(AcceptError::NothingLost);
            }
            Err(error) if !is_about_the_head(&error) => return Err(error.into()),
            Err(_) => {}
        }
        // A head that cannot be read is as lost as the receipts that it remembered.
        let head = self.head.read(&self.key.public).ok().flatten();
        let mut writing = self.write_unchecked(now).await?;
        let cut = Cut {
            acknowledged: head.as_ref().map(|head| head.seq),
            hash: head.as_ref().map(|head| head.hash),
            found: writing.tail().seq,
        };
        let entry = Entry { cut: Some(cut), note: Some(note), ..Entry::new(Kind::Cut, "cut_accepted", by) };
        let receipt = writing.append(entry, Links::default()).await?;
        writing.commit_over_head().await?;
        Ok(receipt)
    }
}

/// Whether the chain's head is what stands in the way.
const fn is_about_the_head(error: &WriteError) -> bool {
    matches!(
        error,
        WriteError::TailCut { .. }
            | WriteError::HeadMissing { .. }
            | WriteError::Forked { .. }
            | WriteError::Head(crate::HeadError::Unreadable { .. })
    )
}
