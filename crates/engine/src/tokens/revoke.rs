//! `token revoke`: somebody is let in no more.

use guild_ledger::{EndError, Principal, Role, Timestamp, TokenId};

use crate::reply::Ended;
use crate::{Books, Code, Envelope, Refusal};

/// Revokes a token.
pub async fn token_revoke(books: &Books, now: Timestamp, id: &str, by: Principal) -> Envelope<Ended> {
    let unknown = || {
        let message = format!("there is no token `{id}`; `guild token list` shows those that there are");
        Refusal::new(Code::TokenNotFound, message)
    };
    let done = async {
        books.authorise(now, &by, Role::Admin).await?;
        let token: TokenId = id.parse().map_err(|_| unknown())?;
        books.ledger.revoke_token(now, token, by).await.map_err(|error| match error {
            EndError::NotFound { .. } => unknown(),
            EndError::AlreadyEnded { .. } => Refusal::new(Code::AlreadyDecided, error.to_string()),
            EndError::NotAPerson => Refusal::new(Code::PersonRequired, error.to_string()),
            EndError::Write(error) => books.refusal(error),
        })
    };
    Ended::envelope(id, done.await)
}
