//! Secrets: values of variables that a person keeps here, encrypted, for skills and plugins that declare them.
//!
//! Each is a record like a token: signed, begun by a receipt and ended by one. The record has the digest of the encrypted value; the
//! value itself is in a row that goes when the secret does. Who gets it is decided above.

use guild_manifest::Digest;
use serde::{Deserialize, Serialize};

use crate::chain::{Links, WriteError, Writing, bounded, check_name};
use crate::receipt::SignedReceipt;
use crate::record::{self, Lookup, NotAPerson, Record, decision, person};
use crate::seal::SealError;
use crate::{Ledger, Principal, SecretId, StoreError, Timestamp};

/// The kind of these records.
pub(crate) const SECRET: &str = "secret";

/// That a secret is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Secret {
    /// The name of this state.
    pub id: SecretId,
    /// The variable.
    pub name: String,
    /// The digest of its encrypted value.
    pub digest: Digest,
    /// When it was set.
    pub at: Timestamp,
    /// By whom.
    pub by: Principal,
}

/// Why a secret is not set, removed or read.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    /// There is none of this name.
    #[error("no secret `{name}` is kept")]
    NotFound {
        /// The name.
        name: String,
    },
    /// Only people decide.
    #[error("an agent cannot decide this; it takes a person")]
    NotAPerson,
    /// It cannot be encrypted or decrypted.
    #[error(transparent)]
    Seal(#[from] SealError),
    /// It could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

impl Ledger {
    /// Keeps a secret, in the place of the one before.
    ///
    /// # Errors
    /// Where no person decides, or where it was not written.
    pub async fn set_secret(
        &self,
        now: Timestamp,
        name: &str,
        value: &str,
        by: Principal,
    ) -> Result<(Secret, SignedReceipt), SecretError> {
        person(&by).map_err(|NotAPerson| SecretError::NotAPerson)?;
        check_name("the name", Some(name))?;
        let sealed = bounded(self.seal(&context(name), value)?)?;
        let mut writing = self.write(now).await?;
        let before = writing.secret(name).await?;
        let id: SecretId = writing.issue().map_err(WriteError::from)?;
        let digest = Digest::of(sealed.as_bytes());
        let secret = Secret { id, name: name.to_owned(), digest, at: now, by: by.clone() };
        let begins = Some(writing.insert_record(&secret).await?);
        let sql = "INSERT INTO secrets (installation, name, value, updated_at, record) VALUES ($1, $2, $3, $4, $5) \
                   ON CONFLICT (installation, name) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at, \
                   record = excluded.record";
        let installation = self.key.installation.as_str().into();
        let values =
            vec![installation, name.into(), sealed.into(), now.to_string().into(), id.to_string().into()];
        writing.session.execute(sql, values).await?;
        let mut entry = decision("secret_set", by);
        entry.note = Some(name.to_owned());
        let links = Links { begins, ends: before.map(|before| before.id.to_string()) };
        let receipt = writing.append(entry, links).await?;
        writing.commit().await?;
        Ok((secret, receipt))
    }

    /// Keeps a secret no more.
    ///
    /// # Errors
    /// Where there is none, where no person decides, or where it was not written.
    pub async fn remove_secret(
        &self,
        now: Timestamp,
        name: &str,
        by: Principal,
    ) -> Result<SignedReceipt, SecretError> {
        person(&by).map_err(|NotAPerson| SecretError::NotAPerson)?;
        let mut writing = self.write(now).await?;
        let Some(known) = writing.secret(name).await? else {
            writing.abandon().await?;
            return Err(SecretError::NotFound { name: name.to_owned() });
        };
        let sql = "DELETE FROM secrets WHERE installation = $1 AND name = $2";
        writing.session.execute(sql, vec![self.key.installation.as_str().into(), name.into()]).await?;
        let mut entry = decision("secret_removed", by);
        entry.note = Some(name.to_owned());
        let links = Links { ends: Some(known.id.to_string()), ..Links::default() };
        let receipt = writing.append(entry, links).await?;
        writing.commit().await?;
        Ok(receipt)
    }

    /// The secrets that are kept, by name.
    ///
    /// # Errors
    /// Where the database cannot be read.
    pub async fn secrets(&self) -> Result<Vec<Secret>, StoreError> {
        let mut session = self.session().await?;
        let mut found = record::own::<Secret>(self, &mut session, SECRET).await?;
        session.done();
        found.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(found)
    }

    /// The value of a secret, if one is kept.
    ///
    /// # Errors
    /// Where the database cannot be read, or the value is not what was kept.
    pub async fn secret(&self, name: &str) -> Result<Option<String>, SecretError> {
        let known = self.secrets().await?.into_iter().find(|secret| secret.name == name);
        let Some(known) = known else { return Ok(None) };
        let mut session = self.session().await?;
        let sql = "SELECT value FROM secrets WHERE installation = $1 AND name = $2";
        let row = session.row(sql, vec![self.key.installation.as_str().into(), name.into()]).await?;
        session.done();
        let sealed = row.map(|row| row.text(0)).transpose()?;
        match sealed.filter(|sealed| Digest::of(sealed.as_bytes()) == known.digest) {
            Some(sealed) => Ok(Some(self.unseal(&context(name), &sealed)?)),
            None => Err(SealError::NotOurs.into()),
        }
    }
}

impl Writing<'_> {
    async fn secret(&mut self, name: &str) -> Result<Option<Secret>, StoreError> {
        let found = record::own::<Secret>(self.ledger, &mut self.session, SECRET).await?;
        Ok(found.into_iter().find(|secret| secret.name == name))
    }
}

fn context(name: &str) -> String {
    format!("secret {name}")
}

impl Record for Secret {
    fn kind(&self) -> &'static str {
        SECRET
    }

    fn lookup(&self) -> Lookup<'_> {
        Lookup {
            id: self.id.to_string(),
            skill: Some(&self.name),
            digest: Some(self.digest),
            ..Lookup::default()
        }
    }
}

impl From<StoreError> for SecretError {
    fn from(error: StoreError) -> Self {
        Self::Write(error.into())
    }
}
