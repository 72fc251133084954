//! Moves bytes between a running command and its caller until it has ended, its time is up, or it is killed.

use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Instant;

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::Signal;
use tokio::sync::mpsc;

use crate::child::{Feed, Stream};
use crate::embedded::report::Report;

/// What a command reads.
pub(in crate::embedded) enum Input {
    /// These bytes, perhaps none.
    Bytes(Vec<u8>),
    /// What somebody sends.
    Piped(std::sync::Mutex<Option<mpsc::Receiver<Vec<u8>>>>),
}

/// Wakes a container's thread from elsewhere, to kill the container.
#[derive(Debug)]
pub(in crate::embedded) struct Wake(OwnedFd);

/// The launcher's ends of the command's output.
pub(super) struct Streams {
    stdout: Option<OwnedFd>,
    stderr: Option<OwnedFd>,
}

/// All that is watched.
pub(super) struct Pump<'a> {
    pub(super) streams: Streams,
    pub(super) feed: Feed,
    pub(super) deadline: Instant,
    pub(super) launcher: BorrowedFd<'a>,
    pub(super) process: BorrowedFd<'a>,
}

/// How it ended.
pub(super) struct Ended {
    /// The last that was heard of the command.
    pub(super) report: Option<Report>,
    /// Whether its time was up.
    pub(super) timed_out: bool,
}

impl Wake {
    /// Something that nobody has called yet.
    pub(in crate::embedded) fn new() -> io::Result<Wake> {
        Ok(Wake(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?))
    }

    /// Wakes the thread.
    pub(in crate::embedded) fn call(&self) {
        let _ = rustix::io::write(&self.0, &1_u64.to_ne_bytes());
    }
}

impl Streams {
    /// Pipes for the three streams: ours, and theirs as input, output, error.
    pub(super) fn open(input: &Input) -> io::Result<(Streams, [OwnedFd; 3])> {
        let (their_input, our_input) = pipe_with(PipeFlags::CLOEXEC)?;
        let (stdout, their_output) = pipe_with(PipeFlags::CLOEXEC)?;
        let (stderr, their_error) = pipe_with(PipeFlags::CLOEXEC)?;
        write_input(input, our_input)?;
        Ok((Streams { stdout: Some(stdout), stderr: Some(stderr) }, [their_input, their_output, their_error]))
    }
}

/// Writes what fits at once; the rest has a thread of its own, which ends with the command because the pipe then breaks.
fn write_input(input: &Input, to: OwnedFd) -> io::Result<()> {
    let mut to = std::fs::File::from(to);
    match input {
        Input::Bytes(bytes) if bytes.len() <= PIPE_HOLDS => to.write_all(bytes),
        Input::Bytes(bytes) => {
            let bytes = bytes.clone();
            let writer = std::thread::Builder::new().name("sandbox-input".to_owned());
            writer.spawn(move || drop(to.write_all(&bytes))).map(drop)
        }
        Input::Piped(receiver) => {
            let taken = receiver.lock().ok().and_then(|mut receiver| receiver.take());
            let Some(mut receiver) = taken else { return Ok(()) };
            let writer = std::thread::Builder::new().name("sandbox-input".to_owned());
            let forward = move || {
                while let Some(bytes) = receiver.blocking_recv() {
                    if to.write_all(&bytes).is_err() {
                        return;
                    }
                }
            };
            writer.spawn(forward).map(drop)
        }
    }
}

/// Bytes that fit into a pipe that nobody reads yet.
const PIPE_HOLDS: usize = 4096;

impl Pump<'_> {
    /// Moves bytes until the command's container is gone and its streams are empty.
    pub(super) fn run(&mut self, wake: &Wake) -> Ended {
        let mut ended = Ended { report: None, timed_out: false };
        let mut killed = false;
        loop {
            let Some(ready) = self.wait(wake, killed) else {
                ended.timed_out = ended.report.is_none();
                killed = true;
                self.kill();
                continue;
            };
            if ready.report {
                self.hear(&mut ended);
            }
            if ready.wake && !killed {
                killed = true;
                self.kill();
            }
            let moved = self.drain(Stream::Stdout, ready.stdout) | self.drain(Stream::Stderr, ready.stderr);
            if ready.process && !moved {
                self.hear(&mut ended);
                return ended;
            }
        }
    }

    fn kill(&self) {
        let _ = rustix::process::pidfd_send_signal(self.process, Signal::KILL);
    }

    /// Waits for something to happen; `None` when the time is up.
    fn wait(&self, wake: &Wake, killed: bool) -> Option<Ready> {
        let none = self.process;
        let stream = |stream: &Option<OwnedFd>| stream.as_ref().map_or(PollFlags::empty(), |_| PollFlags::IN);
        let fd = |stream: &'_ Option<OwnedFd>| {
            stream.as_ref().map_or(none, |fd| {
                // SAFETY: the stream is borrowed from `self`, which outlives the poll.
                unsafe { BorrowedFd::borrow_raw(std::os::fd::AsRawFd::as_raw_fd(fd)) }
            })
        };
        let mut fds = [
            PollFd::from_borrowed_fd(self.launcher, PollFlags::IN),
            PollFd::from_borrowed_fd(self.process, PollFlags::IN),
            PollFd::from_borrowed_fd(wake.0.as_fd(), if killed { PollFlags::empty() } else { PollFlags::IN }),
            PollFd::from_borrowed_fd(fd(&self.streams.stdout), stream(&self.streams.stdout)),
            PollFd::from_borrowed_fd(fd(&self.streams.stderr), stream(&self.streams.stderr)),
        ];
        loop {
            let left = self.deadline.saturating_duration_since(Instant::now());
            let timeout =
                (!killed).then(|| Timespec::try_from(left).unwrap_or(Timespec { tv_sec: 60, tv_nsec: 0 }));
            match poll(&mut fds, timeout.as_ref()) {
                Ok(0) if left.is_zero() => return None,
                Ok(0) | Err(Errno::INTR) => {}
                _ => break,
            }
        }
        let [report, process, woken, stdout, stderr] = fds.map(|fd| !fd.revents().is_empty());
        Some(Ready { report, process, wake: woken, stdout, stderr })
    }

    /// Takes what the container says of itself; the last word counts, and an end is the last.
    fn hear(&mut self, ended: &mut Ended) {
        use rustix::net::RecvFlags;
        let mut peek = [0_u8; 1];
        while rustix::net::recv(self.launcher, &mut peek, RecvFlags::PEEK | RecvFlags::DONTWAIT)
            .is_ok_and(|(count, _)| count > 0)
        {
            match Report::receive(self.launcher) {
                Ok(Some((report, _))) if !matches!(ended.report, Some(Report::NotExecuted { .. })) => {
                    ended.report = Some(report);
                }
                Ok(Some(_)) => {}
                _ => return,
            }
        }
    }

    /// Takes what a stream has; whether there was anything.
    fn drain(&mut self, which: Stream, ready: bool) -> bool {
        let stream = match which {
            Stream::Stdout => &mut self.streams.stdout,
            Stream::Stderr => &mut self.streams.stderr,
        };
        let Some(fd) = stream.as_ref().filter(|_| ready) else { return false };
        let mut buffer = [0_u8; 64 << 10];
        match rustix::io::read(fd, &mut buffer) {
            Ok(0) => *stream = None,
            Ok(count) => self.feed.push(which, buffer.get(..count).unwrap_or_default()),
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(_) => *stream = None,
        }
        true
    }
}

struct Ready {
    report: bool,
    process: bool,
    wake: bool,
    stdout: bool,
    stderr: bool,
}
