//! Calls that give a file its mode, allowed unless the mode has a set-id bit.
//!
//! A mount that can be written to, or the layer over one, lies on the host's disk, where such a file would lend its owner's rights to
//! whoever runs it, however little they meant inside.

use super::{Allowed, Condition};

const SET_ID: u64 = (libc::S_ISUID | libc::S_ISGID) as u64;

/// Flags of `open` without which its mode means nothing.
const CREATES: u64 = (libc::O_CREAT | (libc::O_TMPFILE & !libc::O_DIRECTORY)) as u64;

/// The calls. `openat2` is not among them: its mode lies in memory that a filter cannot see.
pub(super) fn calls() -> Vec<Allowed> {
    let mut calls = vec![
        giving("mknodat", libc::SYS_mknodat, 2),
        giving("fchmod", libc::SYS_fchmod, 1),
        giving("fchmodat", libc::SYS_fchmodat, 2),
        giving("fchmodat2", libc::SYS_fchmodat2, 2),
        opening("openat", libc::SYS_openat, 2),
    ];
    #[cfg(target_arch = "x86_64")]
    calls.extend([
        giving("mknod", libc::SYS_mknod, 1),
        giving("chmod", libc::SYS_chmod, 1),
        giving("creat", libc::SYS_creat, 1),
        opening("open", libc::SYS_open, 1),
    ]);
    calls
}

/// A call whose mode is this argument.
fn giving(name: &'static str, number: i64, mode: u8) -> Allowed {
    Allowed::when(name, number, vec![vec![lacks(mode, SET_ID)]])
}

/// A call with these flags, and behind them a mode that counts only where a file is made.
fn opening(name: &'static str, number: i64, flags: u8) -> Allowed {
    Allowed::when(name, number, vec![vec![lacks(flags, CREATES)], vec![lacks(flags + 1, SET_ID)]])
}

fn lacks(argument: u8, bits: u64) -> Condition {
    Condition { argument, mask: bits, value: 0 }
}
