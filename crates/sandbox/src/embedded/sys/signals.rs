//! What signals mean to a process, and waiting for them. Nothing here allocates.

use rustix::io::Errno;

use super::done;

/// The signals that this process ignores, a bit each. What it handles is reset by executing a program; what it ignores is not.
pub(in crate::embedded) fn ignored_signals() -> u64 {
    (1..=64).filter(|signal| is_ignored(*signal)).fold(0, |ignored, signal| ignored | 1 << (signal - 1))
}

/// Asked of the kernel signal by signal, which takes it less time than to write down all it knows of a process.
fn is_ignored(signal: libc::c_int) -> bool {
    // SAFETY: all-zero is a valid `sigaction`, which is written to; nothing changes. What cannot be asked for cannot be reset either.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &raw mut action) == 0
            && action.sa_sigaction == libc::SIG_IGN
    }
}

/// Gives these signals their default meaning, and lets all signals through.
pub(in crate::embedded) fn reset_signals(ignored: u64) {
    for signal in (1..=64).filter(|signal| ignored >> (signal - 1) & 1 == 1) {
        // SAFETY: the default disposition runs no handler; for signals that cannot be changed the call fails harmlessly.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
    // SAFETY: an all-zero set is the empty set.
    unsafe {
        let empty: libc::sigset_t = std::mem::zeroed();
        libc::sigprocmask(libc::SIG_SETMASK, &raw const empty, std::ptr::null_mut());
    }
}

/// Kills every process of this namespace but the calling one, which must be its first.
pub(in crate::embedded) fn kill_all_others() {
    // SAFETY: no memory is touched.
    unsafe { libc::kill(-1, libc::SIGKILL) };
}

/// Signals that a process waits for instead of being interrupted by them.
#[derive(Clone, Copy)]
pub(in crate::embedded) struct Awaited(libc::sigset_t);

impl Awaited {
    /// Holds back the end of a child and the wish that this process end, from now on and in processes that it starts.
    pub(in crate::embedded) fn hold() -> Result<Awaited, Errno> {
        // SAFETY: an all-zero set is the empty set, and the pointers are valid.
        unsafe {
            let mut set: libc::sigset_t = std::mem::zeroed();
            libc::sigaddset(&raw mut set, libc::SIGCHLD);
            libc::sigaddset(&raw mut set, libc::SIGTERM);
            done(i64::from(libc::sigprocmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut())))?;
            Ok(Awaited(set))
        }
    }

    /// Waits for one of them; whether it was the wish that this process end.
    pub(in crate::embedded) fn wait(self) -> bool {
        // SAFETY: the set is valid for the size that the kernel knows, and nothing else is asked for.
        let signal = unsafe {
            libc::syscall(
                libc::SYS_rt_sigtimedwait,
                &raw const self.0,
                std::ptr::null::<libc::siginfo_t>(),
                std::ptr::null::<libc::timespec>(),
                8_usize,
            )
        };
        signal == i64::from(libc::SIGTERM)
    }
}

/// Leaves children to be reaped by this process, though its launcher may have ignored its own.
pub(in crate::embedded) fn heed_children() {
    // SAFETY: the default disposition runs no handler.
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_DFL) };
}

/// Lets the kernel reap this process's children, also those that it inherits.
pub(in crate::embedded) fn ignore_children() {
    // SAFETY: ignoring a signal runs no handler.
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_IGN) };
}

/// This thread's signals, held back.
#[derive(Clone, Copy)]
pub(super) struct Held(libc::sigset_t);

impl Held {
    /// Holds back all signals, in this thread and in processes that it starts.
    pub(super) fn all() -> Result<Held, Errno> {
        // SAFETY: the full set is made before it is read, an all-zero one is the empty set, and the pointers are valid.
        unsafe {
            let (mut all, mut before): (libc::sigset_t, libc::sigset_t) = std::mem::zeroed();
            libc::sigfillset(&raw mut all);
            done(i64::from(libc::sigprocmask(libc::SIG_SETMASK, &raw const all, &raw mut before)))?;
            Ok(Held(before))
        }
    }

    /// Lets through those that were let through before.
    pub(super) fn release(self) {
        // SAFETY: the set was filled in by the kernel.
        unsafe { libc::sigprocmask(libc::SIG_SETMASK, &raw const self.0, std::ptr::null_mut()) };
    }
}
