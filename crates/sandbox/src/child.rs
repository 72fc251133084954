//! A running command, whichever backend runs it: its output as it comes, and its end.
//!
//! A backend makes a [`Child`] together with a [`Feed`], through which it delivers. What the feed accepts of a stream is bounded by
//! the policy, so a reader that never reads costs no more memory than that. With a command that is talked to for long, the bound is
//! on what was said and not yet heard.

mod stdin;

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use tokio::io::AsyncReadExt as _;
use tokio::net::unix::pipe;
use tokio::sync::{mpsc, oneshot};

use crate::backend::LaunchError;
use crate::outcome::{Captured, Outcome};
pub(crate) use stdin::Backlog;
pub use stdin::ChildStdin;

/// How much of a command that is talked to is heard at once.
const AT_ONCE: usize = 16 << 10;

/// A command that runs in a container. Dropping it kills the command.
#[derive(Debug)]
pub struct Child {
    chunks: mpsc::UnboundedReceiver<Chunk>,
    end: oneshot::Receiver<Result<Outcome, LaunchError>>,
    stdin: Option<ChildStdin>,
    /// Where its output is heard without the feed.
    stdout: Option<pipe::Receiver>,
    killer: Killer,
    passing: Arc<Passing>,
}

/// Whether output is passed on and forgotten, and how much of it nobody has heard yet.
#[derive(Debug, Default)]
struct Passing {
    is_on: AtomicBool,
    waiting: AtomicU64,
}

/// Some output, as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Which stream it came from.
    pub stream: Stream,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// One of the two output streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// Kills a child from elsewhere.
#[derive(Clone)]
pub struct Killer(Arc<dyn Fn() + Send + Sync>);

/// The backend's side of a child.
#[derive(Debug)]
pub struct Feed {
    /// Nothing once a command that is talked to has said more than anybody listens to.
    chunks: Option<mpsc::UnboundedSender<Chunk>>,
    stdout: Captured,
    stderr: Captured,
    limit: u64,
    passing: Arc<Passing>,
}

/// Where a backend says how a child ended.
pub type ChildEnd = oneshot::Sender<Result<Outcome, LaunchError>>;

impl Child {
    /// A child with the ends that its backend holds: the feed for its output, the sender for its end, and, where asked for, the
    /// receiver of its input.
    pub fn new(limit: u64, killer: Killer) -> (Child, Feed, ChildEnd) {
        let (send_chunk, chunks) = mpsc::unbounded_channel();
        let (send_end, end) = oneshot::channel();
        let passing = Arc::new(Passing::default());
        let feed = Feed {
            chunks: Some(send_chunk),
            stdout: Captured::default(),
            stderr: Captured::default(),
            limit,
            passing: Arc::clone(&passing),
        };
        (Child { chunks, end, stdin: None, stdout: None, killer, passing }, feed, send_end)
    }

    /// Gives the child a standard input, and the backend what is written to it.
    pub fn pipe_stdin(&mut self) -> mpsc::Receiver<Vec<u8>> {
        self.open_stdin().queue
    }

    /// The same for a command that is talked to for as long as it lives.
    pub(crate) fn converse(&mut self) -> mpsc::Receiver<Vec<u8>> {
        self.pass_on();
        self.pipe_stdin()
    }

    /// The same for a backend that has a pipe, into which what fits goes straight.
    pub(crate) fn open_stdin(&mut self) -> Backlog {
        let (stdin, backlog) = ChildStdin::new();
        self.stdin = Some(stdin);
        backlog
    }

    /// The child's standard input, where the command asked for a pipe; once.
    pub fn take_stdin(&mut self) -> Option<ChildStdin> {
        self.stdin.take()
    }

    /// Keeps nothing of the output from now on, for a command that is talked to for as long as it lives: it may say any amount,
    /// but no more at once than the policy keeps. One that does is not listened to any more.
    pub(crate) fn pass_on(&self) {
        self.passing.is_on.store(true, Ordering::Relaxed);
    }

    /// Hears standard output at this end of a pipe, of which the feed gets nothing: to have it passed on would wake a thread for every
    /// answer of a command that is talked to.
    pub(crate) fn listen_to(&mut self, stdout: OwnedFd) -> io::Result<()> {
        self.stdout = Some(pipe::Receiver::from_owned_fd(stdout)?);
        Ok(())
    }

    /// The next piece of output; `None` when both streams have ended or what is kept of them is full.
    pub async fn next(&mut self) -> Option<Chunk> {
        while let Some(stdout) = &mut self.stdout {
            let mut bytes = Vec::with_capacity(AT_ONCE);
            tokio::select! {
                read = stdout.read_buf(&mut bytes) => match read {
                    Ok(1..) => return Some(Chunk { stream: Stream::Stdout, bytes }),
                    Ok(0) | Err(_) => self.stdout = None,
                },
                Some(chunk) = self.chunks.recv() => return Some(self.heard(chunk)),
            }
        }
        let chunk = self.chunks.recv().await?;
        Some(self.heard(chunk))
    }

    fn heard(&self, chunk: Chunk) -> Chunk {
        self.passing.waiting.fetch_sub(chunk.bytes.len() as u64, Ordering::Relaxed);
        chunk
    }

    /// Waits for the end. Output that was not taken by [`Child::next`] is in the outcome all the same.
    pub async fn wait(mut self) -> Result<Outcome, LaunchError> {
        self.stdin = None;
        match (&mut self.end).await {
            Ok(end) => end,
            Err(_) => Err(LaunchError::Ended),
        }
    }

    /// Something that kills the child and everything it started.
    pub fn killer(&self) -> Killer {
        self.killer.clone()
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.killer.kill();
    }
}

impl Killer {
    /// What to do to kill. It must be harmless after the end.
    pub fn new(kill: impl Fn() + Send + Sync + 'static) -> Killer {
        Killer(Arc::new(kill))
    }

    /// Kills the child and everything it started. Harmless after its end.
    pub fn kill(&self) {
        (self.0)();
    }
}

impl std::fmt::Debug for Killer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Killer")
    }
}

impl Feed {
    /// Takes output: keeps and forwards what the limit leaves room for, counts the rest.
    pub fn push(&mut self, stream: Stream, bytes: &[u8]) {
        let captured = match stream {
            Stream::Stdout => &mut self.stdout,
            Stream::Stderr => &mut self.stderr,
        };
        captured.total += bytes.len() as u64;
        if self.passing.is_on.load(Ordering::Relaxed) {
            if self.passing.waiting.load(Ordering::Relaxed) + bytes.len() as u64 > self.limit {
                self.chunks = None;
            }
            return self.pass(stream, bytes);
        }
        let room = usize::try_from(self.limit).unwrap_or(usize::MAX).saturating_sub(captured.bytes.len());
        let kept = bytes.get(..room.min(bytes.len())).unwrap_or_default();
        if !kept.is_empty() {
            captured.bytes.extend_from_slice(kept);
            self.pass(stream, kept);
        }
    }

    fn pass(&self, stream: Stream, bytes: &[u8]) {
        let Some(chunks) = &self.chunks else { return };
        self.passing.waiting.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        // Nobody may be listening; the outcome has what is kept all the same.
        let _ = chunks.send(Chunk { stream, bytes: bytes.to_vec() });
    }

    /// What was kept of both streams.
    pub fn into_captured(self) -> (Captured, Captured) {
        (self.stdout, self.stderr)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(child: &mut Child) -> Vec<u8> {
        let mut heard = Vec::new();
        while let Ok(chunk) = child.chunks.try_recv() {
            child.passing.waiting.fetch_sub(chunk.bytes.len() as u64, Ordering::Relaxed);
            heard.extend(chunk.bytes);
        }
        heard
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let (mut child, mut feed, _end) = Child::new(4, Killer::new(|| {}));
        feed.push(Stream::Stdout, b"abc");
        feed.push(Stream::Stdout, b"def");
        assert_eq!(heard(&mut child), b"abcd");
        feed.push(Stream::Stdout, b"g");
        assert_eq!(heard(&mut child), b"", "what is full stays full");
        let (stdout, _) = feed.into_captured();
        assert_eq!((stdout.bytes.as_slice(), stdout.total), (&b"abcd"[..], 7));
    }

    #[test]
    fn a_command_that_is_talked_to_may_say_any_amount_if_it_is_heard() {
        let (mut child, mut feed, _end) = Child::new(4, Killer::new(|| {}));
        child.pass_on();
        for _ in 0..10 {
            feed.push(Stream::Stdout, b"abcd");
            assert_eq!(heard(&mut child), b"abcd");
        }
        assert_eq!(feed.into_captured().0.bytes, b"");
    }

    #[test]
    fn a_command_that_says_more_than_anybody_hears_is_not_listened_to_any_more() {
        let (mut child, mut feed, _end) = Child::new(4, Killer::new(|| {}));
        child.pass_on();
        feed.push(Stream::Stdout, b"abc");
        feed.push(Stream::Stderr, b"de");
        feed.push(Stream::Stdout, b"f");
        assert_eq!(heard(&mut child), b"abc");
        assert!(child.chunks.is_closed());
    }
}
