//! Docker and Podman as backends, against real daemons.
//!
//! Every test is run with both. What is hostile is the attacks' business; here the engines do what a policy says.
//!
//! Both share one snapshot, so rewrite it with one of them: `UPDATE_EXPECT=1 cargo test -p guild-sandbox --test engines docker::`.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    unsafe_code,
    reason = "all of this is tests, of the crate that talks to the kernel"
)]

mod command;
mod container;
mod ending;
mod keep;
mod limits;
mod mounts;
mod refusal;
mod root;
mod world;
