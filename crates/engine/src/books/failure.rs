//! What the ledger's troubles are called, and what to do about them.

use std::io;
use std::path::Path;

use guild_ledger::{HeadError, Location, OpenError, StoreError, WriteError};

use super::Books;
use crate::cause::with_cause;
use crate::{Code, Refusal};

impl Books {
    /// What to say where the ledger did not do what it was asked.
    pub(crate) fn refusal(&self, error: impl Into<WriteError>) -> Refusal {
        let error = error.into();
        match &error {
            WriteError::Store(error) => of_store(&self.location, error),
            WriteError::TailCut { .. }
            | WriteError::HeadMissing { .. }
            | WriteError::Forked { .. }
            | WriteError::Head(HeadError::Unreadable { .. }) => {
                let message = format!(
                    "{}: {error}; nothing is written until a person has looked: `guild receipts verify` says what is wrong, and \
                     `guild receipts accept-loss` goes on from here",
                    self.location
                );
                Refusal::new(Code::LedgerCut, message)
            }
            _ => unavailable(&self.location, &with_cause(&error), ""),
        }
    }
}

pub(super) fn of_opening(location: &Location, error: &OpenError) -> Refusal {
    match error {
        OpenError::Store(error) => of_store(location, error),
        OpenError::Key(error) => unavailable(location, &with_cause(error), ""),
    }
}

pub(super) fn of_lock(directory: &Path, error: &io::Error) -> Refusal {
    let message = format!("{}: cannot say here that a run lives: {error}", directory.display());
    Refusal::new(Code::LedgerUnavailable, message)
}

fn of_store(location: &Location, error: &StoreError) -> Refusal {
    let hint = match error {
        StoreError::NewerSchema { .. } => {
            return Refusal::new(Code::LedgerNewer, format!("{location}: {error}"));
        }
        StoreError::Busy => "; try again",
        StoreError::ReadOnly => "; check who may write there",
        StoreError::Full => "; make room there",
        StoreError::Refused(_) => "; check the user and password in `ledger.url`",
        StoreError::Foreign | StoreError::Damaged(_) => {
            "; restore it from a backup, or move it away to begin anew"
        }
        _ => "",
    };
    unavailable(location, &with_cause(error), hint)
}

fn unavailable(location: &Location, what: &str, hint: &str) -> Refusal {
    Refusal::new(Code::LedgerUnavailable, format!("{location}: {what}{hint}"))
}
