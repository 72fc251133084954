//! Telling open pages that something has happened: a request, a decision, a run, another state of the skills.
//!
//! There is one look for all who listen, and none while nobody does. What has happened is not told: a page asks for that as any other.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::body::{Body, Bytes};
use futures_util::stream::{self, Stream};
use guild_engine::{Premises, Pulse, pulse, requests};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(250);
/// Between two signs of life, so that nobody in between takes the line for dead.
const SIGN_OF_LIFE: Duration = Duration::from_secs(15);

/// Who listens, and what they are told.
#[derive(Debug)]
pub(crate) struct Live {
    told: watch::Sender<News>,
    is_looking: AtomicBool,
}

/// The state that a page is compared with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct News {
    pulse: Pulse,
    waiting: usize,
    is_over: bool,
}

impl Default for Live {
    fn default() -> Self {
        Self { told: watch::Sender::default(), is_looking: AtomicBool::new(false) }
    }
}

impl Live {
    /// A stream of events for one page, which begins with how things are.
    pub(crate) fn listen(self: &Arc<Self>, premises: &Arc<Premises>) -> Body {
        let heard = self.told.subscribe();
        if !self.is_looking.swap(true, Ordering::AcqRel) {
            tokio::spawn(look(Arc::clone(self), Arc::clone(premises)));
        }
        Body::from_stream(events(heard))
    }

    /// Ends all streams, and those to come.
    pub(crate) fn end(&self) {
        self.told.send_modify(|news| news.is_over = true);
    }
}

/// Looks for as long as anybody listens.
async fn look(live: Arc<Live>, premises: Arc<Premises>) {
    loop {
        let pulse = pulse(&premises).await;
        let is_new = live.told.borrow().pulse != pulse;
        if is_new {
            let waiting = requests(&premises.books, premises.now()).await.data.count;
            live.told.send_modify(|news| (news.pulse, news.waiting) = (pulse, waiting));
        }
        sleep(PAUSE).await;
        if live.told.receiver_count() == 0 {
            live.is_looking.store(false, Ordering::Release);
            return;
        }
    }
}

fn events(heard: watch::Receiver<News>) -> impl Stream<Item = Result<Bytes, Infallible>> {
    stream::unfold((heard, false), |(mut heard, has_begun)| async move {
        if !has_begun {
            return Some((Ok(Bytes::from_static(b"retry: 1000\n\n")), (heard, true)));
        }
        let changed = timeout(SIGN_OF_LIFE, heard.changed()).await;
        let text = match changed {
            Err(_) => ":\n\n".to_owned(),
            Ok(Err(_)) => return None,
            Ok(Ok(())) => {
                let news = heard.borrow_and_update();
                if news.is_over {
                    return None;
                }
                format!("event: changed\ndata: {}\n\n", news.waiting)
            }
        };
        Some((Ok(Bytes::from(text)), (heard, true)))
    })
}
