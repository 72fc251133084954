//! What goes wrong with staging and with the store, as codes and sentences with a remedy.

use crate::Code;
use crate::sandbox::Refusal;
use guild_catalog::Entry;
use guild_source::store::{StageError, StoreError};
use std::error::Error as _;

impl Refusal {
    /// A skill that was not staged.
    pub(super) fn staging(entry: &Entry, error: StageError) -> Refusal {
        Self::staging_of(&format!("skill `{}`", entry.qualified_name()), error)
    }

    /// Something that was not staged.
    pub(super) fn staging_of(what: &str, error: StageError) -> Refusal {
        match error {
            StageError::Refused { .. } | StageError::Tree(_) => {
                let message = format!("{what} cannot be staged: {error}; remove it, or replace it by a copy");
                Refusal::new(Code::SkillFilesRefused, message)
            }
            StageError::TooLarge(_) => {
                let message = format!("{what} is too large: {error}; keep what it does not need elsewhere");
                Refusal::new(Code::SkillTooLarge, message)
            }
            StageError::Read { ref source, .. } => {
                Refusal::new(Code::ReadFailed, format!("{error}: {source}"))
            }
            StageError::Store(error) => error.into(),
        }
    }
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Refusal {
        let code = match &error {
            StoreError::Missing { .. } | StoreError::NotATree { .. } => Code::HashUnknown,
            StoreError::Damaged { .. } => {
                let message =
                    format!("{error}; remove that file, and what it was comes back when it is staged again");
                return Refusal::new(Code::StoreDamaged, message);
            }
            StoreError::Version { .. } | StoreError::Io { action: "read", .. } => Code::ReadFailed,
            StoreError::Io { .. } => Code::WriteFailed,
        };
        let cause = error.source().map(|source| format!(": {source}")).unwrap_or_default();
        Refusal::new(code, format!("{error}{cause}"))
    }
}
