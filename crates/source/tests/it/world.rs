//! A store and a directory to stage, side by side.

use guild_manifest::Digest;
use guild_source::store::{Content, StageError, Store, Stored};
use guild_testkit::Fixture;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// A fixture whose `skill` directory is staged into its `store`.
pub struct World {
    pub fixture: Fixture,
}

impl World {
    pub fn new(files: &str) -> Self {
        Self { fixture: Fixture::write(files) }
    }

    pub fn store(&self) -> Store {
        Store::open(self.fixture.join("data/store")).unwrap()
    }

    pub fn skill(&self) -> PathBuf {
        self.fixture.join("skill")
    }

    pub fn stage(&self) -> Result<Stored, StageError> {
        self.store().stage(&Content::Directory(&self.skill()))
    }

    /// The file of a blob.
    pub fn blob(&self, digest: &Digest) -> PathBuf {
        let hex = digest.to_hex();
        self.fixture.join("data/store/blobs/sha256").join(&hex[..2]).join(hex)
    }

    /// How many blobs there are.
    pub fn blob_count(&self) -> usize {
        let shards = fs::read_dir(self.fixture.join("data/store/blobs/sha256")).unwrap();
        shards.map(|shard| fs::read_dir(shard.unwrap().path()).unwrap().count()).sum()
    }

    /// What lies about of things that are being made.
    pub fn leftovers(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.fixture.join("data/store/tmp")).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    }
}

/// Every file and directory below `root` with its mode and the beginning of its content.
pub fn listing(root: &Path) -> String {
    let mut text = String::new();
    list(root, root, &mut text);
    text
}

fn list(root: &Path, directory: &Path, text: &mut String) {
    let mut entries: Vec<_> = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let metadata = fs::symlink_metadata(&path).unwrap();
        let shown = path.strip_prefix(root).unwrap().display();
        write!(text, "{:04o} {shown}", metadata.permissions().mode() & 0o7777).unwrap();
        if metadata.is_dir() {
            text.push_str("/\n");
            list(root, &path, text);
        } else {
            let content = fs::read_to_string(&path).unwrap();
            writeln!(text, ": {}", content.trim_end()).unwrap();
        }
    }
}
