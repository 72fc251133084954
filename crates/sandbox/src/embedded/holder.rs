//! A process that does nothing but hold new namespaces until somebody has opened them: the kernel makes none without.

use std::fs::{self, File};
use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;

use rustix::process::{Pid, Signal};

use super::stage::{NOT_SET_UP, die_with_launcher};
use super::sys::{self, CloneFlags, Forked};

/// The process, which is gone when this is dropped.
pub(super) struct Holder {
    pid: Pid,
    pidfd: OwnedFd,
}

impl Holder {
    /// Makes namespaces (`CLONE_NEW…`).
    pub(super) fn new(namespaces: libc::c_int) -> io::Result<Holder> {
        let flags = CloneFlags { flags: namespaces as u64, cgroup: None };
        let launcher = rustix::process::getpid();
        // SAFETY: the child only waits.
        match unsafe { sys::fork(flags) }? {
            Forked::Child => wait_to_be_killed(launcher),
            Forked::Parent { pid, pidfd } => Ok(Holder { pid, pidfd }),
        }
    }

    /// Says who there is in its user namespace: `inside outside count`.
    pub(super) fn map(&self, users: &str, groups: &str) -> io::Result<()> {
        fs::write(self.file("uid_map"), users)?;
        fs::write(self.file("gid_map"), groups)
    }

    /// Has its user namespace keep everybody in all groups, without which nobody but root may map one.
    pub(super) fn deny_setgroups(&self) -> io::Result<()> {
        fs::write(self.file("setgroups"), "deny")
    }

    /// One of its namespaces, which is there from now on as long as somebody has it open.
    pub(super) fn open(&self, namespace: &str) -> io::Result<OwnedFd> {
        File::open(self.file("ns").join(namespace)).map(OwnedFd::from)
    }

    fn file(&self, name: &str) -> PathBuf {
        PathBuf::from(format!("/proc/{}/{name}", self.pid.as_raw_nonzero()))
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        let _ = rustix::process::pidfd_send_signal(&self.pidfd, Signal::KILL);
        let _ = sys::reap(self.pid);
    }
}

fn wait_to_be_killed(launcher: Pid) -> ! {
    // A launcher that died before it could be asked for the signal is no longer the parent.
    if die_with_launcher().is_err() || rustix::process::getppid() != Some(launcher) {
        sys::exit(NOT_SET_UP);
    }
    // Copies of other launches' descriptors would hide that these have ended.
    let _ = sys::close_all_but(&[]);
    loop {
        let _ = rustix::event::poll(&mut [], None);
    }
}
