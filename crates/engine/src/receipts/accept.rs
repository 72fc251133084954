//! `receipts accept-loss`: a person says that the end of the chain is lost, and the ledger can be written to again.

use guild_ledger::{AcceptError, Principal, Role, Timestamp};

use crate::reply::{ReceiptLine, ReceiptsAcceptLoss};
use crate::{Books, Code, Envelope, Refusal};

/// Accepts that the end of the chain is lost; the chain says for ever what was lost, why and who accepted it.
pub async fn receipts_accept_loss(
    books: &Books,
    now: Timestamp,
    reason: &str,
    by: Principal,
) -> Envelope<ReceiptsAcceptLoss> {
    match accept(books, now, reason, by).await {
        Ok(receipt) => Envelope::ok(ReceiptsAcceptLoss { receipt: Some(receipt) }),
        Err(refusal) => refusal.into_envelope(),
    }
}

async fn accept(books: &Books, now: Timestamp, reason: &str, by: Principal) -> Result<ReceiptLine, Refusal> {
    books.authorise(now, &by, Role::Admin).await?;
    let accepted = books.ledger.accept_cut(now, reason.to_owned(), by).await;
    let receipt = accepted.map_err(|error| match error {
        AcceptError::NothingLost => Refusal::new(Code::NothingLost, error.to_string()),
        AcceptError::NotAPerson => Refusal::new(Code::PersonRequired, error.to_string()),
        AcceptError::Write(error) => books.refusal(error),
    })?;
    Ok(ReceiptLine::of(&receipt))
}
