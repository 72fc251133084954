//! Feedback: what a person thinks of a run, kept with the state of the skill that ran. And what has become of runs lately.
//!
//! Only people judge. A judgement is never changed; a later one stands beside it.

use guild_manifest::Digest;
use serde::{Deserialize, Serialize};

use crate::chain::{Links, WriteError};
use crate::receipt::{SignedReceipt, SkillRef};
use crate::record::{Lookup, NotAPerson, Record, decision, person};
use crate::{FeedbackId, Ledger, Principal, StoreError, Timestamp};

const FEEDBACK: &str = "feedback";

/// What a person thinks of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Feedback {
    /// Its name.
    pub id: FeedbackId,
    /// When it was given.
    pub at: Timestamp,
    /// By whom.
    pub by: Principal,
    /// What is said.
    #[serde(flatten)]
    pub judgement: Judgement,
}

/// A judgement about a skill in one state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judgement {
    /// The skill's qualified name.
    pub skill: String,
    /// The state that ran.
    pub security_hash: Digest,
    /// The receipt of the run.
    pub receipt: String,
    /// Whether it was good.
    pub good: bool,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Why no feedback was kept.
#[derive(Debug, thiserror::Error)]
pub enum FeedbackError {
    /// Only people judge.
    #[error("an agent cannot judge this; it takes a person")]
    NotAPerson,
    /// It could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// How a run of a skill has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// The skill.
    pub skill: String,
    /// The receipt.
    pub receipt: String,
    /// The code, `ok` where it went well.
    pub code: String,
}

impl Ledger {
    /// Keeps what a person thinks.
    ///
    /// # Errors
    /// Where no person judges, or where it was not written.
    pub async fn judge(
        &self,
        now: Timestamp,
        judgement: Judgement,
        by: Principal,
    ) -> Result<(Feedback, SignedReceipt), FeedbackError> {
        person(&by).map_err(|NotAPerson| FeedbackError::NotAPerson)?;
        let mut writing = self.write(now).await?;
        let id: FeedbackId = writing.issue().map_err(WriteError::from)?;
        let feedback = Feedback { id, at: now, by: by.clone(), judgement };
        let begins = Some(writing.insert_record(&feedback).await?);
        let code = if feedback.judgement.good { "feedback_good" } else { "feedback_bad" };
        let mut entry = decision(code, by);
        let Judgement { skill, security_hash, .. } = &feedback.judgement;
        entry.skill = Some(SkillRef { name: skill.clone(), security_hash: Some(*security_hash) });
        let receipt = writing.append(entry, Links { begins, ..Links::default() }).await?;
        writing.commit().await?;
        Ok((feedback, receipt))
    }

    /// All feedback, the oldest first.
    ///
    /// # Errors
    /// Where the database cannot be read.
    pub async fn feedback(&self) -> Result<Vec<Feedback>, StoreError> {
        self.active(FEEDBACK).await
    }

    /// How runs have ended, the newest first, at the most so many.
    ///
    /// # Errors
    /// Where the database cannot be read.
    pub async fn ended_runs(&self, most: u32) -> Result<Vec<Ended>, StoreError> {
        let mut session = self.session().await?;
        let sql = "SELECT skill, id, code FROM receipts WHERE kind = 'finished' AND skill IS NOT NULL \
                   ORDER BY id DESC LIMIT $1";
        let rows = session.many(sql, vec![i64::from(most).into()]).await?;
        session.done();
        let ended = |row: &crate::database::Row| {
            Ok(Ended { skill: row.text(0)?, receipt: row.text(1)?, code: row.text(2)? })
        };
        rows.iter().map(ended).collect()
    }
}

impl Record for Feedback {
    fn kind(&self) -> &'static str {
        FEEDBACK
    }

    fn lookup(&self) -> Lookup<'_> {
        let Judgement { skill, security_hash, .. } = &self.judgement;
        let id = self.id.to_string();
        Lookup { id, skill: Some(skill), digest: Some(*security_hash), ..Lookup::default() }
    }
}
