//! Attacks on containers, one test each, against the real kernel.
//!
//! Each is declared once and run twice, as root and as an ordinary user (`as_root` and `as_user` in the tests' names), against every
//! backend that `GUILD_ATTACK_BACKENDS` names (`embedded` unless it is set; of engines the daemon is root's, and an ordinary user is let
//! in). Where a feature of the machine is missing they fail; they never skip. A suite that is started by an ordinary user
//! selects the tests it can run by name: `-E 'test(as_user)'`.
#![cfg(target_os = "linux")]
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    unsafe_code,
    reason = "all of this is tests, of the crate that starts processes and talks to the kernel"
)]

#[macro_use]
mod arena;

mod copy_on_write;
mod descriptors;
mod exec_in_container;
mod files;
mod identity;
mod kept_output;
mod kernel;
mod lifetime;
mod mounts;
mod network;
mod output;
mod processes;
mod procfs;
mod refusals;
mod resources;
