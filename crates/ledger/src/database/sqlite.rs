//! A file of SQLite: durable before it is acknowledged, and safe with writers of other processes.
//!
//! The file is made for its owner alone. Its version and whose it is stand in its header, so that opening costs one read. What is looked
//! up is in memory nearly always and quicker there than any other thread could be asked for it; what waits for a slow disk or reads much
//! is done beside, and whoever waits for another writer sleeps.

use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::OpenFlags;
use tempfile::NamedTempFile;
use tokio::task::spawn_blocking;

use super::value::bind;
use super::{Row, StoreError, Value};
use crate::files::{make_private_directory, sync_directory};
use crate::schema;

/// `guil`, in SQLite's header.
const APPLICATION: i64 = 0x6775_696c;

/// How many pages of the log are kept before they are moved into the database. The first to open the file after everybody
/// has left reads the whole log, so that it stays small.
const LOG_PAGES: i64 = 256;

/// How much of the file is kept in memory at most: a transaction that changes more writes pages before they are done, and again later.
const CACHE_KIB: u32 = 16 * 1024;

/// A disk that makes a transaction durable within this time is waited for where one is: to wake another thread twice costs about as much,
/// and nobody beside notices.
const QUICK: Duration = Duration::from_millis(5);

/// How many statements are kept ready; the ledger has about as many.
const STATEMENTS: usize = 64;

/// A file and how to open it.
pub(crate) struct Settings {
    path: PathBuf,
    patience: Duration,
}

/// An open file.
pub(crate) struct Connection {
    /// Absent while somebody beside has it, and for good if nobody waited for them.
    open: Option<rusqlite::Connection>,
    patience: Duration,
    /// How long the last transaction took to become durable.
    last_commit: Duration,
}

impl Settings {
    pub(super) fn new(path: &Path, patience: Duration) -> Result<Self, StoreError> {
        // SQLite would take a relative name that begins with `file:` for a URI.
        if !path.is_absolute() {
            return Err(StoreError::Location("the path is not absolute".into()));
        }
        Ok(Self { path: path.to_owned(), patience: patience.min(Duration::from_secs(3600)) })
    }

    pub(super) fn identity(&self) -> String {
        format!("sqlite {}", self.path.display())
    }

    pub(super) fn connect(&self) -> Result<Connection, StoreError> {
        self.make_file()?;
        match self.connect_to_file() {
            // A log that cannot be made is reported as a file that cannot be opened.
            Err(StoreError::Unreachable(error)) => {
                OpenOptions::new().write(true).open(&self.path).map_err(unreachable)?;
                Err(StoreError::Unreachable(error))
            }
            connected => connected,
        }
    }

    fn connect_to_file(&self) -> Result<Connection, StoreError> {
        let open = open(&self.path)?;
        open.busy_timeout(self.patience)?;
        open.set_prepared_statement_cache_capacity(STATEMENTS);
        open.execute_batch(&format!(
            "PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = {LOG_PAGES}; PRAGMA cache_size = -{CACHE_KIB}"
        ))?;
        let found = Found::read(&open)?;
        if found.version > schema::VERSION {
            return Err(StoreError::NewerSchema { found: found.version, known: schema::VERSION });
        }
        if found.version < schema::VERSION {
            migrate(&open)?;
        }
        if !found.keeps_log {
            use_log(&open)?;
        }
        Ok(Connection { open: Some(open), patience: self.patience, last_commit: QUICK })
    }

    /// Makes the file where there is none: aside, where nobody sees it half made, so that it is synced once when it is whole.
    fn make_file(&self) -> Result<(), StoreError> {
        if fs::exists(&self.path).map_err(unreachable)? {
            return Ok(());
        }
        let directory = self.path.parent().unwrap_or(Path::new("/"));
        make_private_directory(directory).map_err(unreachable)?;
        let aside = NamedTempFile::new_in(directory).map_err(unreachable)?;
        let open = open(aside.path())?;
        open.execute_batch("PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF")?;
        migrate(&open)?;
        use_log(&open)?;
        open.close().map_err(|(_, error)| error)?;
        let named = aside.as_file().sync_all().and_then(|()| match aside.persist_noclobber(&self.path) {
            // Somebody else was faster.
            Err(lost) if lost.error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            Err(lost) => Err(lost.error),
            Ok(_) => sync_directory(directory),
        });
        named.map_err(unreachable)
    }
}

impl Connection {
    /// Begins a transaction that writes, once nobody else does.
    pub(super) async fn begin(&mut self) -> Result<(), StoreError> {
        self.open()?.busy_timeout(Duration::ZERO)?;
        let began = self.begin_when_free().await;
        self.open()?.busy_timeout(self.patience)?;
        began
    }

    /// SQLite's own way of waiting would keep everybody else on this thread waiting too.
    async fn begin_when_free(&mut self) -> Result<(), StoreError> {
        let begun = Instant::now();
        let mut pause = Duration::from_millis(1);
        loop {
            match self.execute("BEGIN IMMEDIATE", &[]) {
                Err(StoreError::Busy) if begun.elapsed() < self.patience => tokio::time::sleep(pause).await,
                began => return began.map(drop),
            }
            pause = (pause * 2).min(Duration::from_millis(25));
        }
    }

    /// Makes everything since [`Self::begin`] durable: beside, unless the disk was quick the last time.
    pub(super) async fn commit(&mut self) -> Result<(), StoreError> {
        let (committed, took) = match &self.open {
            Some(open) if self.last_commit < QUICK => commit(open),
            _ => self.beside(|open| Ok(commit(open))).await?,
        };
        self.last_commit = took;
        committed
    }

    /// Runs a statement and gives the number of rows it changed.
    pub(super) fn execute(&self, sql: &str, values: &[Value]) -> Result<u64, StoreError> {
        let mut statement = self.open()?.prepare_cached(sql)?;
        bind(&mut statement, values)?;
        Ok(statement.raw_execute()? as u64)
    }

    /// The rows that a query finds.
    pub(super) fn rows(&self, sql: &str, values: &[Value]) -> Result<Vec<Row>, StoreError> {
        rows(self.open()?, sql, values)
    }

    /// The same beside, where there may be many.
    pub(super) async fn many(&mut self, sql: String, values: Vec<Value>) -> Result<Vec<Row>, StoreError> {
        self.beside(move |open| rows(open, &sql, &values)).await
    }

    /// Moves the log into the database, if nobody else uses it.
    pub(super) async fn close(mut self) -> Result<(), StoreError> {
        match self.open.take() {
            Some(open) => Ok(spawn_blocking(move || open.close().map_err(|(_, error)| error)).await??),
            None => Ok(()),
        }
    }

    fn open(&self) -> Result<&rusqlite::Connection, StoreError> {
        self.open.as_ref().ok_or_else(absent)
    }

    async fn beside<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(&rusqlite::Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let open = self.open.take().ok_or_else(absent)?;
        let worked = spawn_blocking(move || {
            let done = work(&open);
            (open, done)
        });
        let (open, done) = worked.await?;
        self.open = Some(open);
        done
    }
}

fn open(path: &Path) -> rusqlite::Result<rusqlite::Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    rusqlite::Connection::open_with_flags(path, flags)
}

/// Commits, and says how long that took.
fn commit(open: &rusqlite::Connection) -> (Result<(), StoreError>, Duration) {
    let begun = Instant::now();
    let committed = open.execute_batch("COMMIT").map_err(StoreError::from);
    (committed, begun.elapsed())
}

fn absent() -> StoreError {
    StoreError::Failed("the connection was given up in the middle of something".into())
}

fn rows(open: &rusqlite::Connection, sql: &str, values: &[Value]) -> Result<Vec<Row>, StoreError> {
    let mut statement = open.prepare_cached(sql)?;
    bind(&mut statement, values)?;
    let columns = statement.column_count();
    let mut found = statement.raw_query();
    let mut rows = Vec::new();
    while let Some(row) = found.next()? {
        let cells = (0..columns).map(|column| row.get(column));
        rows.push(Row::Sqlite(cells.collect::<Result<_, _>>()?));
    }
    Ok(rows)
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
    fn read(open: &rusqlite::Connection) -> Result<Self, StoreError> {
        let query = "SELECT a.application_id, v.user_version, j.journal_mode, (SELECT count(*) FROM sqlite_schema) \
                     FROM pragma_application_id a, pragma_user_version v, pragma_journal_mode j";
        let (application, version, mode, tables): (i64, i64, String, i64) =
            open.query_row(query, [], |row| row.try_into())?;
        let is_new = application == 0 && version == 0 && tables == 0;
        if application != APPLICATION && !is_new {
            return Err(StoreError::Foreign);
        }
        Ok(Self { version, keeps_log: mode == "wal" })
    }
}

/// Brings the schema up to date; whoever comes second finds nothing left to do.
fn migrate(open: &rusqlite::Connection) -> Result<(), StoreError> {
    open.execute_batch("BEGIN IMMEDIATE")?;
    let found = Found::read(open)?;
    for text in schema::migrations_after(found.version) {
        open.execute_batch(text)?;
    }
    let version = schema::VERSION;
    let header = format!("PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {version}; COMMIT");
    Ok(open.execute_batch(&header)?)
}

/// Switches to a log, which stays so. It needs the file for a moment; who cannot have it leaves that to the next.
fn use_log(open: &rusqlite::Connection) -> Result<(), StoreError> {
    match open.execute_batch("PRAGMA journal_mode = WAL").map_err(StoreError::from) {
        Err(StoreError::Busy | StoreError::ReadOnly) => Ok(()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(directory: &Path, patience: Duration) -> Settings {
        Settings::new(&directory.join("ledger.db"), patience).unwrap()
    }

    #[test]
    fn what_is_acknowledged_is_synced_and_the_log_stays_short() {
        let directory = tempfile::tempdir().unwrap();
        let connection = settings(directory.path(), Duration::from_secs(1)).connect().unwrap();
        for (pragma, expected) in
            [("synchronous", "2"), ("wal_autocheckpoint", "256"), ("journal_mode", "wal")]
        {
            let rows = connection.rows(&format!("PRAGMA {pragma}"), &[]).unwrap();
            let value = rows[0].text(0).or_else(|_| rows[0].integer(0).map(|value| value.to_string()));
            assert_eq!(value.unwrap(), expected, "{pragma}");
        }
    }

    #[test]
    fn a_parameter_is_bound_by_its_number_and_not_by_its_place() {
        let directory = tempfile::tempdir().unwrap();
        let connection = settings(directory.path(), Duration::from_secs(1)).connect().unwrap();
        let rows = connection.rows("SELECT $2, $1, $2", &["one".into(), 2_u64.into()]).unwrap();
        let row = &rows[0];
        assert_eq!(
            (row.integer(0).unwrap(), row.text(1).unwrap(), row.integer(2).unwrap()),
            (2, "one".into(), 2)
        );
        for values in [vec!["one".into()], vec!["one".into(), "two".into(), "three".into()]] {
            assert!(connection.rows("SELECT $2, $1", &values).is_err(), "{values:?}");
        }
    }

    /// Whether a commit is over before anybody else on the thread could have done anything.
    async fn commits_at_once(connection: &mut Connection) -> bool {
        connection.begin().await.unwrap();
        let mut committing = std::pin::pin!(connection.commit());
        let at_once = tokio::select! {
            biased;
            committed = &mut committing => Some(committed),
            () = std::future::ready(()) => None,
        };
        let is_at_once = at_once.is_some();
        match at_once {
            Some(committed) => committed.unwrap(),
            None => committing.await.unwrap(),
        }
        is_at_once
    }

    #[tokio::test]
    async fn a_slow_disk_is_waited_for_beside_and_a_quick_one_at_once() {
        let directory = tempfile::tempdir().unwrap();
        let mut connection = settings(directory.path(), Duration::from_secs(1)).connect().unwrap();
        assert!(!commits_at_once(&mut connection).await, "nobody knows yet how quick the disk is");
        connection.last_commit = Duration::ZERO;
        assert!(commits_at_once(&mut connection).await);
        connection.last_commit = QUICK;
        assert!(!commits_at_once(&mut connection).await);
        assert_ne!(connection.last_commit, QUICK, "every commit is measured");
    }

    #[tokio::test]
    async fn whoever_waits_for_another_writer_lets_others_on_its_thread_go_on() {
        let directory = tempfile::tempdir().unwrap();
        let settings = settings(directory.path(), Duration::from_secs(60));
        let (mut first, mut second) = (settings.connect().unwrap(), settings.connect().unwrap());
        first.begin().await.unwrap();
        let release = async {
            tokio::task::yield_now().await;
            first.commit().await.unwrap();
        };
        let (began, ()) = tokio::join!(second.begin(), release);
        began.unwrap();
    }
}
