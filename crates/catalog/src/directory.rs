//! A directory held open: its names, its files and their facts, at the price of few system calls.
//!
//! Thousands of skills are looked at on every start, so each system call counts. On Linux paths are resolved from an
//! open directory; elsewhere the standard library does the same work a little slower.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod portable;

use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::io;
use std::path::Path;

#[cfg(target_os = "linux")]
pub use linux::{Directory, read_path};
#[cfg(not(target_os = "linux"))]
pub use portable::{Directory, read_path};

/// One name in a directory.
#[derive(Debug)]
pub struct Name {
    /// The name.
    pub name: OsString,
    /// What bears it; links are not followed.
    pub kind: Kind,
    /// The identity of what bears it, as far as the directory tells it; zero where it does not.
    pub inode: u64,
}

/// What something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// A pipe, a socket, a device.
    Other,
}

/// What can be known without reading.
#[derive(Debug, Clone, Copy)]
pub struct Facts {
    /// What it is.
    pub kind: Kind,
    /// Bytes of a file.
    pub size: u64,
    /// When it last changed, in nanoseconds since 1970.
    pub modified: i64,
    /// When anything at all of it last changed, which nobody can set back; zero where that is not told.
    pub touched: i64,
    /// Its identity on its file system, where there is one.
    pub inode: u64,
}

/// What came of reading a file into a buffer.
#[derive(Debug)]
pub struct FileRead {
    /// The facts at the time of reading.
    pub facts: Facts,
    /// Whether it was read: it is a regular file within the limit.
    pub is_read: bool,
}

/// The names in the directory at `path`, sorted.
pub fn names(path: &Path) -> io::Result<Vec<Name>> {
    Directory::open(path)?.names()
}

fn sorted(mut names: Vec<Name>) -> Vec<Name> {
    names.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_directory_is_listed_whole_however_many_names_it_has() {
        for count in [0, 1, 2, 60, 70, 500] {
            let directory = tempfile::tempdir().unwrap();
            let written: Vec<OsString> =
                (0..count).map(|number| format!("{number:04}{}", "x".repeat(200)).into()).collect();
            written.iter().for_each(|name| fs::write(directory.path().join(name), "").unwrap());
            let listed: Vec<OsString> =
                names(directory.path()).unwrap().into_iter().map(|name| name.name).collect();
            assert_eq!(listed, written);
        }
    }

    #[test]
    fn what_is_not_there_is_told_as_such() {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("file"), "").unwrap();
        let open = Directory::open(directory.path()).unwrap();
        let kind_of = |path: &str| open.facts_of(Path::new(path)).unwrap_err().kind();
        assert_eq!(kind_of("none"), io::ErrorKind::NotFound);
        assert_eq!(kind_of("file/none"), io::ErrorKind::NotADirectory);
    }
}
