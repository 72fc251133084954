//! A server in its container as a transport: its standard input and output, and what it said to people for the day that it fails.

use std::sync::{Arc, Mutex, PoisonError};

use guild_engine::Conversation;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex};
use tokio::task::JoinHandle;

/// What one direction holds before it waits.
const HELD: usize = 64 * 1024;

/// What the server said to people last.
#[derive(Clone, Default)]
pub(super) struct Complaint(Arc<Mutex<String>>);

impl Complaint {
    /// The end of a sentence that says it; nothing where it said nothing.
    pub(super) fn because(&self) -> String {
        let said = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if said.is_empty() { String::new() } else { format!("; it said: {said}") }
    }

    fn keep(&self, said: &str) {
        said.clone_into(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// Passes on what is said in both directions. Dropping it ends the server.
pub(super) struct Pump {
    tasks: [JoinHandle<()>; 2],
}

impl Drop for Pump {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

/// The two ends for whoever speaks the protocol, and what keeps them going.
pub(super) fn pump(
    mut conversation: Conversation,
    complaint: Complaint,
) -> ((DuplexStream, DuplexStream), Pump) {
    let (hears, mut said) = duplex(HELD);
    let (mut told, tells) = duplex(HELD);
    let input = conversation.take_input();
    let out = tokio::spawn(async move {
        while let Some(bytes) = conversation.next().await {
            if said.write_all(&bytes).await.is_err() {
                return;
            }
        }
        complaint.keep(conversation.complaint());
        said.shutdown().await.ok();
    });
    let into = tokio::spawn(async move {
        let mut bytes = vec![0; HELD];
        while let (Some(input), Ok(count @ 1..)) = (&input, told.read(&mut bytes).await) {
            if input.write(bytes.get(..count).unwrap_or_default().to_vec()).await.is_err() {
                return;
            }
        }
    });
    ((hears, tells), Pump { tasks: [out, into] })
}
