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

/// The cgroups within one.
pub(crate) fn subdirectories(directory: &str) -> Vec<String> {
    let entries = std::fs::read_dir(directory).unwrap().flatten();
    let within = entries.filter(|entry| entry.file_type().unwrap().is_dir());
    within.map(|entry| entry.file_name().into_string().unwrap()).collect()
}

/// Waits until this process is in its own cgroup again, and nothing else: the last container is taken down after its end was told.
#[track_caller]
pub(crate) fn wait_until_given_back(own: &str) {
    guild_testkit::wait_until("the own cgroup is given back", || {
        own_cgroup() == own && subdirectories(own).is_empty()
    });
}
