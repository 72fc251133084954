//! The signed head of the chain, kept outside the database: it remembers how far the chain had come, so that a tail that is
//! cut off is missed.
//!
//! One file holds two slots of 512 bytes, written in turn and in place. A slot that a crash has torn does not verify, and
//! then the other one counts, so the file is never without a head. Slots are not synced: that would double the cost of
//! every receipt, and a power cut can only bring back an earlier head, which misses the last few receipts and accuses nobody.
//!
//! It does not say whether the head fits the database; `chain` and `verify` do.

use std::collections::VecDeque;
use std::fs::{self, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use guild_manifest::{Digest, canonical};
use serde::{Deserialize, Serialize};

use crate::Timestamp;
use crate::files::{make_private_directory, sync_directory};
use crate::key::{InstallationId, Key, PublicKey, Purpose, Signature};

const VERSION: u32 = 1;
const SLOT: usize = 512;
const KNOWN: usize = 4;

/// How far a chain has come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// The version of this format.
    pub version: u32,
    /// The installation whose chain it is.
    pub installation: InstallationId,
    /// The number of the last receipt, zero before the first.
    pub seq: u64,
    /// The digest of the last receipt, or what the chain begins with.
    pub hash: Digest,
    /// When it was written.
    pub at: Timestamp,
}

/// A head with its signature, as it is stored and exported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignedHead {
    /// What is signed.
    pub head: Head,
    /// The signature of the head's canonical text.
    pub signature: String,
}

/// Why the head cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum HeadError {
    /// The file or its directory cannot be used.
    #[error("cannot use the chain's head {}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        source: io::Error,
    },
    /// Neither slot holds a head that this installation has signed.
    #[error("{} holds no head that this installation has signed", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
    },
}

/// The file that remembers the head of this installation's chain in one database.
#[derive(Debug)]
pub(crate) struct HeadFile {
    path: PathBuf,
    /// The last slots whose signature was checked or made here, since every receipt would else check them anew.
    known: Mutex<VecDeque<SignedHead>>,
}

impl Head {
    pub(crate) fn new(key: &Key, seq: u64, hash: Digest, at: Timestamp) -> Self {
        Self { version: VERSION, installation: key.installation.clone(), seq, hash, at }
    }

    /// The head of a chain that is empty.
    pub(crate) fn genesis(key: &Key, at: Timestamp) -> Self {
        Self::new(key, 0, key.public.genesis(), at)
    }

    pub(crate) fn sign(self, key: &Key) -> SignedHead {
        let signature = key.sign(Purpose::Head, &self.digest()).to_string();
        SignedHead { head: self, signature }
    }

    fn digest(&self) -> Digest {
        // A struct of texts and numbers always has a form in JSON; were there none, no signature would fit.
        Digest::of(canonical::to_string(self).unwrap_or_default().as_bytes())
    }
}

impl SignedHead {
    /// Whether the holder of `key` has signed this, in a version that is understood.
    pub(crate) fn is_signed_by(&self, key: &PublicKey) -> bool {
        let fits = self.head.version <= VERSION && self.head.installation == key.installation();
        let signature = self.signature.parse::<Signature>();
        fits && signature.is_ok_and(|signature| key.verifies(Purpose::Head, &self.head.digest(), &signature))
    }
}

impl HeadFile {
    /// The file in `directory` for this installation's chain in one `database`, which is any text that identifies it.
    pub(crate) fn new(directory: &Path, installation: &InstallationId, database: &str) -> Self {
        let place: String = Digest::of(database.as_bytes()).to_hex().chars().take(16).collect();
        Self { path: directory.join(format!("{installation}-{place}.head")), known: Mutex::default() }
    }

    /// The newest head that is there; `None` where there is no file.
    pub(crate) fn read(&self, key: &PublicKey) -> Result<Option<Head>, HeadError> {
        let bytes = match fs::read(&self.path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(self.error(source)),
        };
        match self.newest(&bytes, key) {
            Some(head) => Ok(Some(head)),
            None => Err(HeadError::Unreadable { path: self.path.clone() }),
        }
    }

    /// Makes the file anew with this head and no other, for a chain that is empty or has lost its end. Unlike the slots it is
    /// synced.
    pub(crate) fn replace(&self, key: &Key, head: Head) -> Result<(), HeadError> {
        let slot = slot_text(&head.sign(key));
        let directory = self.path.parent().unwrap_or(Path::new("."));
        let write = || {
            make_private_directory(directory)?;
            let mut file = tempfile::NamedTempFile::new_in(directory)?;
            file.write_all(slot.as_bytes())?;
            file.write_all(slot.as_bytes())?;
            file.as_file().sync_all()?;
            file.persist(&self.path)?;
            sync_directory(directory)
        };
        write().map_err(|source| self.error(source))
    }

    /// Remembers a head, unless a newer one is remembered already.
    pub(crate) fn advance(&self, key: &Key, head: Head) -> Result<(), HeadError> {
        self.write(key, head).map_err(|source| self.error(source))
    }

    fn write(&self, key: &Key, head: Head) -> io::Result<()> {
        let mut file = OpenOptions::new().read(true).write(true).open(&self.path)?;
        // Writers of several processes would else undo each other; the lock goes with the file.
        file.lock()?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        if self.newest(&bytes, &key.public).is_some_and(|newest| newest.seq >= head.seq) {
            return Ok(());
        }
        file.seek(SeekFrom::Start(head.seq % 2 * SLOT as u64))?;
        let head = head.sign(key);
        file.write_all(slot_text(&head).as_bytes())?;
        self.remember(head);
        Ok(())
    }

    fn newest(&self, bytes: &[u8], key: &PublicKey) -> Option<Head> {
        let slots = bytes.chunks(SLOT).take(2).filter_map(|slot| serde_json::from_slice(slot).ok());
        slots.filter(|slot| self.is_good(slot, key)).map(|slot| slot.head).max_by_key(|head| head.seq)
    }

    fn is_good(&self, slot: &SignedHead, key: &PublicKey) -> bool {
        let is_known = || self.known.lock().is_ok_and(|known| known.contains(slot));
        if is_known() {
            return true;
        }
        let is_good = slot.is_signed_by(key);
        if is_good {
            self.remember(slot.clone());
        }
        is_good
    }

    fn remember(&self, slot: SignedHead) {
        if let Ok(mut known) = self.known.lock() {
            known.push_back(slot);
            if known.len() > KNOWN {
                known.pop_front();
            }
        }
    }

    fn error(&self, source: io::Error) -> HeadError {
        HeadError::Io { path: self.path.clone(), source }
    }
}

/// The text of a slot, filled up with blanks.
fn slot_text(head: &SignedHead) -> String {
    let text = canonical::to_string(head).unwrap_or_default();
    format!("{text:<width$}\n", width = SLOT - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Site {
        directory: tempfile::TempDir,
        key: Key,
        file: HeadFile,
    }

    fn site() -> Site {
        let directory = tempfile::tempdir().unwrap();
        let key = Key::open(&directory.path().join("keys")).unwrap();
        let file = HeadFile::new(&directory.path().join("heads"), &key.installation, "one");
        Site { directory, key, file }
    }

    impl Site {
        fn begin(&self, key: &Key) {
            self.file.replace(key, Head::genesis(key, Timestamp::from_millis(0))).unwrap();
        }

        fn head(&self, seq: u64) -> Head {
            Head::new(&self.key, seq, Digest::of(&seq.to_le_bytes()), Timestamp::from_millis(seq))
        }

        fn advance(&self, seq: u64) {
            self.file.advance(&self.key, self.head(seq)).unwrap();
        }

        fn seq(&self) -> Option<u64> {
            self.file.read(&self.key.public).unwrap().map(|head| head.seq)
        }

        fn damage(&self, at: usize) {
            let mut bytes = fs::read(&self.file.path).unwrap();
            bytes[at] ^= 1;
            fs::write(&self.file.path, bytes).unwrap();
        }
    }

    #[test]
    fn the_newest_head_is_remembered() {
        let site = site();
        assert_eq!(site.seq(), None);
        site.begin(&site.key);
        assert_eq!(site.seq(), Some(0));
        for seq in [1, 2, 3, 5, 7] {
            site.advance(seq);
            assert_eq!(site.seq(), Some(seq));
        }
        assert_eq!(fs::read(&site.file.path).unwrap().len(), 2 * SLOT);
    }

    #[test]
    fn a_slow_writer_does_not_go_back() {
        let site = site();
        site.begin(&site.key);
        site.advance(4);
        site.advance(2);
        site.advance(3);
        assert_eq!(site.seq(), Some(4));
    }

    #[test]
    fn a_head_that_is_replaced_may_go_back() {
        let site = site();
        site.begin(&site.key);
        site.advance(4);
        site.file.replace(&site.key, site.head(2)).unwrap();
        assert_eq!(site.seq(), Some(2));
    }

    #[test]
    fn a_torn_slot_leaves_the_other_one() {
        let site = site();
        site.begin(&site.key);
        site.advance(1);
        site.advance(2);
        site.damage(40);
        assert_eq!(site.seq(), Some(1));
        site.damage(SLOT + 40);
        let error = site.file.read(&site.key.public).unwrap_err();
        assert!(matches!(error, HeadError::Unreadable { .. }), "{error}");
    }

    #[test]
    fn a_head_of_another_key_does_not_count() {
        let site = site();
        let stranger = Key::open(&site.directory.path().join("other")).unwrap();
        site.begin(&stranger);
        assert!(site.file.read(&site.key.public).is_err());
    }

    #[test]
    fn the_longest_head_fits_its_slot() {
        let site = site();
        let head = Head { at: Timestamp::from_millis(u64::MAX), ..site.head(u64::MAX) };
        assert_eq!(slot_text(&head.sign(&site.key)).len(), SLOT);
    }

    #[test]
    fn every_database_has_a_head_of_its_own() {
        let site = site();
        let other = HeadFile::new(&site.directory.path().join("heads"), &site.key.installation, "other");
        site.begin(&site.key);
        assert!(other.read(&site.key.public).unwrap().is_none());
    }
}
