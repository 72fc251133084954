//! Descriptors that the new process hands to its launcher: its namespaces, so that commands can be run in it later, and the directories
//! whose content is kept.

use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd, RawFd};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use crate::embedded::report::{MOST_FDS, Report};
use crate::policy::Network;

/// A bounded list of descriptors.
pub(super) struct Handed {
    fds: [RawFd; MOST_FDS],
    count: usize,
}

impl Handed {
    /// Nothing yet.
    pub(super) fn new() -> Handed {
        Handed { fds: [-1; MOST_FDS], count: 0 }
    }

    /// Adds one, which stays open until the process executes or ends.
    pub(super) fn push(&mut self, fd: OwnedFd) -> Result<(), Errno> {
        *self.fds.get_mut(self.count).ok_or(Errno::MFILE)? = fd.as_raw_fd();
        self.count += 1;
        std::mem::forget(fd);
        Ok(())
    }

    /// Adds this process's namespaces. Only it can open them: from outside it cannot be looked into.
    pub(super) fn push_namespaces(&mut self, network: Network) -> Result<(), Errno> {
        let all = [
            c"/proc/self/ns/user",
            c"/proc/self/ns/mnt",
            c"/proc/self/ns/pid",
            c"/proc/self/ns/ipc",
            c"/proc/self/ns/uts",
            c"/proc/self/ns/cgroup",
            c"/proc/self/ns/net",
        ];
        // The host's own network is where everybody already is.
        let count = if network == Network::Host { all.len() - 1 } else { all.len() };
        for namespace in all.into_iter().take(count) {
            self.push(rustix::fs::open(namespace, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?)?;
        }
        Ok(())
    }

    /// Sends them with a message.
    pub(super) fn send(&self, report: Report, launcher: BorrowedFd<'_>) -> Result<(), Errno> {
        let mut fds = [launcher; MOST_FDS];
        for (fd, &raw) in fds.iter_mut().zip(&self.fds).take(self.count) {
            // SAFETY: `push` left these open.
            *fd = unsafe { BorrowedFd::borrow_raw(raw) };
        }
        report.send(launcher, fds.get(..self.count).unwrap_or_default())
    }
}
