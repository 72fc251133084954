//! The messages between a supervisor and whoever uses its container: a kind, a length, and that many bytes.

use std::io;

use serde::{Deserialize, Serialize};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use crate::backend::RefusalKind;
use crate::command::Command;
use crate::outcome::Outcome;
use crate::policy::Mount;

/// Longer messages are refused; output comes in pieces far smaller.
const MOST_BYTES: u32 = 8 << 20;

/// One message.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Frame {
    /// To the supervisor: what to do. The first message of a connection.
    Request(Vec<u8>),
    /// To the supervisor: input of the command.
    Stdin(Vec<u8>),
    /// To the supervisor: there is no more input.
    StdinEnd,
    /// From the supervisor: the command runs.
    Started,
    /// From the supervisor: output.
    Stdout(Vec<u8>),
    /// From the supervisor: error output.
    Stderr(Vec<u8>),
    /// From the supervisor: what came of the request, as [`Answer`]. The last message of a connection.
    Answer(Vec<u8>),
}

/// What is asked of a supervisor.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Request {
    /// Run a command.
    Exec {
        /// The command.
        command: Command,
        /// Mounts that it alone sees.
        mounts: Vec<Mount>,
        /// How long it may take, in milliseconds.
        timeout_ms: u64,
    },
    /// End the container.
    Stop,
}

/// What came of a request.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Answer {
    /// The command has ended; its output came before, as it was written.
    Ended(Box<Outcome>),
    /// It could not be run.
    Refused {
        /// What kind of refusal it is.
        kind: RefusalKind,
        /// All that there is to say.
        message: String,
    },
    /// The container has ended.
    Stopped,
}

impl Frame {
    /// Writes it.
    pub(super) async fn write(&self, to: &mut (impl AsyncWrite + Unpin)) -> io::Result<()> {
        let (kind, bytes): (u8, &[u8]) = match self {
            Frame::Request(bytes) => (0, bytes),
            Frame::Stdin(bytes) => (1, bytes),
            Frame::StdinEnd => (2, &[]),
            Frame::Started => (3, &[]),
            Frame::Stdout(bytes) => (4, bytes),
            Frame::Stderr(bytes) => (5, bytes),
            Frame::Answer(bytes) => (6, bytes),
        };
        let length = u32::try_from(bytes.len()).map_err(|_| io::ErrorKind::InvalidInput)?;
        let mut head = [0; 5];
        head[0] = kind;
        head[1..].copy_from_slice(&length.to_le_bytes());
        to.write_all(&head).await?;
        to.write_all(bytes).await?;
        to.flush().await
    }

    /// Reads the next one; `None` where the other side has closed.
    pub(super) async fn read(from: &mut (impl AsyncRead + Unpin)) -> io::Result<Option<Frame>> {
        let mut head = [0; 5];
        match from.read_exact(&mut head).await {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            read => read?,
        };
        let [kind, length @ ..] = head;
        let length = u32::from_le_bytes(length);
        if length > MOST_BYTES {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let mut bytes = vec![0; length as usize];
        from.read_exact(&mut bytes).await?;
        Ok(Some(match kind {
            0 => Frame::Request(bytes),
            1 => Frame::Stdin(bytes),
            2 => Frame::StdinEnd,
            3 => Frame::Started,
            4 => Frame::Stdout(bytes),
            5 => Frame::Stderr(bytes),
            6 => Frame::Answer(bytes),
            _ => return Err(io::ErrorKind::InvalidData.into()),
        }))
    }
}
