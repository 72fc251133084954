//! What can go wrong with a database, in words that are the same for both.
//!
//! Sources keep what the database said; the words here never hold a statement, a value or a password.

use std::error::Error;

use rusqlite::ffi::{SQLITE_CONSTRAINT_PRIMARYKEY, SQLITE_CONSTRAINT_ROWID, SQLITE_CONSTRAINT_UNIQUE};
use tokio::task::JoinError;

/// Why the database did not do what it was asked to.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another writer held the ledger for longer than anybody wanted to wait.
    #[error("the ledger is busy: another process is writing to it and did not finish in time")]
    Busy,
    /// It cannot be written to.
    #[error("the ledger is read-only")]
    ReadOnly,
    /// There is no room for more.
    #[error("no space is left where the ledger lies")]
    Full,
    /// It cannot be opened or reached.
    #[error("the ledger cannot be reached")]
    Unreachable(#[source] Box<dyn Error + Send + Sync>),
    /// It is there and lets this user not in.
    #[error("the ledger's database refuses this user")]
    Refused(#[source] Box<dyn Error + Send + Sync>),
    /// It is no database, or is damaged.
    #[error("the ledger is damaged or no database")]
    Damaged(#[source] Box<dyn Error + Send + Sync>),
    /// It is a database of something else.
    #[error("the database belongs to another program")]
    Foreign,
    /// A newer Guildhall has written it.
    #[error("the ledger has schema {found}, and this program knows {known}: use a newer Guildhall")]
    NewerSchema {
        /// The schema's version.
        found: i64,
        /// The newest version that this program knows.
        known: i64,
    },
    /// What should be there once is there already.
    #[error("the ledger has it already")]
    Conflict,
    /// The location makes no sense.
    #[error("the ledger's location is not understood")]
    Location(#[source] Box<dyn Error + Send + Sync>),
    /// Anything else.
    #[error("the ledger's database failed")]
    Failed(#[source] Box<dyn Error + Send + Sync>),
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        match &error {
            sqlx::Error::Configuration(_) => Self::Location(error.into()),
            sqlx::Error::Io(_) | sqlx::Error::Tls(_) | sqlx::Error::WorkerCrashed => {
                Self::Unreachable(error.into())
            }
            sqlx::Error::Database(database) if database.is_unique_violation() => Self::Conflict,
            sqlx::Error::Database(database) => {
                let code = database.code().unwrap_or_default().into_owned();
                Self::from_postgres(&code, error)
            }
            _ => Self::Failed(error.into()),
        }
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        // In its own words alone: it names a source that says the same again.
        let said = error.to_string();
        match error.sqlite_error() {
            Some(failure) => Self::from_sqlite(failure.extended_code, said),
            None => Self::Failed(said.into()),
        }
    }
}

/// Whoever works beside does not panic, and is not cancelled before it has begun unless everything ends.
impl From<JoinError> for StoreError {
    fn from(error: JoinError) -> Self {
        Self::Failed(error.into())
    }
}

impl StoreError {
    /// By SQLite's result code, whose low byte says what kind it is.
    fn from_sqlite(code: i32, said: String) -> Self {
        match (code, code & 0xff) {
            (SQLITE_CONSTRAINT_PRIMARYKEY | SQLITE_CONSTRAINT_UNIQUE | SQLITE_CONSTRAINT_ROWID, _) => {
                Self::Conflict
            }
            (_, 5 | 6) => Self::Busy,
            (_, 8) => Self::ReadOnly,
            (_, 11 | 26) => Self::Damaged(said.into()),
            (_, 13) => Self::Full,
            (_, 14) => Self::Unreachable(said.into()),
            _ => Self::Failed(said.into()),
        }
    }

    /// By SQLSTATE, whose first two characters are its class.
    fn from_postgres(code: &str, error: sqlx::Error) -> Self {
        match code {
            "25006" | "42501" => Self::ReadOnly,
            "53100" => Self::Full,
            "40001" | "40P01" | "55P03" => Self::Busy,
            "3D000" => Self::Unreachable(error.into()),
            _ if code.starts_with("08") || code.starts_with("57P") => Self::Unreachable(error.into()),
            _ if code.starts_with("28") => Self::Refused(error.into()),
            _ if code.starts_with("XX") => Self::Damaged(error.into()),
            _ => Self::Failed(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn both_databases_trouble_has_the_same_words() {
        let word = |error: StoreError| format!("{error:?}").split('(').next().unwrap_or_default().to_owned();
        let sqlite = |code| word(StoreError::from_sqlite(code, String::new()));
        let postgres = |code| word(StoreError::from_postgres(code, sqlx::Error::WorkerCrashed));
        let sqlite = [5, 6, 261, 8, 264, 1032, 11, 26, 13, 14, 1555, 2067, 787, 10, 1]
            .map(|code| format!("{code} {}\n", sqlite(code)));
        expect![[r#"
            5 Busy
            6 Busy
            261 Busy
            8 ReadOnly
            264 ReadOnly
            1032 ReadOnly
            11 Damaged
            26 Damaged
            13 Full
            14 Unreachable
            1555 Conflict
            2067 Conflict
            787 Failed
            10 Failed
            1 Failed
        "#]]
        .assert_eq(&sqlite.concat());
        let codes = [
            "25006", "42501", "53100", "55P03", "40P01", "40001", "3D000", "57P01", "08006", "28P01",
            "XX001", "42P01",
        ];
        let postgres = codes.map(|code| format!("{code} {}\n", postgres(code)));
        expect![[r#"
            25006 ReadOnly
            42501 ReadOnly
            53100 Full
            55P03 Busy
            40P01 Busy
            40001 Busy
            3D000 Unreachable
            57P01 Unreachable
            08006 Unreachable
            28P01 Refused
            XX001 Damaged
            42P01 Failed
        "#]]
        .assert_eq(&postgres.concat());
    }
}
