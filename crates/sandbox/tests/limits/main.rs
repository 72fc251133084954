//! Limits on memory, processes and processors hold, and nothing of them is left: on whichever cgroups the machine has.
//!
//! The same tests run here and, with `cargo xtask vm-test`, on pure cgroup v2, in a delegated cgroup and in a login session.
#![cfg(target_os = "linux")]
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "all of this is tests, of the crate that starts processes"
)]

mod enforced;
mod residue;
mod world;
