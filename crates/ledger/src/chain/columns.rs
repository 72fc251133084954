//! What the database repeats of a receipt's signed text, so that receipts can be found.
//!
//! Nothing reads these columns for their content; `verify` compares them with the text.

use super::{WriteError, check_name};
use crate::database::{Row, Value};
use crate::receipt::Receipt;
use crate::{ReceiptId, StoreError};

/// What the database repeats of a receipt's text, for finding it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Columns {
    pub(crate) id: String,
    pub(crate) kind: String,
    pub(crate) agent: String,
    pub(crate) code: String,
    pub(crate) skill: Option<String>,
    pub(crate) run: Option<String>,
    pub(crate) begins: Option<String>,
    pub(crate) ends: Option<String>,
}

impl Columns {
    pub(crate) fn of(receipt: &Receipt) -> Self {
        let entry = &receipt.entry;
        Self {
            id: receipt.id.to_string(),
            kind: entry.kind.as_str().to_owned(),
            agent: entry.principal.agent.clone(),
            code: entry.code.clone(),
            skill: entry.skill.as_ref().map(|skill| skill.name.clone()),
            run: entry.run.as_ref().map(ToString::to_string),
            begins: receipt.begins.as_ref().map(|reference| reference.id.clone()),
            ends: receipt.ends.clone(),
        }
    }

    /// Reads them from a row, the first standing in column `at`.
    pub(crate) fn read(row: &Row, at: usize) -> Result<Self, StoreError> {
        Ok(Self {
            id: row.text(at)?,
            kind: row.text(at + 1)?,
            agent: row.text(at + 2)?,
            code: row.text(at + 3)?,
            skill: row.optional_text(at + 4)?,
            run: row.optional_text(at + 5)?,
            begins: row.optional_text(at + 6)?,
            ends: row.optional_text(at + 7)?,
        })
    }

    /// The receipt's id, if it is one.
    pub(crate) fn id(&self) -> Option<ReceiptId> {
        self.id.parse().ok()
    }

    pub(super) fn values(self) -> [Value; 8] {
        let optional = [self.skill, self.run, self.begins, self.ends].map(Into::into);
        let [skill, run, begins, ends] = optional;
        [self.id.into(), self.kind.into(), self.agent.into(), self.code.into(), skill, run, begins, ends]
    }

    pub(super) fn check(&self) -> Result<(), WriteError> {
        check_name("the agent", Some(&self.agent))?;
        check_name("the code", Some(&self.code))?;
        check_name("the skill", self.skill.as_deref())
    }
}
