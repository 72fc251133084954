//! The files that hold the installation's keys: made once, readable by their owner alone.
//!
//! The file appears whole or not at all, and of several processes that make one at the same time one wins and all use its.
//! There is no way to replace a key here: with another key it is another installation.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::entropy::{self, NoEntropy};
use crate::files::{make_private_directory, sync_directory};

const VERSION: u32 = 1;

/// One of the installation's keys.
#[derive(Debug, Clone, Copy)]
pub struct KeyFile {
    name: &'static str,
    algorithm: &'static str,
}

/// The key that signs.
pub const SIGNING: KeyFile = KeyFile { name: "installation.json", algorithm: "ed25519" };
/// The key that encrypts.
pub const SEALING: KeyFile = KeyFile { name: "secrets.json", algorithm: "chacha20-poly1305" };

/// Why the installation's key cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The file or its directory cannot be read or written.
    #[error("cannot use the key {}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        source: io::Error,
    },
    /// Others than its owner can read it.
    #[error("the key {} is open to others (mode {mode:o}); if nobody has read it, run `chmod 600` on it", path.display())]
    Exposed {
        /// The file.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// It is no key, or was damaged.
    #[error("{} is not a key", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// A newer Guildhall has made it.
    #[error("the key {} has version {found}, and this program reads {VERSION}", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
    /// A new key needs random bytes.
    #[error(transparent)]
    Entropy(#[from] NoEntropy),
}

#[derive(Serialize, Deserialize)]
struct Stored {
    version: u32,
    algorithm: String,
    secret: String,
}

/// The secret of a key in `directory`, which is made first if there is none.
pub fn read_or_make(directory: &Path, file: KeyFile) -> Result<[u8; 32], KeyError> {
    let path = directory.join(file.name);
    let at = |source| KeyError::Io { path: path.clone(), source };
    if let Some(secret) = read(&path, file)? {
        return Ok(secret);
    }
    make_private_directory(directory).map_err(at)?;
    make(directory, &path, file)?;
    read(&path, file)?.ok_or_else(|| at(io::ErrorKind::NotFound.into()))
}

/// That a key's file holds none.
pub fn damaged(directory: &Path, file: KeyFile) -> KeyError {
    KeyError::Damaged { path: directory.join(file.name) }
}

fn read(path: &Path, file: KeyFile) -> Result<Option<[u8; 32]>, KeyError> {
    let at = |source| KeyError::Io { path: path.to_owned(), source };
    let damaged = || KeyError::Damaged { path: path.to_owned() };
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(at(error)),
    };
    check_mode(path)?;
    let stored: Stored = serde_json::from_str(&text).map_err(|_| damaged())?;
    if stored.version > VERSION {
        return Err(KeyError::Newer { path: path.to_owned(), found: stored.version });
    }
    let mut secret = [0; 32];
    match hex::decode_to_slice(&stored.secret, &mut secret) {
        Ok(()) if stored.algorithm == file.algorithm => Ok(Some(secret)),
        _ => Err(damaged()),
    }
}

/// Makes the file unless there is one by now, which is as good.
fn make(directory: &Path, path: &Path, which: KeyFile) -> Result<(), KeyError> {
    let at = |source: io::Error| KeyError::Io { path: path.to_owned(), source };
    let stored = Stored {
        version: VERSION,
        algorithm: which.algorithm.to_owned(),
        secret: hex::encode(entropy::bytes::<32>()?),
    };
    // Temporary files are made for their owner alone.
    let mut file = tempfile::NamedTempFile::new_in(directory).map_err(at)?;
    serde_json::to_writer(&mut file, &stored).map_err(|error| at(error.into()))?;
    file.write_all(b"\n").and_then(|()| file.as_file().sync_all()).map_err(at)?;
    match file.persist_noclobber(path) {
        Ok(_) => sync_directory(directory).map_err(at),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(at(error.error)),
    }
}

#[cfg(unix)]
fn check_mode(path: &Path) -> Result<(), KeyError> {
    use std::os::unix::fs::PermissionsExt;

    let metadata = fs::metadata(path).map_err(|source| KeyError::Io { path: path.to_owned(), source })?;
    let mode = metadata.permissions().mode() & 0o777;
    if mode & 0o077 == 0 { Ok(()) } else { Err(KeyError::Exposed { path: path.to_owned(), mode }) }
}

#[cfg(not(unix))]
fn check_mode(_: &Path) -> Result<(), KeyError> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;
    use std::thread;

    use expect_test::{Expect, expect};

    use super::*;

    #[track_caller]
    fn check(text: &str, mode: u32, expect: &Expect) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(SIGNING.name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        let shown = match read_or_make(directory.path(), SIGNING) {
            Ok(secret) => hex::encode(secret),
            Err(error) => error.to_string().replace(directory.path().to_str().unwrap(), "[KEYS]"),
        };
        expect.assert_eq(&shown);
    }

    fn stored(version: u32, algorithm: &str) -> String {
        format!(r#"{{"version":{version},"algorithm":"{algorithm}","secret":"{}"}}"#, "a5".repeat(32))
    }

    #[test]
    fn a_key_is_made_once_for_its_owner_alone() {
        let directory = tempfile::tempdir().unwrap();
        let keys = directory.path().join("deep/keys");
        let made = read_or_make(&keys, SIGNING).unwrap();
        assert_eq!(read_or_make(&keys, SIGNING).unwrap(), made);
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&keys), mode(&keys.join(SIGNING.name))), (0o700, 0o600));
        assert_eq!(fs::read_dir(&keys).unwrap().count(), 1, "nothing is left beside it");
    }

    #[test]
    fn whoever_makes_it_at_the_same_time_gets_the_same_key() {
        let directory = tempfile::tempdir().unwrap();
        let makers: Vec<_> = (0..16)
            .map(|_| {
                let keys = directory.path().join("keys");
                thread::spawn(move || read_or_make(&keys, SIGNING).unwrap())
            })
            .collect();
        let made: Vec<_> = makers.into_iter().map(|maker| maker.join().unwrap()).collect();
        assert!(made.windows(2).all(|pair| pair[0] == pair[1]), "{made:?}");
    }

    #[test]
    fn a_stored_key_is_read() {
        check(
            &stored(1, "ed25519"),
            0o600,
            &expect!["a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5"],
        );
        check(
            &stored(1, "ed25519"),
            0o400,
            &expect!["a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5"],
        );
    }

    #[test]
    fn a_key_that_others_can_read_is_refused() {
        check(
            &stored(1, "ed25519"),
            0o640,
            &expect![
                "the key [KEYS]/installation.json is open to others (mode 640); if nobody has read it, run `chmod 600` on it"
            ],
        );
        check(
            &stored(1, "ed25519"),
            0o604,
            &expect![
                "the key [KEYS]/installation.json is open to others (mode 604); if nobody has read it, run `chmod 600` on it"
            ],
        );
    }

    #[test]
    fn what_is_no_key_of_ours_is_refused_and_not_replaced() {
        check("", 0o600, &expect!["[KEYS]/installation.json is not a key"]);
        check(&stored(1, "rsa"), 0o600, &expect!["[KEYS]/installation.json is not a key"]);
        check(
            &stored(1, "ed25519").replace("a5a5", "a5"),
            0o600,
            &expect!["[KEYS]/installation.json is not a key"],
        );
        check(
            &stored(2, "ed25519"),
            0o600,
            &expect!["the key [KEYS]/installation.json has version 2, and this program reads 1"],
        );
    }
}
