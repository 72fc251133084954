//! `receipts show`: one receipt as it was signed, and what is still kept of what the run printed.

use guild_ledger::ReceiptId;
use guild_source::store::Store;

use crate::reply::ReceiptShow;
use crate::{Books, Code, Envelope, Refusal};

/// Shows a receipt, and says whether its signature is this installation's. What was printed comes from the store, where it is kept
/// under the digests in the receipt.
pub async fn receipts_show(books: &Books, store: Option<&Store>, id: &str) -> Envelope<ReceiptShow> {
    match found(books, store, id).await {
        Ok(shown) => Envelope::ok(shown),
        Err(refusal) => refusal.into_envelope(),
    }
}

async fn found(books: &Books, store: Option<&Store>, id: &str) -> Result<ReceiptShow, Refusal> {
    let unknown = || {
        let message = format!("there is no receipt `{id}`; `guild receipts list` shows those that there are");
        Refusal::new(Code::ReceiptNotFound, message)
    };
    let receipt: ReceiptId = id.parse().map_err(|_| unknown())?;
    let receipt = books.ledger.receipt(receipt).await.map_err(|error| books.refusal(error))?;
    let receipt = receipt.ok_or_else(unknown)?;
    let printed = |name: &str| {
        let output = receipt.receipt.entry.outcome.as_ref()?.outputs.get(name)?;
        let bytes = store?.get_log(&output.digest).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    };
    let (stdout, stderr) = (printed("stdout"), printed("stderr"));
    Ok(ReceiptShow { stdout, stderr, ..ReceiptShow::of(&receipt, &books.ledger.public_key()) })
}
