//! Which cgroups of version 2 limits are enforced with, and what is refused where none can be had.
//!
//! For the machines of `cargo xtask vm-test` alone, as the words in the tests' names say. Whether limits hold is asked in `limits`.
#![cfg(target_os = "linux")]
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "all of this is tests, of the crate that starts processes"
)]

mod as_root;
mod delegated;
mod undelegated;
mod user_scope;
#[path = "../limits/world.rs"]
mod world;

/// The directory of this process's cgroup of version 2.
pub(crate) fn own_cgroup() -> String {
    let own = std::fs::read_to_string("/proc/self/cgroup").unwrap();
    let path = own.lines().find_map(|line| line.strip_prefix("0::")).unwrap();
    format!("/sys/fs/cgroup{path}")
}
