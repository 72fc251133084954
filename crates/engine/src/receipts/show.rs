//! `receipts show`: one receipt as it was signed.

use guild_ledger::ReceiptId;

use crate::reply::ReceiptShow;
use crate::{Books, Code, Envelope, Refusal};

/// Shows a receipt, and says whether its signature is this installation's.
pub async fn receipts_show(books: &Books, id: &str) -> Envelope<ReceiptShow> {
    match found(books, id).await {
        Ok(shown) => Envelope::ok(shown),
        Err(refusal) => refusal.into_envelope(),
    }
}

async fn found(books: &Books, id: &str) -> Result<ReceiptShow, Refusal> {
    let unknown = || {
        let message = format!("there is no receipt `{id}`; `guild receipts list` shows those that there are");
        Refusal::new(Code::ReceiptNotFound, message)
    };
    let receipt: ReceiptId = id.parse().map_err(|_| unknown())?;
    let receipt = books.ledger.receipt(receipt).await.map_err(|error| books.refusal(error))?;
    let receipt = receipt.ok_or_else(unknown)?;
    Ok(ReceiptShow::of(&receipt, &books.ledger.public_key()))
}
