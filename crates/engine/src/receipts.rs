//! Receipts: looked through, shown, proved whole, taken elsewhere.
//!
//! They are written by the operations that they are about.

mod accept;
mod export;
mod list;
mod show;
mod verify;

pub use accept::receipts_accept_loss;
pub use export::{receipts_export, receipts_exported};
pub use list::{ReceiptsRequest, receipts_list};
pub use show::receipts_show;
pub use verify::{receipts_verify, receipts_verify_file};
