//! The host's own root file system: what it is called, and the digest of that.
//!
//! The name of the distribution, its version and the architecture are its identity. An upgrade of packages does not change it, so
//! approvals outlive one; a new release of the distribution does.

use std::fmt;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use sha2::{Digest as _, Sha256};

use super::digest::Digest;

/// The first bytes of what is digested.
const MARK: &[u8] = b"guild-host-1\n";

/// Bytes of the file that are read.
const LONGEST: u64 = 64 << 10;

/// What a host is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host {
    /// The distribution, by its `ID`; `linux` where it has none.
    pub id: String,
    /// Its `VERSION_ID`; empty where it has none, as distributions without releases do.
    pub version: String,
    /// The processor's architecture.
    pub architecture: String,
}

impl Host {
    /// Reads what the host whose root directory is `root` says of itself.
    pub fn read(root: &Path) -> io::Result<Host> {
        let mut text = String::new();
        for path in ["etc/os-release", "usr/lib/os-release"] {
            match File::open(root.join(path)) {
                Ok(file) => {
                    let mut bytes = Vec::new();
                    file.take(LONGEST).read_to_end(&mut bytes)?;
                    text = String::from_utf8_lossy(&bytes).into_owned();
                    break;
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Host::parse(&text))
    }

    fn parse(text: &str) -> Host {
        let value = |key: &str| {
            let lines = text.lines().filter_map(|line| line.trim().split_once('='));
            lines.filter(|(name, _)| *name == key).map(|(_, value)| unquoted(value)).next_back()
        };
        Host {
            id: value("ID").filter(|id| !id.is_empty()).unwrap_or_else(|| "linux".to_owned()),
            version: value("VERSION_ID").unwrap_or_default(),
            architecture: std::env::consts::ARCH.to_owned(),
        }
    }

    /// Names it.
    pub fn digest(&self) -> Digest {
        let mut hasher = Sha256::new();
        hasher.update(MARK);
        for part in [&self.id, &self.version, &self.architecture] {
            hasher.update((part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        Digest::of_hasher(hasher)
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.id)?;
        if !self.version.is_empty() {
            write!(f, " {}", self.version)?;
        }
        write!(f, " {}", self.architecture)
    }
}

/// A value as shells read it: without its quotes and backslashes.
fn unquoted(value: &str) -> String {
    let value = value.trim();
    let inner = ['"', '\''].iter().find_map(|quote| value.strip_prefix(*quote)?.strip_suffix(*quote));
    inner.unwrap_or(value).replace('\\', "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    #[track_caller]
    fn check(text: &str, expect: &Expect) {
        let host = Host { architecture: "x86_64".to_owned(), ..Host::parse(text) };
        expect.assert_eq(&format!("{host} {}", host.digest()));
    }

    #[test]
    fn a_distribution_is_known_by_its_name_and_version() {
        check(
            "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nVERSION_ID=\"12\"\nID=debian\n",
            &expect![
                "debian 12 x86_64 sha256:4b329615d04942c02a08b2745004f12433223426994d9c5d4c4786d9584a870b"
            ],
        );
        check(
            "ID='debian'\nVERSION_ID=12\nVERSION=whatever\n",
            &expect![
                "debian 12 x86_64 sha256:4b329615d04942c02a08b2745004f12433223426994d9c5d4c4786d9584a870b"
            ],
        );
        check(
            "ID=arch\nBUILD_ID=rolling\n",
            &expect!["arch x86_64 sha256:ab441ab9ab87b7e4c165a4e90ab0f98de82c8a1bec26f8e2f4bec7d7312b9a7f"],
        );
        check(
            "",
            &expect!["linux x86_64 sha256:ad54b788e7dc730eb7c8c8b3f75e607792128a3598e6d334803a4a5d784b665c"],
        );
    }

    #[test]
    fn one_part_cannot_be_taken_for_another() {
        let host = |id: &str, version: &str| Host {
            id: id.to_owned(),
            version: version.to_owned(),
            architecture: "x86_64".to_owned(),
        };
        assert_ne!(host("debian1", "2").digest(), host("debian", "12").digest());
    }

    #[test]
    fn a_host_without_the_file_is_some_linux() {
        let directory = tempfile::tempdir().unwrap();
        assert_eq!(Host::read(directory.path()).unwrap().id, "linux");
        std::fs::create_dir_all(directory.path().join("usr/lib")).unwrap();
        std::fs::write(directory.path().join("usr/lib/os-release"), "ID=void\n").unwrap();
        assert_eq!(Host::read(directory.path()).unwrap().id, "void");
        assert!(!Host::read(Path::new("/")).unwrap().id.is_empty());
    }
}
