//! The pulse: whether anything has happened since somebody looked last.
//!
//! Whatever happens leaves a receipt, whichever process does it, so that one look at the newest receipt tells. What has happened is not
//! told: whoever wants to know asks for that.

use crate::premises::Premises;
use crate::receipts::{ReceiptsRequest, receipts_list};

/// The state that two looks are compared by.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pulse {
    /// The newest receipt.
    pub receipt: Option<String>,
    /// The version of the skills' snapshot.
    pub snapshot: String,
}

/// Feels the pulse.
pub async fn pulse(premises: &Premises) -> Pulse {
    let newest = ReceiptsRequest { limit: 1, ..ReceiptsRequest::default() };
    let newest = receipts_list(&premises.books, &newest).await.data.receipts;
    Pulse {
        receipt: newest.into_iter().next().map(|receipt| receipt.id),
        snapshot: premises.hall().snapshot.version.to_string(),
    }
}
