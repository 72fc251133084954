//! `secret`: values of variables that are kept encrypted, for skills and plugins that declare them.
//!
//! They satisfy `requires.env`, and reach a container only where the contract names the variable and a person was shown that. No
//! operation gives a value back.

use std::collections::BTreeSet;

use guild_catalog::near;
use guild_ledger::{Principal, Role, SecretError, Timestamp};

use crate::cause::with_cause;
use crate::reply::{SecretChanged, SecretLine, Secrets};
use crate::{Books, Code, Envelope, Refusal};

/// The longest value that is kept.
const LONGEST: usize = 64 << 10;

/// Keeps a secret, in the place of the one before.
pub async fn secret_set(
    books: &Books,
    now: Timestamp,
    name: &str,
    value: &str,
    by: Principal,
) -> Envelope<SecretChanged> {
    let done = async {
        books.authorise(now, &by, Role::Admin).await?;
        check(name, value)?;
        let set = books.ledger.set_secret(now, name, value, by).await;
        set.map(|(_, receipt)| receipt.receipt.id.to_string()).map_err(|error| books.secret_refusal(error))
    };
    changed(name, done.await)
}

/// Keeps a secret no more.
pub async fn secret_remove(
    books: &Books,
    now: Timestamp,
    name: &str,
    by: Principal,
) -> Envelope<SecretChanged> {
    let done = async {
        books.authorise(now, &by, Role::Admin).await?;
        match books.ledger.remove_secret(now, name, by).await {
            Ok(receipt) => Ok(receipt.receipt.id.to_string()),
            Err(error @ SecretError::NotFound { .. }) => {
                let near = near(name, books.credentials().await?.into_iter());
                let known = books.secret_refusal(error);
                if near.is_empty() {
                    return Err(known);
                }
                let message = format!("no secret `{name}` is kept; did you mean `{}`?", near.join("`, `"));
                Err(Refusal { message, ..known })
            }
            Err(error) => Err(books.secret_refusal(error)),
        }
    };
    changed(name, done.await)
}

/// The names of the secrets that are kept.
pub async fn secret_list(books: &Books) -> Envelope<Secrets> {
    match books.ledger.secrets().await {
        Ok(secrets) => {
            let secrets: Vec<SecretLine> = secrets.iter().map(SecretLine::of).collect();
            Envelope::ok(Secrets { count: secrets.len(), secrets })
        }
        Err(error) => books.refusal(error).into_envelope(),
    }
}

impl Books {
    /// The names of the secrets that are kept, for discovery.
    ///
    /// # Errors
    /// Where the ledger cannot be read.
    pub async fn credentials(&self) -> Result<BTreeSet<String>, Refusal> {
        let secrets = self.ledger.secrets().await.map_err(|error| self.refusal(error))?;
        Ok(secrets.into_iter().map(|secret| secret.name).collect())
    }

    /// What to say where a secret cannot be had.
    pub(crate) fn secret_refusal(&self, error: SecretError) -> Refusal {
        let message = error.to_string();
        match error {
            SecretError::NotFound { .. } => Refusal::new(
                Code::SecretNotFound,
                format!("{message}; `guild secret list` shows those that are"),
            ),
            SecretError::NotAPerson => Refusal::new(Code::PersonRequired, message),
            SecretError::Seal(error) => Refusal::new(Code::SecretUnreadable, with_cause(&error)),
            SecretError::Write(error) => self.refusal(error),
        }
    }
}

/// Whether a name and a value can stand in an environment.
fn check(name: &str, value: &str) -> Result<(), Refusal> {
    let begins = name.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_');
    let is_name = begins && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let why = match () {
        () if !is_name => "the name is none of a variable: use letters, digits and underscores",
        () if value.is_empty() => "the value is empty",
        () if value.contains('\0') => "the value holds a zero character",
        () if value.len() > LONGEST => "the value is longer than 64 KiB",
        () => return Ok(()),
    };
    Err(Refusal::new(Code::SecretInvalid, why))
}

fn changed(name: &str, done: Result<String, Refusal>) -> Envelope<SecretChanged> {
    let name = name.to_owned();
    match done {
        Ok(receipt) => Envelope::ok(SecretChanged { name, done: true, receipt: Some(receipt) }),
        Err(refusal) => {
            let reply = SecretChanged { name, done: false, receipt: None };
            Envelope::error(refusal.code, refusal.message, reply)
        }
    }
}
