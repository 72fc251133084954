//! `requests`: what waits for a person.

use guild_ledger::{State, Timestamp};

use super::{request_id, unknown_request};
use crate::reply::{RequestLine, Requests};
use crate::{Books, Code, Envelope, Refusal};

/// The requests that wait, the oldest first.
pub async fn requests(books: &Books, now: Timestamp) -> Envelope<Requests> {
    match books.ledger.pending(now).await {
        Ok(pending) => {
            let requests: Vec<RequestLine> = pending.iter().map(RequestLine::of).collect();
            Envelope::ok(Requests { count: requests.len(), requests })
        }
        Err(error) => books.refusal(error).into_envelope(),
    }
}

/// A request that waits, for a person to look at before they answer.
pub async fn request(books: &Books, now: Timestamp, id: &str) -> Result<RequestLine, Refusal> {
    let found = books.ledger.request(now, request_id(id)?).await.map_err(|error| books.refusal(error))?;
    let found = found.ok_or_else(|| unknown_request(id))?;
    match found.state {
        State::Pending => Ok(RequestLine::of(&found.request)),
        State::Expired => {
            let message = format!("{id} has expired; ask again for what it was about");
            Err(Refusal::new(Code::RequestExpired, message))
        }
        State::Decided { .. } | State::Untrusted => {
            Err(Refusal::new(Code::AlreadyDecided, format!("{id} was answered before")))
        }
    }
}
