//! What goes into a statement and what comes out of it, the same for both databases.
//!
//! Texts and integers are all there is: what the ledger keeps is text that was signed.

use rusqlite::types::{Null, Value as Cell};
use sqlx::postgres::{PgArguments, PgRow};
use sqlx::query::Query;
use sqlx::{Postgres, Row as _, SqlSafeStr};

use super::StoreError;

/// A parameter of a statement.
#[derive(Debug, Clone)]
pub(crate) enum Value {
    Text(Option<String>),
    Integer(Option<i64>),
}

/// A row that was found.
pub(crate) enum Row {
    Sqlite(Vec<Cell>),
    Postgres(PgRow),
}

impl Row {
    pub(crate) fn text(&self, column: usize) -> Result<String, StoreError> {
        self.optional_text(column)?.ok_or_else(|| unexpected(column))
    }

    pub(crate) fn optional_text(&self, column: usize) -> Result<Option<String>, StoreError> {
        match self {
            Self::Sqlite(cells) => match cells.get(column) {
                Some(Cell::Text(text)) => Ok(Some(text.clone())),
                Some(Cell::Null) => Ok(None),
                _ => Err(unexpected(column)),
            },
            Self::Postgres(row) => row.try_get(column).map_err(StoreError::from),
        }
    }

    pub(crate) fn integer(&self, column: usize) -> Result<i64, StoreError> {
        self.optional_integer(column)?.ok_or_else(|| unexpected(column))
    }

    fn optional_integer(&self, column: usize) -> Result<Option<i64>, StoreError> {
        match self {
            Self::Sqlite(cells) => match cells.get(column) {
                Some(Cell::Integer(number)) => Ok(Some(*number)),
                Some(Cell::Null) => Ok(None),
                _ => Err(unexpected(column)),
            },
            Self::Postgres(row) => row.try_get(column).map_err(StoreError::from),
        }
    }

    /// A number that may be absent and is never negative.
    pub(crate) fn optional_number(&self, column: usize) -> Result<Option<u64>, StoreError> {
        Ok(self.optional_integer(column)?.and_then(|number| u64::try_from(number).ok()))
    }

    /// A number that is never negative; one that is counts as zero.
    pub(crate) fn number(&self, column: usize) -> Result<u64, StoreError> {
        Ok(u64::try_from(self.integer(column)?).unwrap_or(0))
    }
}

fn unexpected(column: usize) -> StoreError {
    StoreError::Failed(format!("column {column} does not hold what it should").into())
}

/// Gives a statement of SQLite its parameters. To SQLite `$2` is a name like any other, with a place by where it first stands.
pub(super) fn bind(statement: &mut rusqlite::Statement<'_>, values: &[Value]) -> Result<(), StoreError> {
    let places = statement.parameter_count();
    if places != values.len() {
        let trouble = format!("a statement of {places} parameters was given {}", values.len());
        return Err(StoreError::Failed(trouble.into()));
    }
    for place in 1..=places {
        let number = statement.parameter_name(place).and_then(|name| name.get(1..)?.parse::<usize>().ok());
        match number.and_then(|number| values.get(number.checked_sub(1)?)) {
            Some(Value::Text(Some(text))) => statement.raw_bind_parameter(place, text)?,
            Some(Value::Integer(Some(number))) => statement.raw_bind_parameter(place, number)?,
            Some(Value::Text(None) | Value::Integer(None)) => statement.raw_bind_parameter(place, Null)?,
            None => return Err(StoreError::Failed("a statement has a parameter without a number".into())),
        }
    }
    Ok(())
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
