//! Calls that give a file its mode, allowed unless the mode has a set-id bit.
//!
//! A mount that can be written to, or the layer over one, lies on the host's disk, where such a file would lend its owner's rights to
//! whoever runs it, however little they meant inside.

use super::names::call;
use super::{Allowed, Condition};

const SET_ID: u64 = 0o6000;

/// Flags of `open` without which its mode means nothing.
const CREATES: u64 = 0o100 | 0o20_000_000;

/// The calls. `openat2` is not among them: its mode lies in memory that a filter cannot see.
pub(super) fn calls() -> Vec<Allowed> {
    let mut calls = vec![
        giving(call!(SYS_mknodat), 2),
        giving(call!(SYS_fchmod), 1),
        giving(call!(SYS_fchmodat), 2),
        giving(call!(SYS_fchmodat2), 2),
        opening(call!(SYS_openat), 2),
    ];
    #[cfg(target_arch = "x86_64")]
    calls.extend([
        giving(call!(SYS_mknod), 1),
        giving(call!(SYS_chmod), 1),
        giving(call!(SYS_creat), 1),
        opening(call!(SYS_open), 1),
    ]);
    calls
}

/// A call whose mode is this argument.
fn giving(call: (&'static str, i64), mode: u8) -> Allowed {
    Allowed::when(call, vec![vec![lacks(mode, SET_ID)]])
}

/// A call with these flags, and behind them a mode that counts only where a file is made.
fn opening(call: (&'static str, i64), flags: u8) -> Allowed {
    Allowed::when(call, vec![vec![lacks(flags, CREATES)], vec![lacks(flags + 1, SET_ID)]])
}

fn lacks(argument: u8, bits: u64) -> Condition {
    Condition { argument, mask: bits, value: 0 }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    #[test]
    fn the_bits_are_the_systems() {
        assert_eq!(SET_ID, u64::from(libc::S_ISUID | libc::S_ISGID));
        assert_eq!(CREATES, (libc::O_CREAT | (libc::O_TMPFILE & !libc::O_DIRECTORY)) as u64);
    }
}
