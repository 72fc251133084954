//! This machine's own programs as a root file system: what of it is shown, name by name, and what is made up instead.
//!
//! Of `/etc` only what interpreters need is shown; nothing of anybody's data is. Every runtime makes its root of the same parts.

use std::path::{Path, PathBuf};

use crate::policy::Policy;

/// Directories that hold programs and libraries, or links to where those are.
const PROGRAMS: &[&str] = &["usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32", "nix/store"];

/// What interpreters and libraries read of `/etc`. None of it tells of this machine's people.
const SETTINGS: &[&str] = &[
    "alternatives",
    "ca-certificates",
    "crypto-policies",
    "fonts",
    "java-11-openjdk",
    "java-17-openjdk",
    "java-21-openjdk",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "localtime",
    "magic",
    "mime.types",
    "perl",
    "php",
    "pki/ca-trust",
    "pki/tls/cert.pem",
    "pki/tls/certs",
    "pki/tls/openssl.cnf",
    "python3",
    "python3.11",
    "ssl/certs",
    "ssl/openssl.cnf",
    "terminfo",
];

/// One part of the root. Paths are relative to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// What this machine has at the same place.
    Shown {
        /// Where it is.
        path: PathBuf,
        /// Whether it is a directory; else it is a file.
        directory: bool,
    },
    /// A symbolic link.
    Link {
        /// Where it is.
        path: PathBuf,
        /// Where it leads.
        to: PathBuf,
    },
    /// A file that is made up.
    File {
        /// Where it is.
        path: &'static str,
        /// What is in it.
        content: String,
    },
}

/// The parts of the root for this policy. What this machine does not have is left out.
pub(crate) fn parts(policy: &Policy) -> Vec<Part> {
    let settings = SETTINGS.iter().map(|name| Path::new("etc").join(name));
    let paths = PROGRAMS.iter().map(PathBuf::from).chain(settings);
    paths.filter_map(seen).chain(made_up(policy)).collect()
}

fn seen(path: PathBuf) -> Option<Part> {
    let source = Path::new("/").join(&path);
    let kind = std::fs::symlink_metadata(&source).ok()?;
    if kind.is_symlink() {
        let to = std::fs::read_link(&source).ok()?;
        return Some(Part::Link { path, to });
    }
    (kind.is_dir() || kind.is_file()).then(|| Part::Shown { path, directory: kind.is_dir() })
}

fn made_up(policy: &Policy) -> impl Iterator<Item = Part> {
    let (user, hostname) = (policy.user, &policy.hostname);
    let files = [
        ("etc/passwd", format!("guild:x:{user}:{user}::/tmp:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n")),
        ("etc/group", format!("guild:x:{user}:\nnogroup:x:65534:\n")),
        ("etc/hosts", format!("127.0.0.1 localhost {hostname}\n::1 localhost\n")),
        ("etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n".to_owned()),
    ];
    files.into_iter().map(|(path, content)| Part::File { path, content })
}
