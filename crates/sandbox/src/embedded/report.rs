//! What the new process tells its launcher: fixed-size messages over a socket pair, so that neither side has to allocate or parse.

use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};

use rustix::io::Errno;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags,
};

/// How many descriptors fit into one message.
pub(super) const MOST_FDS: usize = 16;

/// A message from the container's first process, or from the command before it is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Report {
    /// A step of the set-up failed.
    Failed {
        /// Which one.
        step: Step,
        /// Which action, where the step is [`Step::Action`].
        index: u32,
        /// What the kernel said.
        errno: i32,
    },
    /// The walls are up. The message carries what is handed to the launcher.
    Ready,
    /// The command could not be executed.
    NotExecuted {
        /// Whether it could not even be where it was to start.
        astray: bool,
        /// What the kernel said.
        errno: i32,
    },
    /// The command has ended.
    Ended {
        /// Its status, as `wait` gives it.
        status: i32,
        /// The bytes that were written in the container, where that could be told.
        written: Option<u64>,
    },
}

/// The steps of the set-up, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum Step {
    /// Say who it is, in its user namespace.
    Map,
    /// Enter the cgroup.
    Cgroup,
    /// Become the container's user.
    Identity,
    /// Make the root file system.
    Root,
    /// One of the plan's actions.
    Action,
    /// Change to the new root and leave the old one.
    Pivot,
    /// Name the machine.
    Hostname,
    /// Lower the resource limits.
    Limits,
    /// Drop privileges.
    Privileges,
    /// Raise the Landlock wall.
    Landlock,
    /// Install the filters of system calls.
    Filter,
    /// Start the command.
    Fork,
    /// Enter a running container.
    Enter,
}

const STEPS: [Step; 13] = [
    Step::Map,
    Step::Cgroup,
    Step::Identity,
    Step::Root,
    Step::Action,
    Step::Pivot,
    Step::Hostname,
    Step::Limits,
    Step::Privileges,
    Step::Landlock,
    Step::Filter,
    Step::Fork,
    Step::Enter,
];

const SIZE: usize = 24;

/// Stands for a number of bytes that is not known.
const UNKNOWN: u64 = u64::MAX;

impl Report {
    /// Sends this message, and descriptors with it.
    pub(super) fn send(self, socket: BorrowedFd<'_>, fds: &[BorrowedFd<'_>]) -> Result<(), Errno> {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_FDS))];
        let mut ancillary = SendAncillaryBuffer::new(&mut space);
        if !fds.is_empty() {
            ancillary.push(SendAncillaryMessage::ScmRights(fds));
        }
        let message = self.encode();
        let content = [std::io::IoSlice::new(&message)];
        rustix::net::sendmsg(socket, &content, &mut ancillary, SendFlags::NOSIGNAL)?;
        Ok(())
    }

    /// The next message and its descriptors; `None` when the other side is gone.
    pub(super) fn receive(
        socket: BorrowedFd<'_>,
        flags: RecvFlags,
    ) -> Result<Option<(Report, Vec<OwnedFd>)>, Errno> {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_FDS))];
        let mut ancillary = RecvAncillaryBuffer::new(&mut space);
        let mut message = [0; SIZE];
        let mut content = [std::io::IoSliceMut::new(&mut message)];
        let received =
            rustix::net::recvmsg(socket, &mut content, &mut ancillary, flags | RecvFlags::CMSG_CLOEXEC)?;
        let fds = ancillary
            .drain()
            .filter_map(|message| match message {
                RecvAncillaryMessage::ScmRights(fds) => Some(fds),
                _ => None,
            })
            .flatten()
            .collect();
        Ok(if received.bytes == SIZE { Report::decode(message).map(|report| (report, fds)) } else { None })
    }

    fn encode(self) -> [u8; SIZE] {
        let (words, written): ([u32; 4], _) = match self {
            Report::Failed { step, index, errno } => ([0, step as u32, index, errno as u32], None),
            Report::Ready => ([1, 0, 0, 0], None),
            Report::NotExecuted { astray, errno } => ([2, astray.into(), 0, errno as u32], None),
            Report::Ended { status, written } => ([3, 0, 0, status as u32], written),
        };
        let mut bytes = [0; SIZE];
        let (head, tail) = bytes.split_at_mut(SIZE - 8);
        for (chunk, word) in head.chunks_exact_mut(4).zip(words) {
            chunk.copy_from_slice(&word.to_ne_bytes());
        }
        tail.copy_from_slice(&written.unwrap_or(UNKNOWN).to_ne_bytes());
        bytes
    }

    fn decode(bytes: [u8; SIZE]) -> Option<Report> {
        let mut words = [0_u32; 4];
        let (head, tail) = bytes.split_at(SIZE - 8);
        let written = Some(u64::from_ne_bytes(tail.try_into().ok()?)).filter(|written| *written != UNKNOWN);
        for (chunk, word) in head.chunks_exact(4).zip(&mut words) {
            *word = u32::from_ne_bytes(chunk.try_into().ok()?);
        }
        let [kind, step, index, number] = words;
        Some(match kind {
            0 => Report::Failed { step: *STEPS.get(step as usize)?, index, errno: number as i32 },
            1 => Report::Ready,
            2 => Report::NotExecuted { astray: step != 0, errno: number as i32 },
            3 => Report::Ended { status: number as i32, written },
            _ => return None,
        })
    }
}

impl Step {
    /// What the step is for, in an error message.
    pub(super) fn purpose(self) -> &'static str {
        match self {
            Step::Map => "map the container's user",
            Step::Cgroup => "enter the cgroup",
            Step::Identity => "become an unprivileged user",
            Step::Root => "make a root file system",
            Step::Action => "make the root file system",
            Step::Pivot => "change to the new root",
            Step::Hostname => "name the machine",
            Step::Limits => "lower the resource limits",
            Step::Privileges => "drop privileges",
            Step::Landlock => "raise the Landlock wall",
            Step::Filter => "filter system calls",
            Step::Fork => "start the command",
            Step::Enter => "enter the container",
        }
    }
}
