//! A place for one ledger: its directories, its database, and the time there.

use std::fs;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use guild_ledger::{Ledger, Location, Options, Principal, PrincipalKind, PublicKey, Role, Timestamp};
use guild_testkit::Postgres;
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection};
use tempfile::TempDir;

/// Where a ledger lies.
#[derive(Clone)]
pub struct Site {
    /// What is removed with the last clone and neighbour.
    directory: Arc<TempDir>,
    root: PathBuf,
    pub location: Location,
}

impl Site {
    pub fn sqlite() -> Self {
        let directory = Arc::new(tempfile::tempdir().unwrap());
        let root = directory.path().join("site");
        fs::create_dir(&root).unwrap();
        let location = Location::Sqlite(root.join("data/ledger.db"));
        Self { directory, root, location }
    }

    pub fn postgres(server: &Postgres, test: &str) -> Self {
        // Names of databases are cut after 63 characters.
        let name = &test[test.len().saturating_sub(60)..];
        Self::with(Location::Postgres(server.database(name)))
    }

    /// A site whose database lies somewhere.
    pub fn with(location: Location) -> Self {
        Self { location, ..Self::sqlite() }
    }

    /// Another installation that shares the database.
    pub fn neighbour(&self) -> Self {
        let neighbours = fs::read_dir(self.directory.path()).unwrap().count();
        let root = self.directory.path().join(format!("neighbour {neighbours}"));
        fs::create_dir(&root).unwrap();
        Self { root, ..self.clone() }
    }

    /// A site of its own in an empty database of the same kind.
    pub async fn another(&self) -> Self {
        if matches!(self.location, Location::Sqlite(_)) {
            return Self::sqlite();
        }
        self.sql("DROP SCHEMA public CASCADE; CREATE SCHEMA public").await;
        self.neighbour()
    }

    pub fn path(&self) -> &Path {
        &self.root
    }

    pub fn options(&self) -> Options {
        Options {
            location: self.location.clone(),
            keys: self.path().join("keys"),
            heads: self.path().join("heads"),
            trusted: Vec::new(),
            patience: Duration::from_secs(60),
        }
    }

    pub async fn open(&self) -> Ledger {
        Ledger::open(self.options()).await.unwrap()
    }

    pub async fn open_trusting(&self, key: PublicKey) -> Ledger {
        Ledger::open(Options { trusted: vec![key], ..self.options() }).await.unwrap()
    }

    /// Does to the database what somebody without the key could do.
    pub async fn sql(&self, statement: &str) {
        match &self.location {
            Location::Sqlite(path) => {
                rusqlite::Connection::open(path).unwrap().execute_batch(statement).unwrap();
            }
            Location::Postgres(url) => {
                let statement = sqlx::raw_sql(AssertSqlSafe(statement.to_owned()));
                PgConnection::connect(url).await.unwrap().execute(statement).await.unwrap();
            }
        }
    }
}

pub fn run(test: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(test);
}

/// So many minutes after nine.
pub fn at(minutes: u64) -> Timestamp {
    let nine: Timestamp = "2026-11-15T09:00:00.000Z".parse().unwrap();
    nine.after(Duration::from_secs(60 * minutes))
}

pub fn person() -> Principal {
    Principal {
        kind: PrincipalKind::Person,
        agent: "default".to_owned(),
        role: Role::Admin,
        via: "terminal".to_owned(),
    }
}

pub fn agent(name: &str) -> Principal {
    Principal {
        kind: PrincipalKind::Agent,
        agent: name.to_owned(),
        role: Role::Viewer,
        via: "mcp".to_owned(),
    }
}
