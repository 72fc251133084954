//! What becomes of what a command wrote to a copy-on-write mount, told by real overlays and real trees: files and a shell script
//! in, short text out.
//!
//! Everything happens both as root and as a user without privileges; where the tests are not run by root, as that user alone.
#![cfg(target_os = "linux")]
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on must fail at once"
)]

mod applying;
mod conflicts;
mod contained;
mod crashes;
mod hostile;
mod listing;
mod random;
mod store;
mod world;
