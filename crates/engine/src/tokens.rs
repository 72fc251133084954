//! Tokens: how programs and people that talk to the server say who they are.
//!
//! Here they are made, listed and revoked, and told whom they let in.

mod caller;
mod create;
mod list;
mod revoke;

pub use caller::{Caller, token_caller};
pub use create::{TokenRequest, token_create};
pub use list::token_list;
pub use revoke::token_revoke;
