//! Calls that could take hold of something of the host's which no limit of the container counts, or look on at what the host does, allowed
//! unless they do.
//!
//! Huge pages come from a pool of the machine's and are no part of a cgroup's memory. A lease on a file can be had with the file open
//! for reading alone, and keeps everybody on the host who would write to it waiting for up to a minute. A watch tells who opens and reads a
//! file, whoever that is and wherever: with one of `/usr/bin`, which programs the people of this machine start.

use super::names::call;
use super::{Allowed, Answer, Condition};

/// Flags by which `mmap`, `memfd_create` and `shmget` take huge pages.
const MAP_HUGE: u64 = 0x4_0000;
const MEMORY_FILE_HUGE: u64 = 4;
const SHARED_HUGE: u64 = 0o4000;

/// What a watch may not ask for: that a file was read, opened, or closed as it was. Whether it has changed can be seen anyhow.
const ONLOOKERS: u64 = 0x31;

/// The command of `fcntl` that takes a lease. All others lack its one bit, or have one of the lowest four besides.
const SET_LEASE: u64 = 1024;

/// The calls.
pub(super) fn calls() -> Vec<Allowed> {
    let command = |mask, value| vec![Condition { argument: 1, mask, value }];
    let other_commands =
        [(SET_LEASE, 0), (1, 1), (2, 2), (4, 4), (8, 8)].map(|(mask, value)| command(mask, value));
    // Programs that watch files look at them from time to time where they cannot.
    let watch = Allowed { otherwise: Answer::Absent, ..lacking(call!(SYS_inotify_add_watch), 2, ONLOOKERS) };
    vec![
        watch,
        lacking(call!(SYS_mmap), 3, MAP_HUGE),
        lacking(call!(SYS_memfd_create), 1, MEMORY_FILE_HUGE),
        lacking(call!(SYS_shmget), 2, SHARED_HUGE),
        Allowed::when(call!(SYS_fcntl), other_commands.to_vec()),
    ]
}

/// A call whose argument of this number lacks these bits.
fn lacking(call: (&'static str, i64), argument: u8, bits: u64) -> Allowed {
    Allowed::when(call, vec![vec![Condition { argument, mask: bits, value: 0 }]])
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    #[test]
    fn the_flags_are_the_systems() {
        assert_eq!(MAP_HUGE, libc::MAP_HUGETLB as u64);
        assert_eq!(MEMORY_FILE_HUGE, u64::from(libc::MFD_HUGETLB));
        assert_eq!(SHARED_HUGE, libc::SHM_HUGETLB as u64);
        assert_eq!(SET_LEASE, libc::F_SETLEASE as u64);
        assert_eq!(ONLOOKERS, u64::from(libc::IN_ACCESS | libc::IN_OPEN | libc::IN_CLOSE_NOWRITE));
    }

    #[test]
    fn no_other_command_looks_like_a_lease() {
        let calls = calls();
        let fcntl = calls.iter().find(|call| call.name == "fcntl").unwrap();
        let allowed = |command: u64| {
            fcntl.when.iter().flatten().any(|condition| command & condition.mask == condition.value)
        };
        let refused: Vec<u64> = (0..1040).filter(|command| !allowed(*command)).collect();
        assert_eq!(refused, [SET_LEASE]);
    }
}
