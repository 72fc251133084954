//! What goes into a statement and what comes out of it, the same for both databases.
//!
//! Texts and integers are all there is: what the ledger keeps is text that was signed.

use sqlx::postgres::{PgArguments, PgRow};
use sqlx::query::Query;
use sqlx::sqlite::{SqliteArguments, SqliteRow};
use sqlx::{Postgres, Row as _, SqlSafeStr, Sqlite};

use super::StoreError;

/// A parameter of a statement.
#[derive(Debug, Clone)]
pub(crate) enum Value {
    Text(Option<String>),
    Integer(Option<i64>),
}

/// A row that was found.
pub(crate) enum Row {
    Sqlite(SqliteRow),
    Postgres(PgRow),
}

impl Row {
    pub(crate) fn text(&self, column: usize) -> Result<String, StoreError> {
        match self {
            Self::Sqlite(row) => row.try_get(column),
            Self::Postgres(row) => row.try_get(column),
        }
        .map_err(StoreError::from_sqlx)
    }

    pub(crate) fn optional_text(&self, column: usize) -> Result<Option<String>, StoreError> {
        match self {
            Self::Sqlite(row) => row.try_get(column),
            Self::Postgres(row) => row.try_get(column),
        }
        .map_err(StoreError::from_sqlx)
    }

    pub(crate) fn integer(&self, column: usize) -> Result<i64, StoreError> {
        match self {
            Self::Sqlite(row) => row.try_get(column),
            Self::Postgres(row) => row.try_get(column),
        }
        .map_err(StoreError::from_sqlx)
    }

    /// A number that may be absent and is never negative.
    pub(crate) fn optional_number(&self, column: usize) -> Result<Option<u64>, StoreError> {
        let number: Result<Option<i64>, _> = match self {
            Self::Sqlite(row) => row.try_get(column),
            Self::Postgres(row) => row.try_get(column),
        };
        Ok(number.map_err(StoreError::from_sqlx)?.and_then(|number| u64::try_from(number).ok()))
    }

    /// A number that is never negative; one that is counts as zero.
    pub(crate) fn number(&self, column: usize) -> Result<u64, StoreError> {
        Ok(u64::try_from(self.integer(column)?).unwrap_or(0))
    }
}

pub(super) fn sqlite_query(
    sql: impl SqlSafeStr,
    values: Vec<Value>,
) -> Query<'static, Sqlite, SqliteArguments> {
    values.into_iter().fold(sqlx::query(sql), |query, value| match value {
        Value::Text(text) => query.bind(text),
        Value::Integer(number) => query.bind(number),
    })
}

pub(super) fn postgres_query(
    sql: impl SqlSafeStr,
    values: Vec<Value>,
) -> Query<'static, Postgres, PgArguments> {
    values.into_iter().fold(sqlx::query(sql), |query, value| match value {
        Value::Text(text) => query.bind(text),
        Value::Integer(number) => query.bind(number),
    })
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(Some(text.to_owned()))
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(Some(text))
    }
}

impl From<Option<String>> for Value {
    fn from(text: Option<String>) -> Self {
        Self::Text(text)
    }
}

impl From<Option<&str>> for Value {
    fn from(text: Option<&str>) -> Self {
        Self::Text(text.map(str::to_owned))
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Integer(Some(number))
    }
}

/// Numbers of receipts and milliseconds stay far below the limit.
impl From<u64> for Value {
    fn from(number: u64) -> Self {
        Self::Integer(Some(i64::try_from(number).unwrap_or(i64::MAX)))
    }
}

impl From<Option<u64>> for Value {
    fn from(number: Option<u64>) -> Self {
        Self::Integer(number.map(|number| i64::try_from(number).unwrap_or(i64::MAX)))
    }
}
