//! Bytes between a thread that blocks and a task that waits, a bounded number of chunks at a time.

use std::io::{self, Read, Write};

use bytes::{Buf, Bytes};
use tokio::sync::mpsc;

/// Chunks on their way.
const CHUNKS: usize = 8;
/// Bytes of a chunk that is written.
const CHUNK: usize = 64 << 10;

/// What the writing end sends.
pub(super) type Chunks = mpsc::Receiver<io::Result<Bytes>>;

/// Writes whole chunks; dropping it without [`Write::flush`] is an error for whoever reads.
pub(super) struct Writer {
    chunks: mpsc::Sender<io::Result<Bytes>>,
    pending: Vec<u8>,
    finished: bool,
}

/// Reads chunks as one stream.
pub(super) struct Reader {
    chunks: mpsc::Receiver<io::Result<Bytes>>,
    current: Bytes,
}

/// An end for a thread to write to, and what comes out of it.
pub(super) fn writer() -> (Writer, Chunks) {
    let (sender, receiver) = mpsc::channel(CHUNKS);
    (Writer { chunks: sender, pending: Vec::with_capacity(CHUNK), finished: false }, receiver)
}

/// An end for a thread to read from, and where it comes from.
pub(super) fn reader() -> (mpsc::Sender<io::Result<Bytes>>, Reader) {
    let (sender, receiver) = mpsc::channel(CHUNKS);
    (sender, Reader { chunks: receiver, current: Bytes::new() })
}

impl Writer {
    fn send(&mut self) -> io::Result<()> {
        let chunk = Bytes::from(std::mem::replace(&mut self.pending, Vec::with_capacity(CHUNK)));
        self.chunks.blocking_send(Ok(chunk)).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

impl Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = CHUNK - self.pending.len();
        let taken = bytes.get(..room.min(bytes.len())).unwrap_or_default();
        self.pending.extend_from_slice(taken);
        if self.pending.len() == CHUNK {
            self.send()?;
        }
        Ok(taken.len())
    }

    /// The end of what is written.
    fn flush(&mut self) -> io::Result<()> {
        if !self.pending.is_empty() {
            self.send()?;
        }
        self.finished = true;
        Ok(())
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        if !self.finished {
            let cut = io::Error::new(io::ErrorKind::UnexpectedEof, "the archive was cut short");
            let _ = self.chunks.blocking_send(Err(cut));
        }
    }
}

impl Read for Reader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.current.is_empty() {
            match self.chunks.blocking_recv() {
                Some(chunk) => self.current = chunk?,
                None => return Ok(0),
            }
        }
        let count = self.current.len().min(into.len());
        if let (Some(to), Some(from)) = (into.get_mut(..count), self.current.get(..count)) {
            to.copy_from_slice(from);
        }
        self.current.advance(count);
        Ok(count)
    }
}
