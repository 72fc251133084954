//! `token list`: who is let in.

use guild_ledger::Timestamp;

use crate::reply::{TokenLine, Tokens};
use crate::{Books, Envelope};

/// The tokens that let somebody in, the oldest first; their secrets are kept nowhere.
pub async fn token_list(books: &Books, now: Timestamp) -> Envelope<Tokens> {
    match books.ledger.tokens(now).await {
        Ok(tokens) => {
            let tokens: Vec<TokenLine> = tokens.iter().map(TokenLine::of).collect();
            Envelope::ok(Tokens { count: tokens.len(), tokens })
        }
        Err(error) => books.refusal(error).into_envelope(),
    }
}
