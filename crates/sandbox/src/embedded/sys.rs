//! The system calls that `rustix` does not have. Nothing here allocates, so all of it may be used between `clone` and `exec`.

mod beside;
mod landlock;
mod signals;

use std::ffi::CStr;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::Pid;

pub(super) use beside::{Stack, fork_within, start_behind_filter};
pub(super) use landlock::{
    LandlockRuleset, landlock_allow, landlock_create, landlock_enforce, landlock_version,
};
pub(super) use signals::{
    Awaited, heed_children, ignore_children, ignored_signals, kill_all_others, reset_signals,
};

/// Namespaces and conditions of a new process.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CloneFlags {
    /// `CLONE_NEW…` and other flags.
    pub(super) flags: u64,
    /// The cgroup (version 2) to be born in.
    pub(super) cgroup: Option<RawFd>,
}

/// Be born in the cgroup whose directory is given; the constant of `libc` overflows its type.
const CLONE_INTO_CGROUP: u64 = 0x2_0000_0000;

/// Be born without the parent's signal handlers: they would run in the child when somebody inside the container sends it a signal, and
/// write to the parent's pipes.
const CLONE_CLEAR_SIGHAND: u64 = 0x1_0000_0000;

/// Which side of a [`fork`] one is on.
pub(super) enum Forked {
    /// The new process.
    Child,
    /// The old one, with the new one's number and a descriptor of it.
    Parent {
        /// Its process number.
        pid: Pid,
        /// Its descriptor.
        pidfd: OwnedFd,
    },
}

/// A new process with a copy of this one's memory, but none of its signal handlers.
///
/// # Safety
/// The child is single-threaded and may hold locks that nobody will ever release: until it executes a program or exits it may only
/// make system calls, and must not allocate, panic or return to the caller's frames.
pub(super) unsafe fn fork(with: CloneFlags) -> Result<Forked, Errno> {
    let mut pidfd: RawFd = -1;
    // SAFETY: all-zero is a valid `clone_args`.
    let mut args: libc::clone_args = unsafe { std::mem::zeroed() };
    args.flags = with.flags | libc::CLONE_PIDFD as u64 | CLONE_CLEAR_SIGHAND;
    args.pidfd = &raw mut pidfd as u64;
    // A process in its parent's name ends as that one does, and the kernel wants nothing said about it.
    let in_parents_name = with.flags & libc::CLONE_PARENT as u64 != 0;
    args.exit_signal = if in_parents_name { 0 } else { libc::SIGCHLD as u64 };
    if let Some(cgroup) = with.cgroup {
        args.flags |= CLONE_INTO_CGROUP;
        args.cgroup = cgroup as u64;
    }
    // SAFETY: `args` is valid for its size; without CLONE_VM the child has its own stack and memory.
    let result = unsafe { libc::syscall(libc::SYS_clone3, &raw mut args, size_of::<libc::clone_args>()) };
    match result {
        -1 => Err(last()),
        0 => Ok(Forked::Child),
        pid => {
            let pid = Pid::from_raw(pid as i32).ok_or(Errno::SRCH)?;
            // SAFETY: the kernel has just made this descriptor for us.
            Ok(Forked::Parent { pid, pidfd: unsafe { OwnedFd::from_raw_fd(pidfd) } })
        }
    }
}

/// Has something done when this program ends by itself, whichever way; not when it is killed.
pub(super) fn at_exit(last: extern "C" fn()) {
    // SAFETY: the function is there as long as the program. If there is no room for it, it is not called.
    let _ = unsafe { libc::atexit(last) };
}

/// Ends this process at once, running nothing of the old one's clean-up.
pub(super) fn exit(code: i32) -> ! {
    // SAFETY: `_exit` touches no memory.
    unsafe { libc::_exit(code) }
}

/// Sets attributes (`MOUNT_ATTR_…`) of a mount and, where asked, of all beneath it, and parts it from its peers: a copy of a mount that
/// is shared, as on most machines all are, would show the host what is mounted on it, and the container what the host mounts.
pub(super) fn set_mount_attributes(mount: BorrowedFd<'_>, set: u64, recursive: bool) -> Result<(), Errno> {
    let attributes =
        libc::mount_attr { attr_set: set, attr_clr: 0, propagation: libc::MS_PRIVATE, userns_fd: 0 };
    change_mount(mount, &attributes, recursive)
}

/// Clears attributes (`MOUNT_ATTR_…`) of a mount, not of those beneath it.
pub(super) fn clear_mount_attributes(mount: BorrowedFd<'_>, clear: u64) -> Result<(), Errno> {
    let attributes = libc::mount_attr { attr_set: 0, attr_clr: clear, propagation: 0, userns_fd: 0 };
    change_mount(mount, &attributes, false)
}

/// Shows a detached mount's owners through a user namespace's map.
pub(super) fn map_mount_owners(mount: BorrowedFd<'_>, namespace: BorrowedFd<'_>) -> Result<(), Errno> {
    let attributes = libc::mount_attr {
        attr_set: libc::MOUNT_ATTR_IDMAP,
        attr_clr: 0,
        propagation: 0,
        userns_fd: namespace.as_raw_fd() as u64,
    };
    change_mount(mount, &attributes, true)
}

fn change_mount(mount: BorrowedFd<'_>, attributes: &libc::mount_attr, recursive: bool) -> Result<(), Errno> {
    let flags = libc::AT_EMPTY_PATH | if recursive { libc::AT_RECURSIVE } else { 0 };
    // SAFETY: the path is a C string, and `attributes` is valid for its size.
    let result = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            mount.as_raw_fd(),
            c"".as_ptr(),
            flags,
            &raw const *attributes,
            size_of::<libc::mount_attr>(),
        )
    };
    done(result)
}

/// Makes a program's system calls pass this filter from now on.
pub(super) fn filter_system_calls(program: &[libc::sock_filter]) -> Result<(), Errno> {
    let description = libc::sock_fprog {
        len: u16::try_from(program.len()).map_err(|_| Errno::TOOBIG)?,
        filter: program.as_ptr().cast_mut(),
    };
    // SAFETY: the description points to a program of this length, which the kernel copies.
    let result =
        unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, 0, &raw const description) };
    done(result)
}

/// Closes descriptors `first` to `last`, both included.
pub(super) fn close_range(first: RawFd, last: RawFd) -> Result<(), Errno> {
    // SAFETY: the callers are about to execute or wait, and use no descriptor in this range any more.
    done(unsafe { libc::syscall(libc::SYS_close_range, first as u32, last as u32, 0) })
}

/// Closes all descriptors but the standard streams and those listed, in ascending order.
pub(super) fn close_all_but(kept: &[RawFd]) -> Result<(), Errno> {
    let mut first = 3;
    for &fd in kept.iter().filter(|fd| **fd >= 3) {
        if fd > first {
            close_range(first, fd - 1)?;
        }
        first = fd + 1;
    }
    close_range(first, RawFd::MAX)
}

/// Makes every descriptor from `first` on close when a program is executed.
pub(super) fn close_on_exec_from(first: RawFd) -> Result<(), Errno> {
    // SAFETY: only flags change.
    done(unsafe { libc::syscall(libc::SYS_close_range, first as u32, u32::MAX, libc::CLOSE_RANGE_CLOEXEC) })
}

/// Puts a copy of a descriptor at this number, open across `exec`.
pub(super) fn duplicate_to(from: RawFd, to: RawFd) -> Result<(), Errno> {
    // SAFETY: `dup2` closes `to`, which in a fresh child belongs to nobody.
    done(i64::from(unsafe { libc::dup2(from, to) }))
}

/// Where this program's arguments lie in its memory: the kernel shows that memory as `/proc/<pid>/cmdline`, of a forked process too.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Arguments {
    start: usize,
    end: usize,
}

impl Arguments {
    /// Finds them, in the 48th and 49th field of the process's state; nothing where that cannot be read.
    pub(super) fn find() -> Arguments {
        static FOUND: std::sync::OnceLock<Arguments> = std::sync::OnceLock::new();
        *FOUND.get_or_init(|| {
            let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
            let mut fields = stat.rsplit_once(')').map_or("", |(_, after)| after).split_whitespace().skip(45);
            let mut next = || fields.next().and_then(|field| field.parse().ok());
            match (next(), next()) {
                (Some(start), Some(end)) if start < end => Arguments { start, end },
                _ => Arguments::default(),
            }
        })
    }

    /// Overwrites them in this process, which must be a forked one that never reads them.
    pub(super) fn forget(self) {
        // SAFETY: the kernel put the arguments there and the memory stays mapped and writable; this process reads them no more.
        unsafe {
            let first = std::ptr::with_exposed_provenance_mut::<u8>(self.start);
            std::ptr::write_bytes(first, 0, self.end - self.start);
        }
    }
}

/// Executes a program; returns only if that failed.
pub(super) fn execute(program: &CStr, argv: &Pointers, env: &Pointers) -> Errno {
    // SAFETY: both arrays are null-terminated and point to C strings that live as long as they do.
    unsafe { libc::execve(program.as_ptr(), argv.0.as_ptr(), env.0.as_ptr()) };
    last()
}

/// A null-terminated array of C strings, as `execve` takes it.
pub(super) struct Pointers(Vec<*const libc::c_char>);

// SAFETY: the pointers are never written through, and what they point to is owned by the plan beside them.
unsafe impl Send for Pointers {}
// SAFETY: as above.
unsafe impl Sync for Pointers {}

impl Pointers {
    /// Points to each of these strings, which must outlive the result and not move.
    pub(super) fn to(strings: &[std::ffi::CString]) -> Pointers {
        let pointers = strings.iter().map(|string| string.as_ptr());
        Pointers(pointers.chain(std::iter::once(std::ptr::null())).collect())
    }
}

/// Waits for a child to exit and reaps it; its exit code.
pub(super) fn wait_for_code(pid: Pid) -> Result<i32, Errno> {
    let status = rustix::process::waitpid(Some(pid), rustix::process::WaitOptions::empty())?;
    status.and_then(|(_, status)| status.exit_status()).ok_or(Errno::CHILD)
}

/// Waits for a child to end and reaps it; the processor time of it and of all that it had waited for.
pub(super) fn reap(pid: Pid) -> Result<Duration, Errno> {
    // SAFETY: all-zero is a valid `rusage`.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is valid for writes, and no status is asked for.
    let result = unsafe { libc::wait4(pid.as_raw_nonzero().get(), std::ptr::null_mut(), 0, &raw mut usage) };
    done(i64::from(result))?;
    Ok(duration(usage.ru_utime) + duration(usage.ru_stime))
}

fn duration(time: libc::timeval) -> Duration {
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    let micros = u64::try_from(time.tv_usec).unwrap_or(0);
    Duration::from_secs(seconds) + Duration::from_micros(micros)
}

/// Enters a namespace, of whichever kind it is.
pub(super) fn enter_namespace(namespace: BorrowedFd<'_>) -> Result<(), Errno> {
    // SAFETY: only this process's namespaces change.
    done(i64::from(unsafe { libc::setns(namespace.as_raw_fd(), 0) }))
}

fn done(result: i64) -> Result<(), Errno> {
    if result < 0 { Err(last()) } else { Ok(()) }
}

fn last() -> Errno {
    // SAFETY: `__errno_location` gives the address of this thread's number, always valid.
    Errno::from_raw_os_error(unsafe { *libc::__errno_location() })
}
