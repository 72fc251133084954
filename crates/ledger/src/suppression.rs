//! Suppressions: vet warnings that a person has looked at and does not want to see again for the same content.
//!
//! One is good for one code, one content and one version of the rules. Whether a finding can be suppressed at all is vet's to say.

use guild_manifest::Digest;
use serde::{Deserialize, Serialize};

use crate::chain::{Links, WriteError};
use crate::receipt::SignedReceipt;
use crate::record::{self, EndError, Lookup, NotAPerson, Record, decision, person};
use crate::{Ledger, Principal, StoreError, SuppressionId, Timestamp};

const SUPPRESSION: &str = "suppression";

/// A warning that is not shown again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suppression {
    /// Its name.
    pub id: SuppressionId,
    /// When it was suppressed.
    pub at: Timestamp,
    /// By whom.
    pub by: Principal,
    /// Which warning.
    #[serde(flatten)]
    pub warning: Warning,
}

/// A warning about some content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// The finding's code.
    pub code: String,
    /// The digest of what was found fault with.
    pub content: Digest,
    /// The version of the rules.
    pub rules: String,
    /// Why it is nothing to worry about.
    pub why: String,
}

/// Why a warning is not suppressed.
#[derive(Debug, thiserror::Error)]
pub enum SuppressError {
    /// Only people decide.
    #[error("an agent cannot decide this; it takes a person")]
    NotAPerson,
    /// It could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

impl Ledger {
    /// Suppresses a warning.
    ///
    /// # Errors
    /// Where no person decides, or where it was not written.
    pub async fn suppress(
        &self,
        now: Timestamp,
        warning: Warning,
        by: Principal,
    ) -> Result<Suppression, SuppressError> {
        person(&by).map_err(|NotAPerson| SuppressError::NotAPerson)?;
        let mut writing = self.write(now).await?;
        let id: SuppressionId = writing.issue().map_err(WriteError::from)?;
        let suppression = Suppression { id, at: now, by: by.clone(), warning };
        let begins = Some(writing.insert_record(&suppression).await?);
        writing.append(decision("suppressed", by), Links { begins, ..Links::default() }).await?;
        writing.commit().await?;
        Ok(suppression)
    }

    /// Every suppression, the oldest first.
    ///
    /// # Errors
    /// Where the database cannot be read.
    pub async fn suppressions(&self) -> Result<Vec<Suppression>, StoreError> {
        self.active(SUPPRESSION).await
    }

    /// The suppressions for some content.
    ///
    /// # Errors
    /// Where the database cannot be read.
    pub async fn suppressions_of(&self, content: &Digest) -> Result<Vec<Suppression>, StoreError> {
        let mut session = self.session().await?;
        let sql = "SELECT id, installation, body, signature FROM records \
                   WHERE kind = $1 AND digest = $2 AND ended IS NULL ORDER BY id";
        let rows = session.rows(sql, vec![SUPPRESSION.into(), content.to_string().into()]).await?;
        session.done();
        let found: Result<Vec<_>, _> =
            rows.iter().map(|row| record::read::<Suppression>(self, row)).collect();
        Ok(found?.into_iter().flatten().filter(|it| it.warning.content == *content).collect())
    }

    /// Shows a warning again.
    ///
    /// # Errors
    /// Where it is not suppressed, or where it was not written.
    pub async fn unsuppress(
        &self,
        now: Timestamp,
        id: SuppressionId,
        by: Principal,
    ) -> Result<SignedReceipt, EndError> {
        self.end_record(now, id.to_string(), &[SUPPRESSION], decision("unsuppressed", by)).await
    }
}

impl Record for Suppression {
    fn kind(&self) -> &'static str {
        SUPPRESSION
    }

    fn lookup(&self) -> Lookup<'_> {
        Lookup { id: self.id.to_string(), digest: Some(self.warning.content), ..Lookup::default() }
    }
}
