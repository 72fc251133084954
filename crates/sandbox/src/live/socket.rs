//! The socket at which a supervisor answers, wherever its directory lies, and whether anybody is still at its other end.
//!
//! The kernel takes an address of some hundred bytes and no more, and the path of a home may be longer than that. Where it is, the
//! directory is opened and the socket is named from there.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tokio::net::{UnixListener, UnixStream};

pub(super) const NAME: &str = "socket";

/// The longest path that is an address on every system.
const MOST_BYTES: usize = 103;

/// How often it is looked whether somebody has gone who is not being read from.
const LOOK: Duration = Duration::from_millis(200);

/// Listens in a container's directory.
pub(super) fn listen(place: &Path) -> io::Result<UnixListener> {
    let (path, _held) = address(place)?;
    UnixListener::bind(path)
}

/// Reaches whoever listens in a container's directory.
pub(super) async fn connect(place: &Path) -> io::Result<UnixStream> {
    let (path, _held) = address(place)?;
    UnixStream::connect(path).await
}

/// The address, which is one for as long as the directory is held.
fn address(place: &Path) -> io::Result<(PathBuf, Option<File>)> {
    let path = place.join(NAME);
    if path.as_os_str().len() <= MOST_BYTES || !cfg!(target_os = "linux") {
        return Ok((path, None));
    }
    let held = File::open(place)?;
    let number = std::os::fd::AsRawFd::as_raw_fd(&held);
    Ok((format!("/proc/self/fd/{number}/{NAME}").into(), Some(held)))
}

/// Comes once the other end has closed, whatever of it has not been read.
pub(super) async fn closed(stream: &UnixStream) {
    while !is_closed(stream) {
        tokio::time::sleep(LOOK).await;
    }
}

fn is_closed(stream: &UnixStream) -> bool {
    #[cfg(target_os = "linux")]
    let ends = PollFlags::HUP | PollFlags::ERR | PollFlags::RDHUP;
    #[cfg(not(target_os = "linux"))]
    let ends = PollFlags::HUP | PollFlags::ERR;
    let mut asked = [PollFd::new(stream, ends)];
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut asked, Some(&at_once)).is_ok() && asked.iter().any(|asked| asked.revents().intersects(ends))
}
