//! `receipts list`: receipts that fit what is asked for, the newest first, page by page.

use guild_ledger::Filter;

use crate::reply::ReceiptsList;
use crate::{Books, Envelope};

/// Which receipts.
#[derive(Debug, Clone, Default)]
pub struct ReceiptsRequest<'a> {
    /// What they are about.
    pub filter: Filter,
    /// At most so many.
    pub limit: usize,
    /// Where the page before said that the next one begins.
    pub after: Option<&'a str>,
}

/// A page of receipts.
pub async fn receipts_list(books: &Books, request: &ReceiptsRequest<'_>) -> Envelope<ReceiptsList> {
    match books.ledger.receipts(&request.filter, request.after, request.limit).await {
        Ok(page) => Envelope::ok(ReceiptsList::of(&page)),
        Err(error) => books.refusal(error).into_envelope(),
    }
}
