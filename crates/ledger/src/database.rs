//! One connection to either database, behind the few verbs that the ledger needs.
//!
//! SQL is written once, with `$1` for parameters, and keeps to what both databases understand. There is no pool: a ledger
//! writes one thing after the other, and a command that lives for milliseconds has no use for a second connection.

mod failure;
mod postgres;
mod sqlite;
mod value;

use std::time::Duration;

use sqlx::{AssertSqlSafe, Connection as _, PgConnection};

use crate::Location;
pub use failure::StoreError;
pub(crate) use value::{Row, Value};

/// How to connect, worked out once.
pub(crate) enum Database {
    Sqlite(sqlite::Settings),
    Postgres(Box<postgres::Settings>),
}

/// An open connection. Dropping it rolls back what was not committed.
pub(crate) enum Connection {
    Sqlite(sqlite::Connection),
    Postgres(PgConnection),
}

impl Database {
    /// Prepares to connect to `location`, waiting for locks no longer than `patience`.
    pub(crate) fn at(location: &Location, patience: Duration) -> Result<Self, StoreError> {
        match location {
            Location::Sqlite(path) => sqlite::Settings::new(path, patience).map(Self::Sqlite),
            Location::Postgres(url) => {
                postgres::Settings::new(url, patience).map(Box::new).map(Self::Postgres)
            }
        }
    }

    /// A text that is the same for the same database and holds no secret.
    pub(crate) fn identity(&self) -> String {
        match self {
            Self::Sqlite(settings) => settings.identity(),
            Self::Postgres(settings) => settings.identity(),
        }
    }

    /// Connects, and brings the schema up to date if it is older than this program.
    pub(crate) async fn connect(&self) -> Result<Connection, StoreError> {
        match self {
            Self::Sqlite(settings) => settings.connect().map(Connection::Sqlite),
            Self::Postgres(settings) => settings.connect().await.map(Connection::Postgres),
        }
    }
}

impl Connection {
    /// Begins a transaction that writes. On SQLite it is the only one from here on; on PostgreSQL `lock` is held until its end.
    pub(crate) async fn begin(&mut self, lock: i64) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(connection) => connection.begin().await,
            Self::Postgres(_) => {
                self.execute("BEGIN", vec![]).await?;
                self.lock(lock).await
            }
        }
    }

    /// Takes one more lock until the end of the transaction; SQLite has but the one that it holds already.
    pub(crate) async fn lock(&mut self, lock: i64) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(_) => Ok(()),
            Self::Postgres(_) => {
                self.rows("SELECT 1 FROM pg_advisory_xact_lock($1)", vec![lock.into()]).await.map(drop)
            }
        }
    }

    /// Makes everything since `begin` durable.
    pub(crate) async fn commit(&mut self) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(connection) => connection.commit().await,
            Self::Postgres(_) => self.execute("COMMIT", vec![]).await.map(drop),
        }
    }

    /// Undoes everything since `begin`.
    pub(crate) async fn rollback(&mut self) -> Result<(), StoreError> {
        self.execute("ROLLBACK", vec![]).await.map(drop)
    }

    /// Runs a statement and gives the number of rows it changed.
    pub(crate) async fn execute(&mut self, sql: &'static str, values: Vec<Value>) -> Result<u64, StoreError> {
        match self {
            Self::Sqlite(connection) => connection.execute(sql, &values),
            Self::Postgres(connection) => {
                Ok(value::postgres_query(sql, values).execute(connection).await?.rows_affected())
            }
        }
    }

    /// The rows that a query finds, which are few.
    pub(crate) async fn rows(
        &mut self,
        sql: &'static str,
        values: Vec<Value>,
    ) -> Result<Vec<Row>, StoreError> {
        match self {
            Self::Sqlite(connection) => connection.rows(sql, &values),
            Self::Postgres(connection) => postgres::rows(connection, sql, values).await,
        }
    }

    /// The rows that a query finds where there may be many, or many have to be looked at. Values are always parameters and never part of the text.
    pub(crate) async fn many(
        &mut self,
        sql: impl Into<String>,
        values: Vec<Value>,
    ) -> Result<Vec<Row>, StoreError> {
        match self {
            Self::Sqlite(connection) => connection.many(sql.into(), values).await,
            Self::Postgres(connection) => postgres::rows(connection, AssertSqlSafe(sql.into()), values).await,
        }
    }

    /// The first row that a query finds.
    pub(crate) async fn row(
        &mut self,
        sql: &'static str,
        values: Vec<Value>,
    ) -> Result<Option<Row>, StoreError> {
        Ok(self.rows(sql, values).await?.into_iter().next())
    }

    /// Closes the connection; SQLite then moves its log into the database.
    pub(crate) async fn close(self) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(connection) => connection.close().await,
            Self::Postgres(connection) => Ok(connection.close().await?),
        }
    }
}
