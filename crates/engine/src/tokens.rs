//! Tokens: how programs and people that talk to the server say who they are.
//!
//! The server asks the ledger whom a token stands for; here they are made, listed and revoked.

mod create;
mod list;
mod revoke;

pub use create::{TokenRequest, token_create};
pub use list::token_list;
pub use revoke::token_revoke;
