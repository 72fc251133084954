//! Tokens: how a program that talks to the server says who it is.
//!
//! The secret is shown once and kept as its digest. A token is a record like a grant: signed, and ended by a receipt. What
//! its role lets it do is decided above.

use guild_manifest::Digest;
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;

use crate::chain::{Links, WriteError};
use crate::entropy;
use crate::receipt::SignedReceipt;
use crate::record::{self, EndError, Lookup, NotAPerson, Record, decision, has_ended, person};
use crate::{Ledger, Principal, PrincipalKind, Role, StoreError, Timestamp, TokenId};

const TOKEN: &str = "token";

/// Somebody who is let in by a secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Token {
    /// Its name.
    pub id: TokenId,
    /// When it was made.
    pub at: Timestamp,
    /// By whom.
    pub by: Principal,
    /// The digest of its secret.
    secret: Digest,
    /// Whom it stands for.
    #[serde(flatten)]
    pub holder: Holder,
}

/// Whom a token stands for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// What people call it.
    pub label: String,
    /// A person or an agent.
    pub kind: PrincipalKind,
    /// What they may do.
    pub role: Role,
    /// The agent that they are bound to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Until when it lets them in; for ever if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<Timestamp>,
}

/// Why there is no token.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// Only people decide.
    #[error("an agent cannot decide this; it takes a person")]
    NotAPerson,
    /// It could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

impl Ledger {
    /// Makes a token and gives it with the text to show its holder, which is kept nowhere.
    ///
    /// # Errors
    /// Where no person decides, or where it was not written.
    pub async fn create_token(
        &self,
        now: Timestamp,
        holder: Holder,
        by: Principal,
    ) -> Result<(Token, String), TokenError> {
        person(&by).map_err(|NotAPerson| TokenError::NotAPerson)?;
        let secret = hex::encode(entropy::bytes::<32>().map_err(WriteError::from)?);
        let mut writing = self.write(now).await?;
        let id: TokenId = writing.issue().map_err(WriteError::from)?;
        let token = Token { id, at: now, by: by.clone(), secret: Digest::of(secret.as_bytes()), holder };
        let begins = Some(writing.insert_record(&token).await?);
        writing.append(decision("token_created", by), Links { begins, ..Links::default() }).await?;
        writing.commit().await?;
        Ok((token, format!("{id}.{secret}")))
    }

    /// The tokens that let somebody in at `now`, the oldest first.
    ///
    /// # Errors
    /// Where the database cannot be read.
    pub async fn tokens(&self, now: Timestamp) -> Result<Vec<Token>, StoreError> {
        let mut tokens: Vec<Token> = self.active(TOKEN).await?;
        tokens.retain(|token| !token.is_expired(now));
        Ok(tokens)
    }

    /// Lets the holder of a token in no more.
    ///
    /// # Errors
    /// Where there is none, or it was revoked before, or it was not written.
    pub async fn revoke_token(
        &self,
        now: Timestamp,
        id: TokenId,
        by: Principal,
    ) -> Result<SignedReceipt, EndError> {
        self.end_record(now, id.to_string(), &[TOKEN], decision("token_revoked", by)).await
    }

    /// The token that `text` is, if it lets anybody in. How long it takes does not depend on how much of a secret is right.
    ///
    /// # Errors
    /// Where the database cannot be read.
    pub async fn authenticate(&self, now: Timestamp, text: &str) -> Result<Option<Token>, StoreError> {
        let Some((id, secret)) = text.split_once('.') else { return Ok(None) };
        let Ok(id) = id.parse::<TokenId>() else { return Ok(None) };
        let mut session = self.session().await?;
        let sql = "SELECT id, installation, body, signature FROM records WHERE id = $1 AND kind = $2";
        let row = session.row(sql, vec![id.to_string().into(), TOKEN.into()]).await?;
        let ended = has_ended(&mut session, &id.to_string()).await?;
        session.done();
        let token = row.map(|row| record::read::<Token>(self, &row)).transpose()?.flatten();
        let given = Digest::of(secret.as_bytes());
        let fits = |token: &Token| bool::from(given.as_bytes().ct_eq(token.secret.as_bytes()));
        Ok(token.filter(|token| fits(token) && !ended && !token.is_expired(now)))
    }
}

impl Token {
    fn is_expired(&self, now: Timestamp) -> bool {
        self.holder.expires.is_some_and(|expires| expires <= now)
    }
}

impl Record for Token {
    fn kind(&self) -> &'static str {
        TOKEN
    }

    fn lookup(&self) -> Lookup<'_> {
        let agent = self.holder.agent.as_deref();
        Lookup { id: self.id.to_string(), agent, expires: self.holder.expires, ..Lookup::default() }
    }
}
