//! Processes that share the memory of the one that starts them, on a stack of their own, until they execute a program or exit: a copy would
//! be made only to be thrown away.

use std::cell::{Cell, UnsafeCell};
use std::mem::MaybeUninit;
use std::os::fd::BorrowedFd;

use rustix::io::Errno;
use rustix::process::Pid;

use super::signals::Held;
use super::{CloneFlags, Forked, enter_namespace, fork, last, wait_for_code};

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
    // SAFETY: as the caller says.
    unsafe { start(stack, 0, life) }
}

/// A new process that is born in the namespaces that its go-between has entered, in this order, and yet is this one's own child. Only a
/// process with one thread can enter a user namespace; the go-between is one that borrows this one's memory and descriptors, enters, starts
/// the process in its own parent's name, and is gone.
///
/// # Safety
/// As for [`super::fork`]: the life runs in a copy of this memory. Nobody else may be on the stack.
pub(in crate::embedded) unsafe fn fork_within<Life: Fn() -> i32>(
    stack: &Stack,
    namespaces: [BorrowedFd<'_>; 2],
    with: CloneFlags,
    life: &Life,
) -> Result<Forked, Errno> {
    let with = CloneFlags { flags: with.flags | libc::CLONE_PARENT as u64, ..with };
    // Whatever handles a signal does so with this thread's own state, which the go-between has too.
    let held = Held::all()?;
    let born = Cell::new(Err(Errno::SRCH));
    let go_between = || {
        let entered = namespaces.into_iter().try_for_each(enter_namespace);
        // SAFETY: the life makes system calls only, as the caller says.
        match entered.and_then(|()| unsafe { fork(with) }) {
            Ok(Forked::Child) => {
                held.release();
                return life();
            }
            other => born.set(other),
        }
        0
    };
    // SAFETY: as the caller says; the go-between makes system calls only, and what it writes to is read when it is gone.
    let started = unsafe { start(stack, libc::CLONE_FILES, &go_between) };
    // Nothing interrupts this yet. Where children are ignored, it cannot be waited for, and need not be.
    let ended = started.map(wait_for_code);
    held.release();
    let _ = ended?;
    born.into_inner()
}

/// A process that borrows this one's memory until it has executed a program or exited.
unsafe fn start<Life: Fn() -> i32>(stack: &Stack, shared: libc::c_int, life: &Life) -> Result<Pid, Errno> {
    extern "C" fn live<Life: Fn() -> i32>(life: *mut libc::c_void) -> i32 {
        // SAFETY: the life outlasts the call below, which returns only when this one is over.
        let life = unsafe { &*life.cast_const().cast::<Life>() };
        life()
    }
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD | shared;
    let life = std::ptr::from_ref(life).cast_mut().cast();
    // SAFETY: the stack is alive and nobody's, and this process waits.
    match unsafe { libc::clone(live::<Life>, stack.top(), flags, life) } {
        -1 => Err(last()),
        pid => Pid::from_raw(pid).ok_or(Errno::SRCH),
    }
}
