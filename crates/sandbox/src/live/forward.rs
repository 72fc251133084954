//! Between a supervisor's command and whoever asked for it: output on, input in, until either ends.

use tokio::net::UnixStream;
use tokio::net::unix::ReadHalf;

use super::frame::Frame;
use super::socket;
use crate::backend::LaunchError;
use crate::child::{Child, ChildStdin, Stream};
use crate::outcome::Outcome;

/// Passes output on and input in. Whoever asked is gone when the connection ends, and the command goes with them.
pub(super) async fn forward(stream: &mut UnixStream, mut child: Child) -> Result<Outcome, LaunchError> {
    let (from, mut to) = stream.split();
    let stdin = child.take_stdin();
    let killer = child.killer();
    let input = async {
        pass_in(from, stdin).await;
        killer.kill();
    };
    let output = async {
        let _ = Frame::Started.write(&mut to).await;
        while let Some(chunk) = child.next().await {
            let frame = match chunk.stream {
                Stream::Stdout => Frame::Stdout(chunk.bytes),
                Stream::Stderr => Frame::Stderr(chunk.bytes),
            };
            let _ = frame.write(&mut to).await;
        }
        child.wait().await
    };
    // The input's side never ends first but by the caller's going, after which the output's still does.
    let mut output = std::pin::pin!(output);
    let ended = first(input, &mut output).await;
    match ended {
        Some(outcome) => outcome,
        None => output.await,
    }
}

/// Passes input in until whoever sends it has gone. A command that does not read its input must not keep that from being seen.
async fn pass_in(mut from: ReadHalf<'_>, mut stdin: Option<ChildStdin>) {
    loop {
        match Frame::read(&mut from).await {
            Ok(Some(Frame::Stdin(bytes))) => {
                let Some(stdin) = &stdin else { continue };
                if first(socket::closed(from.as_ref()), stdin.write(bytes)).await.is_none() {
                    return;
                }
            }
            Ok(Some(Frame::StdinEnd)) => stdin = None,
            _ => return,
        }
    }
}

/// The second future's result, or `None` where the first one comes before it.
pub(super) async fn first<T>(stopped: impl Future<Output = ()>, other: impl Future<Output = T>) -> Option<T> {
    let (mut stopped, mut other) = (std::pin::pin!(stopped), std::pin::pin!(other));
    std::future::poll_fn(|context| {
        if stopped.as_mut().poll(context).is_ready() {
            return std::task::Poll::Ready(None);
        }
        other.as_mut().poll(context).map(Some)
    })
    .await
}
