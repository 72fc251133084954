//! What is written to a child: straight into its pipe while that has room, and through a queue otherwise.
//!
//! Somebody who asks a program that waits would else wake the thread that empties the queue, only to have it wake the program.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::{Errno, retry_on_intr};
use tokio::sync::mpsc;

use crate::backend::LaunchError;

/// What a pipe takes whole or not at all.
const WHOLE: usize = 4096;
/// How many writes wait for a command that does not read, before the next writer waits too.
const QUEUED: usize = 16;

/// Where a child's standard input is written to; dropping it ends the input.
#[derive(Clone, Debug)]
pub struct ChildStdin {
    queue: mpsc::Sender<Vec<u8>>,
    inlet: Arc<Inlet>,
}

/// A backend's side of an input.
pub(crate) struct Backlog {
    /// What was not written straight into the pipe.
    pub(super) queue: mpsc::Receiver<Vec<u8>>,
    inlet: Arc<Inlet>,
}

/// The end of a pipe that the child reads from, where its backend has one.
#[derive(Debug, Default)]
struct Inlet {
    pipe: OnceLock<OwnedFd>,
    /// How many writes are in the queue or on their way out of it; until they are through, others have to queue up behind them.
    waiting: Mutex<usize>,
}

impl ChildStdin {
    /// An input, and what its backend has of it.
    pub(super) fn new() -> (Self, Backlog) {
        let (queue, receiver) = mpsc::channel(QUEUED);
        let inlet = Arc::new(Inlet::default());
        (Self { queue, inlet: Arc::clone(&inlet) }, Backlog { queue: receiver, inlet })
    }

    /// Writes, waiting while the command does not read. Fails when the command has ended.
    pub async fn write(&self, bytes: Vec<u8>) -> Result<(), LaunchError> {
        if self.inlet.takes(&bytes)? {
            return Ok(());
        }
        let place = self.queue.reserve().await.map_err(|_| LaunchError::Ended)?;
        *self.inlet.waiting() += 1;
        place.send(bytes);
        Ok(())
    }

    /// As [`ChildStdin::write`], for a thread that reads from somewhere without a runtime.
    pub fn write_blocking(&self, bytes: Vec<u8>) -> Result<(), LaunchError> {
        if self.inlet.takes(&bytes)? {
            return Ok(());
        }
        *self.inlet.waiting() += 1;
        self.queue.blocking_send(bytes).map_err(|_| LaunchError::Ended)
    }
}

impl Backlog {
    /// Has the child's end of a pipe filled from now on.
    pub(crate) fn open(&self, pipe: OwnedFd) -> io::Result<()> {
        rustix::io::ioctl_fionbio(&pipe, true)?;
        self.inlet.pipe.set(pipe).map_err(|_| io::ErrorKind::AlreadyExists.into())
    }

    /// Writes all that is queued, until nobody can queue anything any more or nobody reads.
    pub(crate) fn empty(mut self) {
        while let Some(bytes) = self.queue.blocking_recv() {
            if self.inlet.write_all(&bytes).is_err() {
                return;
            }
            *self.inlet.waiting() -= 1;
        }
    }
}

impl Inlet {
    /// Whether the pipe has taken this, and nothing is left to do.
    fn takes(&self, bytes: &[u8]) -> Result<bool, LaunchError> {
        let Some(pipe) = self.pipe.get().filter(|_| bytes.len() <= WHOLE) else { return Ok(false) };
        let waiting = self.waiting();
        if *waiting > 0 {
            return Ok(false);
        }
        match rustix::io::write(pipe, bytes) {
            Ok(_) => Ok(true),
            Err(Errno::AGAIN | Errno::INTR) => Ok(false),
            Err(_) => Err(LaunchError::Ended),
        }
    }

    fn write_all(&self, mut bytes: &[u8]) -> io::Result<()> {
        let pipe = self.pipe.get().ok_or(io::ErrorKind::NotConnected)?;
        while !bytes.is_empty() {
            match rustix::io::write(pipe, bytes) {
                Ok(count) => bytes = bytes.get(count..).unwrap_or_default(),
                Err(Errno::AGAIN) => wait_for_room(pipe)?,
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    fn waiting(&self) -> MutexGuard<'_, usize> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn wait_for_room(pipe: &OwnedFd) -> io::Result<()> {
    let mut room = [PollFd::from_borrowed_fd(pipe.as_fd(), PollFlags::OUT)];
    retry_on_intr(|| poll(&mut room, None))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::thread;

    use super::*;

    fn piped() -> (ChildStdin, thread::JoinHandle<()>, io::PipeReader) {
        let (reader, writer) = io::pipe().unwrap();
        let (stdin, backlog) = ChildStdin::new();
        backlog.open(writer.into()).unwrap();
        (stdin, thread::spawn(move || backlog.empty()), reader)
    }

    #[test]
    fn what_fits_is_in_the_pipe_before_the_writer_goes_on() {
        let (stdin, emptying, mut reader) = piped();
        stdin.write_blocking(b"one\n".to_vec()).unwrap();
        assert_eq!(rustix::io::ioctl_fionread(&reader).unwrap(), 4);
        drop(stdin);
        emptying.join().unwrap();
        let mut read = String::new();
        reader.read_to_string(&mut read).unwrap();
        assert_eq!(read, "one\n", "the input has ended");
    }

    #[test]
    fn what_is_written_in_one_order_is_read_in_that_order() {
        let (stdin, emptying, mut reader) = piped();
        let written: Vec<Vec<u8>> =
            (0..=255).map(|number| vec![number; [7, 4096, 70_000][number as usize % 3]]).collect();
        let expected = written.concat();
        let writing = thread::spawn(move || {
            for bytes in written {
                stdin.write_blocking(bytes).unwrap();
            }
        });
        let mut read = Vec::new();
        reader.read_to_end(&mut read).unwrap();
        assert!(read == expected);
        writing.join().unwrap();
        emptying.join().unwrap();
    }

    #[test]
    fn nobody_reads_any_more() {
        let (stdin, _emptying, reader) = piped();
        drop(reader);
        assert!(matches!(stdin.write_blocking(b"one\n".to_vec()), Err(LaunchError::Ended)));
    }
}
