//! Whom a token stands for, as every request to the server asks.

use guild_ledger::{DEFAULT_AGENT, Principal, Timestamp};

use crate::{Books, Refusal};

/// How a call with a token comes, as receipts name it.
const VIA: &str = "http";

/// Somebody whom a token lets in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The token's id, by which limits are counted.
    pub token: String,
    /// Who they are; the token's record says it, and nothing that they say themselves.
    pub principal: Principal,
}

/// Whom `text` lets in, if anybody: one that was revoked, has expired or was never made lets nobody in.
pub async fn token_caller(books: &Books, now: Timestamp, text: &str) -> Result<Option<Caller>, Refusal> {
    let token = books.ledger.authenticate(now, text).await.map_err(|error| books.refusal(error))?;
    Ok(token.map(|token| {
        let holder = token.holder;
        let agent = holder.agent.unwrap_or_else(|| DEFAULT_AGENT.to_owned());
        let principal = Principal { kind: holder.kind, agent, role: holder.role, via: VIA.to_owned() };
        Caller { token: token.id.to_string(), principal }
    }))
}
