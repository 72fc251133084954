//! Landlock's three calls. What its rules are is decided elsewhere; nothing here allocates.

use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};

use rustix::io::Errno;

use super::{done, last};

/// The Landlock version of this kernel; `None` where it is not built in or switched off.
pub(in crate::embedded) fn landlock_version() -> Option<u32> {
    // SAFETY: with the version flag the kernel reads no memory.
    let version = unsafe {
        libc::syscall(libc::SYS_landlock_create_ruleset, std::ptr::null::<u8>(), 0_usize, LANDLOCK_VERSION)
    };
    u32::try_from(version).ok().filter(|version| *version > 0)
}

const LANDLOCK_VERSION: u32 = 1;

/// What a Landlock rule set governs: `landlock_ruleset_attr`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::embedded) struct LandlockRuleset {
    /// Rights on files.
    pub(in crate::embedded) files: u64,
    /// Rights on TCP ports.
    pub(in crate::embedded) ports: u64,
    /// What is confined to the own domain.
    pub(in crate::embedded) scoped: u64,
}

#[repr(C, packed)]
struct LandlockPathBeneath {
    allowed: u64,
    parent: i32,
}

/// A rule set that denies everything it governs.
pub(in crate::embedded) fn landlock_create(ruleset: &LandlockRuleset) -> Result<OwnedFd, Errno> {
    // SAFETY: the structure is valid for its size, and the kernel checks what of it it knows.
    let fd = unsafe {
        libc::syscall(
            libc::SYS_landlock_create_ruleset,
            &raw const *ruleset,
            size_of::<LandlockRuleset>(),
            0_u32,
        )
    };
    if fd < 0 {
        return Err(last());
    }
    // SAFETY: the kernel has just made this descriptor for us.
    Ok(unsafe { OwnedFd::from_raw_fd(fd as RawFd) })
}

/// Allows rights beneath a directory, or on a file.
pub(in crate::embedded) fn landlock_allow(
    ruleset: BorrowedFd<'_>,
    parent: BorrowedFd<'_>,
    allowed: u64,
) -> Result<(), Errno> {
    let rule = LandlockPathBeneath { allowed, parent: parent.as_raw_fd() };
    const PATH_BENEATH: u32 = 1;
    // SAFETY: the structure is valid, and the rule type says which one it is.
    done(unsafe {
        libc::syscall(libc::SYS_landlock_add_rule, ruleset.as_raw_fd(), PATH_BENEATH, &raw const rule, 0_u32)
    })
}

/// Puts this process, and all it starts, under the rule set.
pub(in crate::embedded) fn landlock_enforce(ruleset: BorrowedFd<'_>) -> Result<(), Errno> {
    // SAFETY: only this process's credentials change.
    done(unsafe { libc::syscall(libc::SYS_landlock_restrict_self, ruleset.as_raw_fd(), 0_u32) })
}
