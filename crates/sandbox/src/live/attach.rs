//! Using a container that lives on, through its supervisor.

use std::io;
use std::time::Duration;

use tokio::net::UnixStream;
use tokio::net::unix::OwnedWriteHalf;
use tokio::sync::{mpsc, oneshot};

use super::frame::{Answer, Frame, Request};
use super::record::{ContainerId, Record};
use super::registry::{Registry, RegistryError};
use super::socket;
use crate::backend::{Container, LaunchError, Pending};
use crate::child::{Child, ChildEnd, Feed, Killer, Stream};
use crate::command::{Command, Stdin};
use crate::outcome::Outcome;
use crate::policy::Mount;

/// A container in a supervisor's hands.
struct Attached {
    registry: Registry,
    record: Record,
}

impl Registry {
    /// The container of this name, to be used like any other. Dropping what this gives ends nothing.
    pub fn attach(&self, id: &ContainerId) -> Result<Box<dyn Container>, RegistryError> {
        let record = self.get(id)?;
        Ok(Box::new(Attached { registry: self.clone(), record }))
    }
}

impl Attached {
    async fn connect(&self, request: &Request) -> Result<UnixStream, LaunchError> {
        let lost = |source| LaunchError::Step { step: "reach the container's supervisor".to_owned(), source };
        let mut stream = socket::connect(&self.registry.place(&self.record.id)).await.map_err(lost)?;
        let bytes = serde_json::to_vec(request).map_err(|error| lost(error.into()))?;
        Frame::Request(bytes).write(&mut stream).await.map_err(lost)?;
        Ok(stream)
    }
}

impl Container for Attached {
    fn exec<'a>(
        &'a self,
        command: &'a Command,
        mounts: &'a [Mount],
        timeout: Duration,
    ) -> Pending<'a, Result<Child, LaunchError>> {
        Box::pin(async move {
            let timeout_ms = u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX);
            let mut sent = command.clone();
            sent.stdin = Stdin::Piped;
            let request = Request::Exec { command: sent, mounts: mounts.to_vec(), timeout_ms };
            let mut stream = self.connect(&request).await?;
            match Frame::read(&mut stream).await {
                Ok(Some(Frame::Started)) => {}
                Ok(Some(Frame::Answer(bytes))) => return Err(refusal(&bytes)),
                _ => return Err(LaunchError::Ended),
            }
            let (killed, kill) = oneshot::channel();
            let killed = std::sync::Mutex::new(Some(killed));
            let killer = Killer::new(move || drop(killed.lock().ok().and_then(|mut killed| killed.take())));
            let (mut child, feed, end) = Child::new(self.record.policy.limits.kept_output, killer);
            let input = match &command.stdin {
                Stdin::Empty => Input::Bytes(Vec::new()),
                Stdin::Bytes(bytes) => Input::Bytes(bytes.clone()),
                Stdin::Piped => Input::Piped(child.pipe_stdin()),
                Stdin::Conversation => Input::Piped(child.converse()),
            };
            tokio::spawn(follow(stream, input, feed, end, kill));
            Ok(child)
        })
    }

    fn alive(&self) -> Pending<'_, bool> {
        Box::pin(std::future::ready(self.registry.get(&self.record.id).is_ok()))
    }

    fn stop(self: Box<Self>) -> Pending<'static, Result<(), LaunchError>> {
        Box::pin(async move {
            let mut stream = self.connect(&Request::Stop).await?;
            // The connection ends with the supervisor, and that with the container.
            while let Ok(Some(_)) = Frame::read(&mut stream).await {}
            while self.registry.get(&self.record.id).is_ok() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            Ok(())
        })
    }
}

enum Input {
    Bytes(Vec<u8>),
    Piped(mpsc::Receiver<Vec<u8>>),
}

/// Passes frames between a child and the supervisor until either ends.
async fn follow(
    stream: UnixStream,
    input: Input,
    mut feed: Feed,
    end: ChildEnd,
    kill: oneshot::Receiver<()>,
) {
    let (mut from, mut to) = stream.into_split();
    let writing = tokio::spawn(async move {
        // Whoever kills the command does not wait until it has read its input.
        tokio::select! {
            _ = kill => Ok(()),
            failed = pass_in(input, &mut to) => failed,
        }
    });
    let outcome = loop {
        match Frame::read(&mut from).await {
            Ok(Some(Frame::Stdout(bytes))) => feed.push(Stream::Stdout, &bytes),
            Ok(Some(Frame::Stderr(bytes))) => feed.push(Stream::Stderr, &bytes),
            Ok(Some(Frame::Answer(bytes))) => break answer(&bytes),
            Ok(Some(_)) => {}
            Ok(None) | Err(_) => break Err(LaunchError::Ended),
        }
    };
    writing.abort();
    let (stdout, stderr) = feed.into_captured();
    let _ = end.send(outcome.map(|mut outcome| {
        outcome.stdout.bytes = stdout.bytes;
        outcome.stderr.bytes = stderr.bytes;
        outcome
    }));
}

/// Sends all input, and stays: that the connection is open says that somebody still waits for the command.
async fn pass_in(input: Input, to: &mut OwnedWriteHalf) -> io::Result<()> {
    match input {
        Input::Bytes(bytes) => {
            for piece in bytes.chunks(64 << 10) {
                Frame::Stdin(piece.to_vec()).write(to).await?;
            }
        }
        Input::Piped(mut pieces) => {
            while let Some(piece) = pieces.recv().await {
                Frame::Stdin(piece).write(to).await?;
            }
        }
    }
    Frame::StdinEnd.write(to).await?;
    std::future::pending().await
}

fn answer(bytes: &[u8]) -> Result<Outcome, LaunchError> {
    match serde_json::from_slice(bytes) {
        Ok(Answer::Ended(outcome)) => Ok(*outcome),
        _ => Err(refusal(bytes)),
    }
}

fn refusal(bytes: &[u8]) -> LaunchError {
    match serde_json::from_slice(bytes) {
        Ok(Answer::Refused { kind, message }) => LaunchError::Elsewhere { kind, message },
        _ => LaunchError::Ended,
    }
}
