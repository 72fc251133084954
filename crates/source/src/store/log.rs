//! Logs: what runs have printed, under its digest, for whoever looks for it later.
//!
//! Nothing depends on one, and any may be pruned, so that they wait for no disk: after a power cut one may be missing or damaged, which
//! its digest tells. They lie apart from blobs, which are synced and relied on.

use super::error::StoreError;
use super::{Store, blob, failed};
use guild_manifest::Digest;
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;

impl Store {
    /// Keeps what a run has printed.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn put_log(&self, bytes: &[u8]) -> Result<Digest, StoreError> {
        let digest = Digest::of(bytes);
        let path = self.log(&digest);
        let is_there = fs::symlink_metadata(&path).is_ok_and(|facts| facts.len() == bytes.len() as u64);
        if !is_there && let Some(shard) = path.parent() {
            let write = || -> std::io::Result<()> {
                fs::create_dir_all(shard)?;
                let mut file = tempfile::NamedTempFile::new_in(shard)?;
                file.write_all(bytes)?;
                file.persist(&path).map_err(|error| error.error)?;
                Ok(())
            };
            write().map_err(failed("write", &path))?;
        }
        Ok(digest)
    }

    /// What a run has printed, checked against its digest.
    ///
    /// # Errors
    /// Where it is not there any more, or is not what the digest says.
    pub fn get_log(&self, digest: &Digest) -> Result<Vec<u8>, StoreError> {
        blob::read(&self.log(digest), digest)
    }

    fn log(&self, digest: &Digest) -> PathBuf {
        self.place("logs", digest)
    }
}
