//! Runs that outlive the request that they were asked by: while a client without a handshake is away to ask a person, they wait here.

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Mutex, MutexGuard, PoisonError};

use guild_engine::{Code, Envelope, reply};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// A run. Dropped before its end, it is cut off.
pub(crate) struct Running {
    task: JoinHandle<Envelope<reply::Run>>,
    asks: mpsc::UnboundedReceiver<String>,
}

/// What happens next.
pub(crate) enum Event {
    /// It has ended.
    Ended(Box<Envelope<reply::Run>>),
    /// Its tool asks a person something: the request that waits.
    Asks(String),
}

impl Running {
    /// Begins; `work` is given what it tells of questions by.
    pub(crate) fn start<F>(work: impl FnOnce(mpsc::UnboundedSender<String>) -> F) -> Self
    where
        F: Future<Output = Envelope<reply::Run>> + Send + 'static,
    {
        let (asked, asks) = mpsc::unbounded_channel();
        Self { task: tokio::spawn(work(asked)), asks }
    }

    /// Waits for what happens next.
    pub(crate) async fn next(&mut self) -> Event {
        tokio::select! {
            biased;
            Some(request) = self.asks.recv() => Event::Asks(request),
            ended = &mut self.task => Event::Ended(Box::new(ended.unwrap_or_else(|error| {
                Envelope::error(Code::Internal, error.to_string(), reply::Run::nothing(""))
            }))),
        }
    }

    /// Cuts it off, and waits until nothing of it is left: what it leaves is settled by whoever comes next.
    pub(crate) async fn cut_off(mut self) {
        self.task.abort();
        (&mut self.task).await.ok();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Runs whose clients are away, by the request that waits for an answer.
#[derive(Default)]
pub(crate) struct Parked(Mutex<HashMap<String, Running>>);

impl Parked {
    /// Keeps a run, and forgets those that have ended: they give up by themselves where nobody answers.
    pub(crate) fn park(&self, request: String, running: Running) {
        let mut parked = self.held();
        parked.retain(|_, running| !running.task.is_finished());
        parked.insert(request, running);
    }

    /// The run that waits for this request.
    pub(crate) fn resume(&self, request: &str) -> Option<Running> {
        self.held().remove(request)
    }

    fn held(&self) -> MutexGuard<'_, HashMap<String, Running>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
