//! `token create`: somebody is let in, by a secret that is shown once.

use std::time::Duration;

use guild_ledger::{Holder, Principal, PrincipalKind, Role, Timestamp, TokenError};

use crate::reply::{TokenCreated, TokenLine};
use crate::{Books, Code, Envelope, Refusal};

/// Whom a token is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenRequest<'a> {
    /// What people call it.
    pub label: &'a str,
    /// The agent that it makes of its holder; without one the holder is a person.
    pub agent: Option<&'a str>,
    /// What its holder may do; an agent only looks and asks.
    pub role: Role,
    /// How long it is good for; for ever if absent.
    pub lifetime: Option<Duration>,
}

/// Makes a token.
pub async fn token_create(
    books: &Books,
    now: Timestamp,
    request: &TokenRequest<'_>,
    by: Principal,
) -> Envelope<TokenCreated> {
    match create(books, now, request, by).await {
        Ok(created) => Envelope::ok(created),
        Err(refusal) => refusal.into_envelope(),
    }
}

async fn create(
    books: &Books,
    now: Timestamp,
    request: &TokenRequest<'_>,
    by: Principal,
) -> Result<TokenCreated, Refusal> {
    books.authorise(now, &by, Role::Admin).await?;
    if request.agent.is_some() && request.role != Role::Viewer {
        let message = "an agent's token has the role `viewer`: agents look and ask, and people decide";
        return Err(Refusal::new(Code::RoleInsufficient, message));
    }
    let holder = Holder {
        label: request.label.to_owned(),
        kind: if request.agent.is_some() { PrincipalKind::Agent } else { PrincipalKind::Person },
        role: request.role,
        agent: request.agent.map(str::to_owned),
        expires: request.lifetime.map(|lifetime| now.after(lifetime)),
    };
    let created = books.ledger.create_token(now, holder, by).await;
    let (token, secret) = created.map_err(|error| match error {
        TokenError::NotAPerson => Refusal::new(Code::PersonRequired, error.to_string()),
        TokenError::Write(error) => books.refusal(error),
    })?;
    Ok(TokenCreated { token: Some(TokenLine::of(&token)), secret: Some(secret) })
}
