//! This machine's own programs as a root file system: what of it is shown, name by name, and what is made up instead.
//!
//! Of `/etc` only what interpreters need is shown; nothing of anybody's data is. Every runtime makes its root of the same parts.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

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
    shown().into_iter().chain(made_up(policy)).collect()
}

/// What was seen of this machine, and the state in which its directories were then.
static SEEN: Mutex<Option<Seen>> = Mutex::new(None);

/// Only a directory whose names have changed has another time, so that a few look-ups spare those of all names.
struct Seen {
    state: Vec<Option<State>>,
    parts: Vec<Part>,
    /// Whether a second look found the same. The first might have been in the very moment of a change, which then has no other time.
    again: bool,
}

/// A directory's file system, number and times.
type State = (u64, u64, [i64; 4]);

/// The directories that hold the names.
const PARENTS: &[&str] = &["/", "/nix", "/etc", "/etc/pki", "/etc/pki/tls", "/etc/ssl"];

fn shown() -> Vec<Part> {
    let state: Vec<Option<State>> = PARENTS.iter().map(|parent| state(Path::new(parent))).collect();
    // Where somebody else is at it, as might be for ever in a fork, one looks anew.
    let mut seen = SEEN.try_lock().ok();
    let before = seen.as_mut().and_then(|seen| seen.take()).filter(|seen| seen.state == state);
    let now = match before {
        Some(before) if before.again => before,
        before => {
            let settings = SETTINGS.iter().map(|name| Path::new("etc").join(name));
            let parts: Vec<Part> =
                PROGRAMS.iter().map(PathBuf::from).chain(settings).filter_map(seen_at).collect();
            Seen { again: before.is_some_and(|before| before.parts == parts), state, parts }
        }
    };
    let parts = now.parts.clone();
    if let Some(seen) = &mut seen {
        **seen = Some(now);
    }
    parts
}

fn state(directory: &Path) -> Option<State> {
    let stat = std::fs::metadata(directory).ok()?;
    Some((stat.dev(), stat.ino(), [stat.mtime(), stat.mtime_nsec(), stat.ctime(), stat.ctime_nsec()]))
}

fn seen_at(path: PathBuf) -> Option<Part> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_directories_of_all_names_are_watched() {
        let settings = SETTINGS.iter().map(|name| Path::new("/etc").join(name));
        for name in PROGRAMS.iter().map(|name| Path::new("/").join(name)).chain(settings) {
            let parent = name.parent().unwrap();
            assert!(PARENTS.iter().any(|watched| Path::new(watched) == parent), "{}", name.display());
        }
    }

    #[test]
    fn what_was_seen_is_what_is_seen_again() {
        let first = shown();
        assert!(
            first.iter().any(|part| matches!(part, Part::Shown { path, .. } if path == Path::new("usr")))
        );
        for _ in 0..3 {
            assert_eq!(shown(), first);
        }
    }

    #[test]
    fn a_directory_that_gets_a_name_has_another_state() {
        let directory = tempfile::tempdir().unwrap();
        let before = state(directory.path());
        std::thread::sleep(std::time::Duration::from_millis(20));
        std::fs::write(directory.path().join("name"), "").unwrap();
        assert!(before.is_some() && state(directory.path()) != before);
    }
}
