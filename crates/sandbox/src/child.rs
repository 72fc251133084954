//! A running command, whichever backend runs it: its output as it comes, and its end.
//!
//! A backend makes a [`Child`] together with a [`Feed`], through which it delivers. What the feed accepts of a stream is bounded by
//! the policy, so a reader that never reads costs no more memory than that.

use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};

use crate::backend::LaunchError;
use crate::outcome::{Captured, Outcome};

/// A command that runs in a container. Dropping it kills the command.
#[derive(Debug)]
pub struct Child {
    chunks: mpsc::UnboundedReceiver<Chunk>,
    end: oneshot::Receiver<Result<Outcome, LaunchError>>,
    stdin: Option<ChildStdin>,
    killer: Killer,
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

/// Where a child's standard input is written to; dropping it ends the input.
#[derive(Clone, Debug)]
pub struct ChildStdin(mpsc::Sender<Vec<u8>>);

/// Kills a child from elsewhere.
#[derive(Clone)]
pub struct Killer(Arc<dyn Fn() + Send + Sync>);

/// The backend's side of a child.
#[derive(Debug)]
pub struct Feed {
    chunks: mpsc::UnboundedSender<Chunk>,
    stdout: Captured,
    stderr: Captured,
    limit: u64,
}

/// Where a backend says how a child ended.
pub type ChildEnd = oneshot::Sender<Result<Outcome, LaunchError>>;

impl Child {
    /// A child with the ends that its backend holds: the feed for its output, the sender for its end, and, where asked for, the
    /// receiver of its input.
    pub fn new(limit: u64, killer: Killer) -> (Child, Feed, ChildEnd) {
        let (send_chunk, chunks) = mpsc::unbounded_channel();
        let (send_end, end) = oneshot::channel();
        let feed =
            Feed { chunks: send_chunk, stdout: Captured::default(), stderr: Captured::default(), limit };
        (Child { chunks, end, stdin: None, killer }, feed, send_end)
    }

    /// Gives the child a standard input, and the backend what is written to it.
    pub fn pipe_stdin(&mut self) -> mpsc::Receiver<Vec<u8>> {
        let (sender, receiver) = mpsc::channel(16);
        self.stdin = Some(ChildStdin(sender));
        receiver
    }

    /// The child's standard input, where the command asked for a pipe; once.
    pub fn take_stdin(&mut self) -> Option<ChildStdin> {
        self.stdin.take()
    }

    /// The next piece of output; `None` when both streams have ended or what is kept of them is full.
    pub async fn next(&mut self) -> Option<Chunk> {
        self.chunks.recv().await
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

impl ChildStdin {
    /// Writes, waiting while the command does not read. Fails when the command has ended.
    pub async fn write(&self, bytes: Vec<u8>) -> Result<(), LaunchError> {
        self.0.send(bytes).await.map_err(|_| LaunchError::Ended)
    }

    /// As [`ChildStdin::write`], for a thread that reads from somewhere without a runtime.
    pub fn write_blocking(&self, bytes: Vec<u8>) -> Result<(), LaunchError> {
        self.0.blocking_send(bytes).map_err(|_| LaunchError::Ended)
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
        let room = usize::try_from(self.limit).unwrap_or(usize::MAX).saturating_sub(captured.bytes.len());
        let kept = bytes.get(..room.min(bytes.len())).unwrap_or_default();
        if !kept.is_empty() {
            captured.bytes.extend_from_slice(kept);
            // Nobody may be listening; the outcome has the bytes all the same.
            let _ = self.chunks.send(Chunk { stream, bytes: kept.to_vec() });
        }
    }

    /// What was kept of both streams.
    pub fn into_captured(self) -> (Captured, Captured) {
        (self.stdout, self.stderr)
    }
}
