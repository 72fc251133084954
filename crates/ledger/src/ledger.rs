//! The ledger itself: one database, one key, one connection that is made again when it breaks.
//!
//! What can be done with it stands in the files that are named for it: runs, grants, requests, tokens and so on.

use std::mem;
use std::ops::{Deref, DerefMut};
use std::path::PathBuf;
use std::time::Duration;

use guild_manifest::Digest;
use tokio::sync::{Mutex, MutexGuard};

use crate::chain::News;
use crate::database::{Connection, Database};
use crate::head::HeadFile;
use crate::key::{Key, KeyError, Proven, Purpose};
use crate::{InstallationId, Location, PublicKey, StoreError};

/// What happened and what is allowed, durable and signed.
pub struct Ledger {
    database: Database,
    /// Absent while it is used, and after it broke: whoever comes next makes another.
    connection: Mutex<Option<Connection>>,
    pub(crate) key: Key,
    /// The directory with the keys.
    pub(crate) keys: PathBuf,
    pub(crate) head: HeadFile,
    trusted: Vec<PublicKey>,
    pub(crate) proven: Proven,
    pub(crate) news: News,
}

/// What a ledger is opened with.
#[derive(Debug, Clone)]
pub struct Options {
    /// Where its database lies.
    pub location: Location,
    /// The directory with the installation's key.
    pub keys: PathBuf,
    /// The directory with the heads of chains, which had better not lie beside the database.
    pub heads: PathBuf,
    /// The keys of other installations whose grants, tokens and decisions count here.
    pub trusted: Vec<PublicKey>,
    /// How long to wait for other writers.
    pub patience: Duration,
}

/// Why a ledger cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The installation's key cannot be had.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The database cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The connection, for as long as one operation needs it. It goes back by [`Session::done`]; otherwise it is dropped, with
/// whatever it was doing, since nobody knows what state it is in.
pub(crate) struct Session<'l> {
    slot: MutexGuard<'l, Option<Connection>>,
    connection: Connection,
}

impl Ledger {
    /// Opens a ledger, and makes key, database and schema where they are absent.
    ///
    /// # Errors
    /// Where the key or the database cannot be had, are damaged or newer than this program.
    pub async fn open(options: Options) -> Result<Self, OpenError> {
        let key = Key::open(&options.keys)?;
        let database = Database::at(&options.location, options.patience)?;
        let connection = Mutex::new(Some(database.connect().await?));
        let head = HeadFile::new(&options.heads, &key.installation, &database.identity());
        let Options { keys, trusted, .. } = options;
        Ok(Self {
            database,
            connection,
            key,
            keys,
            head,
            trusted,
            proven: Proven::default(),
            news: News::default(),
        })
    }

    /// The installation that writes here.
    pub fn installation(&self) -> &InstallationId {
        &self.key.installation
    }

    /// The key that others check this installation's signatures with.
    pub fn public_key(&self) -> PublicKey {
        self.key.public
    }

    /// Signs a bundle that is taken to another installation, by its digest.
    pub fn sign_bundle(&self, digest: &Digest) -> String {
        self.key.sign(Purpose::Bundle, digest).to_string()
    }

    /// Whether what a key signs counts here: it is this installation's own, or one that the person trusts.
    pub fn counts(&self, key: &PublicKey) -> bool {
        self.counted_key(key.installation().as_str()).is_some_and(|known| known == key)
    }

    /// A digest of a secret value that only this installation can compute, so that receipts show whether two values were the
    /// same and nobody can guess them. `context` says whose value it is: the same one elsewhere has another digest.
    pub fn keyed_digest(&self, context: &str, value: &[u8]) -> String {
        self.key.keyed_digest(context, value)
    }

    /// Closes the database in good order, which for SQLite moves the log into the file and takes some syncs.
    ///
    /// # Errors
    /// Where the database does not close; what was acknowledged is safe.
    pub async fn close(self) -> Result<(), StoreError> {
        match self.connection.into_inner() {
            Some(connection) => connection.close().await,
            None => Ok(()),
        }
    }

    /// Leaves the database as it is, for a process that ends now and does not want to wait. The log stays, and the next to
    /// open the file reads it; everything acknowledged is in it.
    pub fn leave(self) {
        // Dropping would close it in good order, on another thread, while the process ends.
        mem::forget(self.connection.into_inner());
    }

    /// The connection, made again if it broke.
    pub(crate) async fn session(&self) -> Result<Session<'_>, StoreError> {
        let mut slot = self.connection.lock().await;
        let connection = match slot.take() {
            Some(connection) => connection,
            None => self.database.connect().await?,
        };
        Ok(Session { slot, connection })
    }

    /// The key of an installation, if what it signs counts here.
    pub(crate) fn counted_key(&self, installation: &str) -> Option<&PublicKey> {
        let keys = std::iter::once(&self.key.public).chain(&self.trusted);
        keys.into_iter().find(|key| key.installation().as_str() == installation)
    }
}

impl Session<'_> {
    /// Gives the connection back, in good order.
    pub(crate) fn done(mut self) {
        *self.slot = Some(self.connection);
    }
}

impl Deref for Session<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.connection
    }
}

impl DerefMut for Session<'_> {
    fn deref_mut(&mut self) -> &mut Connection {
        &mut self.connection
    }
}
