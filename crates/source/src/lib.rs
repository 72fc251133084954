//! Where the content of skills comes from, and where it is kept.
//!
//! [`store`] is the only reader of trees. Nothing of what is read is executed, and no network is spoken to yet.

pub mod store;
