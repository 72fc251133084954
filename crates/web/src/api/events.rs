//! A stream of server-sent events: a name, a number and JSON each, with a sign of life where nothing happens.
//!
//! JSON has no line ends, so that no text of a skill's can begin an event of its own.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::Response;
use http_body::Frame;
use serde::Serialize;
use tokio::sync::mpsc;
use tokio::time::{Interval, MissedTickBehavior, interval};

/// How often a stream in which nothing happens shows that it is there.
const BEAT: Duration = Duration::from_secs(15);
/// How many events wait for a slow reader.
const WAITING: usize = 64;

/// Where events are told.
#[derive(Clone)]
pub(crate) struct Teller(mpsc::Sender<Bytes>);

/// The body of an answer that goes on.
struct Stream {
    told: mpsc::Receiver<Bytes>,
    beat: Interval,
}

/// A stream, and where its events are told; it ends with the last teller.
pub(crate) fn stream() -> (Teller, Response) {
    let (teller, told) = mpsc::channel(WAITING);
    let mut beat = interval(BEAT);
    beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut response = Response::new(Body::new(Stream { told, beat }));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    (Teller(teller), response)
}

impl Teller {
    /// Tells an event; `false` where nobody listens any more.
    pub(crate) async fn tell<T: Serialize>(&self, name: &str, number: usize, data: &T) -> bool {
        self.0.send(event(name, number, data)).await.is_ok()
    }

    /// The same for one that may be lost where the reader is slow.
    pub(crate) fn mention<T: Serialize>(&self, name: &str, number: usize, data: &T) {
        self.0.try_send(event(name, number, data)).ok();
    }

    /// Comes back when nobody listens any more.
    pub(crate) async fn unheard(&self) {
        self.0.closed().await;
    }
}

fn event<T: Serialize>(name: &str, number: usize, data: &T) -> Bytes {
    let data = serde_json::to_string(data).unwrap_or_default();
    Bytes::from(format!("id: {number}\nevent: {name}\ndata: {data}\n\n"))
}

impl http_body::Body for Stream {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        if let Poll::Ready(told) = self.told.poll_recv(context) {
            self.beat.reset();
            return Poll::Ready(told.map(|event| Ok(Frame::data(event))));
        }
        match self.beat.poll_tick(context) {
            Poll::Ready(_) => Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(b":\n\n"))))),
            Poll::Pending => Poll::Pending,
        }
    }
}
