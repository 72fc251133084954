//! Connecting to PostgreSQL: what is acknowledged is durable there whatever the server's default is, and locks are not
//! waited for without end.
//!
//! Everything lies in the first schema of the connection's search path.

use std::str::FromStr;
use std::time::Duration;

use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, Executor, PgConnection, Row as _, SqlSafeStr};

use super::value::postgres_query;
use super::{Row, StoreError, Value};
use crate::schema;

/// The lock of those who bring the schema up to date.
const MIGRATION_LOCK: i64 = 0x6775_696c_6400;

/// A database and how to reach it.
pub(crate) struct Settings {
    options: PgConnectOptions,
}

impl Settings {
    pub(super) fn new(url: &str, patience: Duration) -> Result<Self, StoreError> {
        let options = PgConnectOptions::from_str(url).map_err(StoreError::from)?;
        let patience = patience.as_millis().to_string();
        let options = options
            .application_name("guild")
            .options([("lock_timeout", patience.as_str()), ("synchronous_commit", "on")])
            .disable_statement_logging();
        Ok(Self { options })
    }

    pub(super) fn identity(&self) -> String {
        let socket = self.options.get_socket().map(|path| path.display().to_string());
        let host = socket.unwrap_or_else(|| self.options.get_host().to_owned());
        let database = self.options.get_database().unwrap_or(self.options.get_username());
        format!("postgres {host}:{}/{database}", self.options.get_port())
    }

    pub(super) async fn connect(&self) -> Result<PgConnection, StoreError> {
        let mut connection = self.options.connect().await.map_err(StoreError::from)?;
        let found = version(&mut connection).await?;
        if found > schema::VERSION {
            return Err(StoreError::NewerSchema { found, known: schema::VERSION });
        }
        if found < schema::VERSION {
            migrate(&mut connection).await?;
        }
        Ok(connection)
    }
}

/// The rows that a query finds.
pub(super) async fn rows(
    connection: &mut PgConnection,
    sql: impl SqlSafeStr,
    values: Vec<Value>,
) -> Result<Vec<Row>, StoreError> {
    let rows = postgres_query(sql, values).fetch_all(connection).await?;
    Ok(rows.into_iter().map(Row::Postgres).collect())
}

/// The version of the schema; zero where there is none.
async fn version(connection: &mut PgConnection) -> Result<i64, StoreError> {
    let query = sqlx::query("SELECT version FROM guild_ledger");
    match query.fetch_one(connection).await {
        Ok(row) => row.try_get(0).map_err(StoreError::from),
        Err(sqlx::Error::Database(error)) if error.code().as_deref() == Some("42P01") => Ok(0),
        Err(error) => Err(StoreError::from(error)),
    }
}

/// Brings the schema up to date; whoever comes second finds nothing left to do.
async fn migrate(connection: &mut PgConnection) -> Result<(), StoreError> {
    let begin = format!(
        "BEGIN; SELECT pg_advisory_xact_lock({MIGRATION_LOCK}); \
         CREATE TABLE IF NOT EXISTS guild_ledger (version BIGINT NOT NULL); \
         INSERT INTO guild_ledger SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM guild_ledger)"
    );
    run(connection, begin).await?;
    let found = version(connection).await?;
    for text in schema::migrations_after(found) {
        run(connection, text.to_owned()).await?;
    }
    run(connection, format!("UPDATE guild_ledger SET version = {}; COMMIT", schema::VERSION)).await
}

async fn run(connection: &mut PgConnection, sql: String) -> Result<(), StoreError> {
    let result = connection.execute(sqlx::raw_sql(AssertSqlSafe(sql))).await;
    result.map(drop).map_err(StoreError::from)
}
