//! How a container's first process is let in: when its user is mapped and its cgroup is there, the launcher says so, and hands it the files
//! by which it enters the cgroup.
//!
//! With version 2 it was born where it belongs, and gets none.

use std::io::{IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::io::Errno;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags,
};

/// How many files there can be: a controller has one.
const MOST_DOORS: usize = 8;

/// Lets the process in. One that has failed before it could be has said so, and that is what counts. Allocates nothing, since the process
/// was just copied from this one.
pub(super) fn grant(process: BorrowedFd<'_>, doors: &[OwnedFd]) -> Result<(), Errno> {
    let mut open = [process; MOST_DOORS];
    for (place, door) in open.iter_mut().zip(doors) {
        *place = door.as_fd();
    }
    let doors = open.get(..doors.len()).ok_or(Errno::TOOBIG)?;
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_DOORS))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    if !doors.is_empty() && !ancillary.push(SendAncillaryMessage::ScmRights(doors)) {
        return Err(Errno::TOOBIG);
    }
    match rustix::net::sendmsg(process, &[IoSlice::new(b"1")], &mut ancillary, SendFlags::NOSIGNAL) {
        Err(Errno::PIPE | Errno::CONNRESET) => Ok(()),
        sent => sent.map(drop),
    }
}

/// Waits for the launcher and enters the cgroup. Whether it was granted: not if the launcher has died. Allocates nothing.
pub(super) fn enter(launcher: BorrowedFd<'_>) -> Result<bool, Errno> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_DOORS))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let mut go = [0_u8; 1];
    let received = rustix::io::retry_on_intr(|| {
        let mut content = [IoSliceMut::new(&mut go)];
        rustix::net::recvmsg(launcher, &mut content, &mut ancillary, RecvFlags::CMSG_CLOEXEC)
    })?;
    for message in ancillary.drain() {
        let RecvAncillaryMessage::ScmRights(doors) = message else { continue };
        for door in doors {
            enter_by(door.as_fd())?;
        }
    }
    Ok(received.bytes == 1)
}

/// A process that writes 0 enters by itself, which spares the kernel the lock that moving another one needs.
pub(super) fn enter_by(door: BorrowedFd<'_>) -> Result<(), Errno> {
    rustix::io::write(door, b"0").map(drop)
}
