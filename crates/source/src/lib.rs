//! Where the content of skills comes from, and where it is kept.
//!
//! [`spec`] reads what a person typed, [`git`], [`http`], [`npm`], [`oci`] and [`archive`] get it, [`store`] keeps it and is the only reader of trees, [`lock`]
//! says what is installed ([`foreign`] the same by others) and [`site`] changes that, all at once or not at all. Nothing of what is read is executed.

pub mod archive;
mod beside;
pub mod bounded;
mod durable;
pub mod foreign;
pub mod git;
pub mod http;
pub mod landing;
pub mod lock;
pub mod npm;
pub mod oci;
pub mod site;
pub mod spec;
pub mod store;
pub mod well_known;
