//! A process that shares the memory of the one that starts it, on a stack of its own, until it executes a program: a copy would be made
//! only to be thrown away.

use std::cell::UnsafeCell;
use std::mem::MaybeUninit;

use rustix::io::Errno;
use rustix::process::Pid;

use super::last;

/// Bytes of a stack. What is never touched of it costs nothing, so it lies where nobody probes it page by page.
const SIZE: usize = 64 << 10;

/// A stack for one process at a time.
#[derive(Debug)]
pub(in crate::embedded) struct Stack(Box<[MaybeUninit<UnsafeCell<u128>>]>);

impl Stack {
    /// Makes one, which allocates.
    pub(in crate::embedded) fn new() -> Stack {
        Stack(Box::new_uninit_slice(SIZE / size_of::<u128>()))
    }

    /// Where it begins, since it grows down; aligned as calls expect it.
    fn top(&self) -> *mut libc::c_void {
        self.0.as_ptr_range().end.cast_mut().cast()
    }
}

/// A new process that lives this life, started by a call that passes the container's own filter. It borrows the memory of this one, which
/// waits until it has executed a program or exited.
///
/// # Safety
/// As for [`super::fork`]; what the life writes to, this process finds written, and nobody else may be on the stack.
pub(in crate::embedded) unsafe fn start_behind_filter<Life: Fn() -> i32>(
    stack: &Stack,
    life: &Life,
) -> Result<Pid, Errno> {
    extern "C" fn live<Life: Fn() -> i32>(life: *mut libc::c_void) -> i32 {
        // SAFETY: the life outlasts the call below, which returns only when this one is over.
        let life = unsafe { &*life.cast_const().cast::<Life>() };
        life()
    }
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
    let life = std::ptr::from_ref(life).cast_mut().cast();
    // SAFETY: the stack is alive and nobody's, and this process waits.
    match unsafe { libc::clone(live::<Life>, stack.top(), flags, life) } {
        -1 => Err(last()),
        pid => Pid::from_raw(pid).ok_or(Errno::SRCH),
    }
}
