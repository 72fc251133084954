//! Standard input and output as the runtime itself watches them, where Linux has them as pipes.
//!
//! A thread that waits for a pipe has to be woken for every message, and has to wake the runtime for it. The pipe is opened once more for
//! that, because whoever shares it does not expect that it stops blocking. Whatever else it is, a socket, a file or a terminal, has a thread.

use tokio::io::{AsyncRead, AsyncWrite};

/// Where messages come from and where they go.
pub(super) fn open() -> (Box<dyn AsyncRead + Send + Unpin>, Box<dyn AsyncWrite + Send + Unpin>) {
    let (input, output) = rmcp::transport::stdio();
    (watched_input().unwrap_or_else(|| Box::new(input)), watched_output().unwrap_or_else(|| Box::new(output)))
}

#[cfg(target_os = "linux")]
fn watched_input() -> Option<Box<dyn AsyncRead + Send + Unpin>> {
    let pipe = tokio::net::unix::pipe::OpenOptions::new().open_receiver("/proc/self/fd/0").ok()?;
    Some(Box::new(pipe))
}

#[cfg(target_os = "linux")]
fn watched_output() -> Option<Box<dyn AsyncWrite + Send + Unpin>> {
    let pipe = tokio::net::unix::pipe::OpenOptions::new().open_sender("/proc/self/fd/1").ok()?;
    Some(Box::new(pipe))
}

#[cfg(not(target_os = "linux"))]
fn watched_input() -> Option<Box<dyn AsyncRead + Send + Unpin>> {
    None
}

#[cfg(not(target_os = "linux"))]
fn watched_output() -> Option<Box<dyn AsyncWrite + Send + Unpin>> {
    None
}
