//! Moves bytes between a running command and its caller until it has ended, its time is up, or it is killed.

use std::fs::File;
use std::io::{self, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use rustix::fs::{Gid, Uid, fchown};
use rustix::io::Errno;
use rustix::net::RecvFlags;
use rustix::pipe::{PipeFlags, pipe_with};

use super::{Born, Job};
use crate::child::{Backlog, Feed, Stream};
use crate::embedded::cgroup::{Cgroup, Counted, Meter};
use crate::embedded::identity::Identity;
use crate::embedded::report::Report;
use crate::outcome::Captured;

/// What a command reads.
pub(in crate::embedded) enum Input {
    /// These bytes, perhaps none.
    Bytes(Vec<u8>),
    /// What somebody sends.
    Piped(Mutex<Option<Backlog>>),
    /// The same, and whoever sends hears the command without anybody between, at the end of the pipe that is put here.
    Conversation(Mutex<Option<Backlog>>, Arc<Mutex<Option<OwnedFd>>>),
}

/// Wakes a container's thread from elsewhere, to kill the container.
#[derive(Debug)]
pub(in crate::embedded) struct Wake(OwnedFd);

/// The launcher's ends of the command's output.
pub(super) struct Streams {
    stdout: Option<OwnedFd>,
    stderr: Option<OwnedFd>,
}

/// Watches one command.
pub(super) struct Pump<'a> {
    streams: Streams,
    feed: Feed,
    born: &'a Born,
    meter: Option<Meter>,
    /// Not on the stack, of which every page would be touched, though mostly little is read.
    buffer: Box<[MaybeUninit<u8>]>,
    /// Nothing more will be reported; asking on would only keep a processor busy.
    silent: bool,
}

/// How it ended.
pub(super) struct Ended {
    /// The last that was heard of the command.
    pub(super) report: Option<Report>,
    /// Whether its time was up.
    pub(super) timed_out: bool,
    /// What it used.
    pub(super) counted: Counted,
}

impl Ended {
    /// Processor time, where a cgroup counts it for this command alone: in a container it counts all its commands together.
    pub(super) fn cpu(&self, job: &Job) -> Option<Duration> {
        self.counted.cpu.filter(|_| job.container.is_none())
    }
}

impl Wake {
    /// Something that nobody has called yet.
    pub(in crate::embedded) fn new() -> io::Result<Wake> {
        Ok(Wake(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?))
    }

    /// For watching it among others.
    pub(in crate::embedded) fn poll(&self) -> PollFd<'_> {
        PollFd::from_borrowed_fd(self.0.as_fd(), PollFlags::IN)
    }

    /// Wakes the thread.
    pub(in crate::embedded) fn call(&self) {
        let _ = rustix::io::write(&self.0, &1_u64.to_ne_bytes());
    }
}

impl Streams {
    /// Pipes for the three streams: ours, and theirs as input, output, error. They belong to the command's user, who may open them by name.
    pub(super) fn open(input: &Input, identity: Identity) -> io::Result<(Streams, [OwnedFd; 3])> {
        let (their_input, our_input) = pipe_with(PipeFlags::CLOEXEC)?;
        let (stdout, their_output) = pipe_with(PipeFlags::CLOEXEC)?;
        let (stderr, their_error) = pipe_with(PipeFlags::CLOEXEC)?;
        let theirs = [their_input, their_output, their_error];
        if identity.switched {
            for pipe in &theirs {
                fchown(pipe, Some(Uid::from_raw(identity.uid)), Some(Gid::from_raw(identity.gid)))?;
            }
        }
        write_input(input, our_input)?;
        let mut stdout = Some(stdout);
        if let Input::Conversation(_, outlet) = input
            && let Ok(mut outlet) = outlet.lock()
        {
            *outlet = stdout.take();
        }
        Ok((Streams { stdout, stderr: Some(stderr) }, theirs))
    }

    fn of(&mut self, which: Stream) -> &mut Option<OwnedFd> {
        match which {
            Stream::Stdout => &mut self.stdout,
            Stream::Stderr => &mut self.stderr,
        }
    }
}

/// Writes what fits at once; the rest has a thread of its own, which ends with the command because the pipe then breaks.
fn write_input(input: &Input, to: OwnedFd) -> io::Result<()> {
    let writer = std::thread::Builder::new().name("sandbox-input".to_owned());
    match input {
        Input::Bytes(bytes) if bytes.len() <= PIPE_HOLDS => File::from(to).write_all(bytes),
        Input::Bytes(bytes) => {
            let bytes = bytes.clone();
            writer.spawn(move || drop(File::from(to).write_all(&bytes))).map(drop)
        }
        Input::Piped(piped) | Input::Conversation(piped, _) => {
            let taken = piped.lock().ok().and_then(|mut piped| piped.take());
            let Some(backlog) = taken else { return Ok(()) };
            backlog.open(to)?;
            writer.spawn(move || backlog.empty()).map(drop)
        }
    }
}

/// Bytes that fit into a pipe that nobody reads yet.
const PIPE_HOLDS: usize = 4096;

/// Where a deadline is too far away for the kernel, it is looked at again after this long.
const A_MINUTE: Timespec = Timespec { tv_sec: 60, tv_nsec: 0 };

impl<'a> Pump<'a> {
    /// Watches a process that is counted in this cgroup.
    pub(super) fn new(streams: Streams, feed: Feed, born: &'a Born, cgroup: Option<&Cgroup>) -> Pump<'a> {
        Pump {
            streams,
            feed,
            born,
            meter: cgroup.map(Cgroup::meter),
            buffer: Box::new_uninit_slice(64 << 10),
            silent: false,
        }
    }

    /// Moves bytes until nothing of the command runs any more, and then what it has left in its streams. The first process of a container
    /// may still be ending: the kernel takes a while to take down what belongs to it.
    pub(super) fn run(&mut self, deadline: Instant, wake: &Wake) -> Ended {
        let mut ended = Ended { report: None, timed_out: false, counted: Counted::default() };
        let mut deadline = Some(deadline);
        loop {
            let Some(ready) = self.wait(wake, deadline) else {
                self.hear(&mut ended);
                ended.timed_out = ended.report.is_none();
                deadline = self.kill();
                continue;
            };
            if ready.report {
                self.hear(&mut ended);
            }
            if ready.wake {
                deadline = self.kill();
            }
            if ready.process {
                self.hear(&mut ended);
            }
            if ready.process || self.is_over(&ended) {
                self.empty(Stream::Stdout);
                self.empty(Stream::Stderr);
                ended.counted = self.meter.as_ref().map(Meter::counted).unwrap_or_default();
                return ended;
            }
            self.drain(Stream::Stdout, ready.stdout);
            self.drain(Stream::Stderr, ready.stderr);
        }
    }

    /// What was kept of both streams.
    pub(super) fn into_captured(self) -> (Captured, Captured) {
        self.feed.into_captured()
    }

    /// Kills the command; from then on there is nothing to wait for but the end. What it has started ends with its container, or with its
    /// cgroup.
    fn kill(&self) -> Option<Instant> {
        self.born.kill();
        None
    }

    /// Waits for something to happen; `None` when the time is up. Without a deadline it has been killed.
    fn wait(&self, wake: &Wake, deadline: Option<Instant>) -> Option<Ready> {
        let watched =
            |stream: &Option<OwnedFd>| if stream.is_some() { PollFlags::IN } else { PollFlags::empty() };
        let Streams { stdout, stderr } = &self.streams;
        let wanted = if deadline.is_some() { PollFlags::IN } else { PollFlags::empty() };
        let process = self.born.process().as_fd();
        let reports = if self.silent { process } else { self.born.reports() };
        let mut fds = [
            PollFd::from_borrowed_fd(reports, PollFlags::IN),
            PollFd::from_borrowed_fd(process, PollFlags::IN),
            PollFd::from_borrowed_fd(wake.0.as_fd(), wanted),
            PollFd::from_borrowed_fd(stdout.as_ref().map_or(process, AsFd::as_fd), watched(stdout)),
            PollFd::from_borrowed_fd(stderr.as_ref().map_or(process, AsFd::as_fd), watched(stderr)),
        ];
        loop {
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            // Asked first: a command that never stops writing would keep the other question from being answered.
            if left.is_some_and(|left| left.is_zero()) {
                return None;
            }
            let timeout = left.map(|left| Timespec::try_from(left).unwrap_or(A_MINUTE));
            match poll(&mut fds, timeout.as_ref()) {
                Ok(0) | Err(Errno::INTR) => {}
                _ => break,
            }
        }
        let [report, process, wake, stdout, stderr] = fds.map(|fd| !fd.revents().is_empty());
        Some(Ready { report, process, wake, stdout, stderr })
    }

    /// Takes what the container says of itself; the last word counts, and an end is the last.
    fn hear(&mut self, ended: &mut Ended) {
        loop {
            match Report::receive(self.born.reports(), RecvFlags::DONTWAIT) {
                // After a failure to execute there comes an end all the same, which says nothing more.
                Ok(Some(_)) if matches!(ended.report, Some(Report::NotExecuted { .. })) => {}
                Ok(Some((report, _))) => ended.report = Some(report),
                Err(Errno::AGAIN | Errno::INTR) => return,
                Ok(None) | Err(_) => {
                    self.silent = true;
                    return;
                }
            }
        }
    }

    /// Whether all but the container's first process is gone, and that one has nothing more to do.
    fn is_over(&self, ended: &Ended) -> bool {
        self.born.ends_the_container() && matches!(ended.report, Some(Report::Ended { .. }))
    }

    /// Takes what a stream has; how much that was.
    fn drain(&mut self, which: Stream, ready: bool) -> usize {
        let stream = self.streams.of(which);
        let Some(fd) = stream.as_ref().filter(|_| ready) else { return 0 };
        match rustix::io::read(fd, &mut *self.buffer) {
            Ok(([], _)) => *stream = None,
            Ok((bytes, _)) => {
                self.feed.push(which, bytes);
                return bytes.len();
            }
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(_) => *stream = None,
        }
        0
    }

    /// Takes what is in a stream now, and no more: a process that the command left behind may still be writing.
    fn empty(&mut self, which: Stream) {
        let waiting = self.streams.of(which).as_ref().and_then(|fd| rustix::io::ioctl_fionread(fd).ok());
        let mut left = waiting.unwrap_or(0);
        while left > 0 {
            match self.drain(which, true) as u64 {
                0 => return,
                count => left = left.saturating_sub(count),
            }
        }
    }
}

struct Ready {
    report: bool,
    process: bool,
    wake: bool,
    stdout: bool,
    stderr: bool,
}
