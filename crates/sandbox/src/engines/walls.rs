//! The second wall around a command in an engine's container: Landlock, as in the embedded runtime.
//!
//! Engines know nothing of it, so the command puts itself behind it, with the words of [`super::first`]: should anything in the
//! container be writable by mistake it still cannot be written to. A pipe of the host's that a read-only mount shows is such a thing,
//! and so is `/proc`. Where the engine runs on another kernel nobody knows what that one has, and the wall is left out.

use crate::policy::Policy;

/// What is withheld, and where it is not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Walls {
    /// Rights that are withheld: on files, on ports, and beyond the container.
    pub(super) withheld: [u64; 3],
    /// Rights, and the path in and below which there are those. Without any there is no wall.
    pub(super) rules: Vec<(u64, String)>,
}

/// The wall for commands of this policy, in an engine on this machine.
#[cfg(target_os = "linux")]
pub(super) fn for_policy(policy: &Policy, shared_memory: bool) -> Walls {
    use crate::embedded::Landlock;
    let Some(landlock) = Landlock::for_engine(policy) else { return Walls::default() };
    let files: Vec<&str> = policy
        .mounts
        .iter()
        .filter(|mount| !mount.source.is_dir())
        .filter_map(|mount| mount.target.to_str())
        .collect();
    let mut rules = Vec::new();
    for (rights, path) in landlock.rules() {
        // Other paths have been refused before.
        let Ok(path) = path.to_str() else { continue };
        let rights = if files.contains(&path) { Landlock::on_file(rights) } else { rights };
        rules.push((rights, path.to_owned()));
    }
    if shared_memory {
        rules.push((landlock.on_writable(), "/dev/shm".to_owned()));
    }
    Walls { withheld: landlock.withheld(), rules }
}

/// Elsewhere engines run containers on another kernel.
#[cfg(not(target_os = "linux"))]
pub(super) fn for_policy(_policy: &Policy, _shared_memory: bool) -> Walls {
    Walls::default()
}
