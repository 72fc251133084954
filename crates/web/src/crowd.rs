//! How much each caller has under way at once, counted until the last byte of an answer has left.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use http_body::{Frame, SizeHint};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// What all callers have under way.
#[derive(Debug)]
pub(crate) struct Crowd {
    each: usize,
    callers: Mutex<HashMap<String, Arc<Semaphore>>>,
}

/// A place in the crowd, given back when it is dropped.
pub(crate) type Place = OwnedSemaphorePermit;

impl Crowd {
    /// So many requests at once for each caller.
    pub(crate) fn new(each: usize) -> Self {
        Self { each, callers: Mutex::default() }
    }

    /// A place for a request, if the caller has one left.
    pub(crate) fn enter(&self, caller: &str) -> Option<Place> {
        let mut callers = self.callers.lock().unwrap_or_else(PoisonError::into_inner);
        let places = callers.entry(caller.to_owned()).or_insert_with(|| Arc::new(Semaphore::new(self.each)));
        Arc::clone(places).try_acquire_owned().ok()
    }
}

/// An answer's body that holds a place until it has ended, nobody wants it any more, or its caller is let in no more.
pub(crate) struct Held {
    body: Body,
    shut_out: Pin<Box<dyn Future<Output = ()> + Send>>,
    _place: Place,
}

impl Held {
    pub(crate) fn new(body: Body, place: Place, shut_out: impl Future<Output = ()> + Send + 'static) -> Self {
        Self { body, shut_out: Box::pin(shut_out), _place: place }
    }
}

impl http_body::Body for Held {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if self.shut_out.as_mut().poll(context).is_ready() {
            return Poll::Ready(None);
        }
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
