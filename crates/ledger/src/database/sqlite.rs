//! Connecting to a file of SQLite: durable before it is acknowledged, and safe with writers of other processes.
//!
//! The file is made for its owner alone. Its version and whose it is stand in its header, so that opening costs one read.

use std::fs::OpenOptions;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sqlx::sqlite::{SqliteConnectOptions, SqliteSynchronous};
use sqlx::{AssertSqlSafe, ConnectOptions, Executor, Row, SqliteConnection};

use super::StoreError;
use crate::files::{make_private_directory, make_private_file};
use crate::schema;

/// `guil`, in SQLite's header.
const APPLICATION: i64 = 0x6775_696c;

/// How many pages of the log are kept before they are moved into the database. The first to open the file after everybody
/// has left reads the whole log, so that it stays small.
const LOG_PAGES: &str = "256";

/// A file and how to open it.
pub(crate) struct Settings {
    path: PathBuf,
    options: SqliteConnectOptions,
}

impl Settings {
    pub(super) fn new(path: &Path, patience: Duration) -> Result<Self, StoreError> {
        // SQLite would take a relative name that begins with `file:` for a URI.
        if !path.is_absolute() {
            return Err(StoreError::Location("the path is not absolute".into()));
        }
        let options = SqliteConnectOptions::new()
            .filename(path)
            .synchronous(SqliteSynchronous::Full)
            .pragma("wal_autocheckpoint", LOG_PAGES)
            .busy_timeout(patience.min(Duration::from_secs(3600)))
            .thread_name(|_| "ledger".to_owned())
            .disable_statement_logging();
        Ok(Self { path: path.to_owned(), options })
    }

    pub(super) fn identity(&self) -> String {
        format!("sqlite {}", self.path.display())
    }

    pub(super) async fn connect(&self) -> Result<SqliteConnection, StoreError> {
        self.make_file().map_err(unreachable)?;
        match self.connect_to_file().await {
            // A log that cannot be made is reported as a file that cannot be opened.
            Err(StoreError::Unreachable(error)) => {
                OpenOptions::new().write(true).open(&self.path).map_err(unreachable)?;
                Err(StoreError::Unreachable(error))
            }
            connected => connected,
        }
    }

    async fn connect_to_file(&self) -> Result<SqliteConnection, StoreError> {
        let mut connection = self.options.connect().await.map_err(StoreError::from_sqlx)?;
        let found = Found::read(&mut connection).await?;
        if found.version > schema::VERSION {
            return Err(StoreError::NewerSchema { found: found.version, known: schema::VERSION });
        }
        if found.version < schema::VERSION {
            migrate(&mut connection).await?;
        }
        if !found.keeps_log {
            use_log(&mut connection).await?;
        }
        Ok(connection)
    }

    fn make_file(&self) -> io::Result<()> {
        if let Some(directory) = self.path.parent() {
            make_private_directory(directory)?;
        }
        make_private_file(&self.path)
    }
}

/// Why a file cannot be used, by what the operating system says.
fn unreachable(error: io::Error) -> StoreError {
    match error.kind() {
        io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied => StoreError::ReadOnly,
        io::ErrorKind::StorageFull => StoreError::Full,
        _ => StoreError::Unreachable(error.into()),
    }
}

/// What the file's header says.
struct Found {
    version: i64,
    keeps_log: bool,
}

impl Found {
    async fn read(connection: &mut SqliteConnection) -> Result<Self, StoreError> {
        let query = "SELECT a.application_id, v.user_version, j.journal_mode, (SELECT count(*) FROM sqlite_schema) \
                     FROM pragma_application_id a, pragma_user_version v, pragma_journal_mode j";
        let row = sqlx::query(query).fetch_one(connection).await.map_err(StoreError::from_sqlx)?;
        let number = |column: usize| row.try_get::<i64, _>(column).map_err(StoreError::from_sqlx);
        let mode: String = row.try_get(2).map_err(StoreError::from_sqlx)?;
        let (application, version, tables) = (number(0)?, number(1)?, number(3)?);
        let is_new = application == 0 && version == 0 && tables == 0;
        if application != APPLICATION && !is_new {
            return Err(StoreError::Foreign);
        }
        Ok(Self { version, keeps_log: mode == "wal" })
    }
}

/// Brings the schema up to date; whoever comes second finds nothing left to do.
async fn migrate(connection: &mut SqliteConnection) -> Result<(), StoreError> {
    run(connection, "BEGIN IMMEDIATE".to_owned()).await?;
    let found = Found::read(connection).await?;
    for text in schema::migrations_after(found.version) {
        run(connection, text.to_owned()).await?;
    }
    let version = schema::VERSION;
    run(connection, format!("PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {version}; COMMIT"))
        .await
}

/// Switches to a log, which stays so. It needs the file for a moment; who cannot have it leaves that to the next.
async fn use_log(connection: &mut SqliteConnection) -> Result<(), StoreError> {
    match run(connection, "PRAGMA journal_mode = WAL".to_owned()).await {
        Err(StoreError::Busy | StoreError::ReadOnly) => Ok(()),
        other => other,
    }
}

async fn run(connection: &mut SqliteConnection, sql: String) -> Result<(), StoreError> {
    let result = connection.execute(sqlx::raw_sql(AssertSqlSafe(sql))).await;
    result.map(drop).map_err(StoreError::from_sqlx)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_acknowledged_is_synced_and_the_log_stays_short() {
        let directory = tempfile::tempdir().unwrap();
        let settings = Settings::new(&directory.path().join("ledger.db"), Duration::from_secs(1)).unwrap();
        let mut connection = settings.connect().await.unwrap();
        for (pragma, expected) in
            [("synchronous", "2"), ("wal_autocheckpoint", "256"), ("journal_mode", "wal")]
        {
            let sql = AssertSqlSafe(format!("PRAGMA {pragma}"));
            let row = sqlx::query(sql).fetch_one(&mut connection).await.unwrap();
            let value = row.try_get::<i64, _>(0).map(|value| value.to_string());
            assert_eq!(value.unwrap_or_else(|_| row.get(0)), expected, "{pragma}");
        }
    }
}
