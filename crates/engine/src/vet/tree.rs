//! The files of one skill or plugin, read within bounds; links are told and never followed.
//!
//! What is too large or too much is left unread, and the vet is told so.

use super::subject::{KeptFiles, Subject};
use guild_manifest::FileEntry;
use guild_vet::{Content, File};
use serde::{Deserialize, Serialize};
use std::fs::{self, Metadata};
use std::io::Read as _;
#[cfg(unix)]
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

/// The largest file that is read.
const MAX_FILE: u64 = 16 * 1024 * 1024;
/// How many bytes of one skill or plugin are read.
const MAX_TOTAL: u64 = 64 * 1024 * 1024;
/// How many entries of one skill or plugin are looked at.
const MAX_ENTRIES: usize = 10_000;
/// How deep directories are looked into.
const MAX_DEPTH: usize = 24;

/// Why a file is left unread.
const TOO_LARGE: &str = "the file is larger than what is read";

/// What tells that a file is as it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    /// Its path below what is looked at; empty for that directory itself.
    pub path: String,
    size: u64,
    inode: u64,
    modified: i64,
    /// When its inode was last changed, in nanoseconds; nobody sets this by hand.
    pub changed: i64,
}

/// One entry of what is looked at, with its content.
#[derive(Debug)]
pub struct Node {
    path: String,
    content: Kind,
}

#[derive(Debug)]
enum Kind {
    Bytes(Vec<u8>),
    Link(String),
    Special(&'static str),
    Unread(String),
}

impl Node {
    /// The entry as the vet takes it.
    pub fn file(&self) -> File<'_> {
        let content = match &self.content {
            Kind::Bytes(bytes) => Content::Bytes(bytes),
            Kind::Link(target) => Content::Link(target),
            Kind::Special(what) => Content::Special(what),
            Kind::Unread(why) => Content::Unread(why),
        };
        File { path: &self.path, content }
    }

    /// A file that is not on disk.
    pub fn of_bytes(path: &str, bytes: Vec<u8>) -> Self {
        Self { path: path.to_owned(), content: Kind::Bytes(bytes) }
    }

    /// Its path below what is looked at.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Whether it is a text with frontmatter, as hosts read those of commands and agents.
    pub fn is_described(&self) -> bool {
        let is_markdown = Path::new(&self.path).extension().is_some_and(|end| end.eq_ignore_ascii_case("md"));
        match &self.content {
            Kind::Bytes(bytes) => is_markdown && bytes.trim_ascii_start().starts_with(b"---"),
            _ => false,
        }
    }

    /// Its bytes, if it is the file of this path.
    pub fn bytes_of(&self, path: &str) -> Option<&[u8]> {
        match &self.content {
            Kind::Bytes(bytes) if self.path == path => Some(bytes),
            _ => None,
        }
    }
}

/// The stamps of everything that is looked at, sorted by path; `None` where there is too much.
pub fn stamps(subject: &Subject<'_>) -> Option<Vec<Stamp>> {
    let mut walk = Walk { left: MAX_ENTRIES, entries: Vec::new(), is_whole: true };
    if subject.is_one_file() {
        // The stamp of a link says nothing of the file it leads to.
        let metadata = fs::symlink_metadata(&subject.path).ok().filter(|metadata| !metadata.is_symlink())?;
        return Some(vec![stamp(&subject.main(), &metadata)]);
    }
    walk.directory(subject.root(), "", 0);
    let mut stamps: Vec<Stamp> = walk.entries.iter().map(|(path, metadata)| stamp(path, metadata)).collect();
    stamps.sort_by(|a, b| a.path.cmp(&b.path));
    walk.is_whole.then_some(stamps)
}

/// Whether a file or directory is as its stamp says.
pub fn is_current(directory: &Path, known: &Stamp) -> bool {
    // The directory itself may be reached by a link; what lies in it is not.
    let metadata = if known.path.is_empty() {
        fs::metadata(directory)
    } else {
        fs::symlink_metadata(directory.join(&known.path))
    };
    metadata.is_ok_and(|metadata| stamp(&known.path, &metadata) == *known)
}

/// Reads everything that is looked at.
pub fn read(subject: &Subject<'_>) -> Vec<Node> {
    let mut left = MAX_TOTAL;
    if let Some(kept) = &subject.kept {
        return kept.tree.files().iter().map(|file| of_kept(kept, file, &mut left)).collect();
    }
    let directory = subject.root();
    if subject.is_one_file() {
        let metadata = fs::symlink_metadata(&subject.path);
        // A flat skill may be a link; what it leads to was judged when it was found.
        let metadata =
            metadata.and_then(
                |metadata| if metadata.is_symlink() { fs::metadata(&subject.path) } else { Ok(metadata) },
            );
        let file = subject.main();
        let content = match metadata {
            Ok(metadata) => content(&subject.path, &metadata, &mut left),
            Err(error) => Kind::Unread(error.to_string()),
        };
        return vec![Node { path: file, content }];
    }
    let mut walk = Walk { left: MAX_ENTRIES, entries: Vec::new(), is_whole: true };
    walk.directory(directory, "", 0);
    walk.entries.sort_by(|(a, _), (b, _)| a.cmp(b));
    let files = walk.entries.iter().filter(|(path, metadata)| !path.is_empty() && !metadata.is_dir());
    let mut nodes: Vec<Node> = files
        .map(|(path, metadata)| Node {
            path: path.clone(),
            content: match own_link(subject, path, metadata) {
                Some((real, metadata)) => content(&real, &metadata, &mut left),
                None => content(&directory.join(path), metadata, &mut left),
            },
        })
        .collect();
    if !walk.is_whole {
        let why = "there are more files than what is read, or they lie deeper".to_owned();
        nodes.push(Node { path: subject.main(), content: Kind::Unread(why) });
    }
    nodes
}

/// A file out of the store; there are never more than a tree may have.
fn of_kept(kept: &KeptFiles<'_>, file: &FileEntry, left: &mut u64) -> Node {
    let content = if file.size > MAX_FILE.min(*left) {
        Kind::Unread(TOO_LARGE.to_owned())
    } else {
        *left = left.saturating_sub(file.size);
        kept.store.get(&file.digest).map_or_else(|error| Kind::Unread(error.to_string()), Kind::Bytes)
    };
    Node { path: file.path.clone(), content }
}

/// Where a skill's own file really is, if it is a link to another file of what is looked at.
fn own_link(subject: &Subject<'_>, path: &str, metadata: &Metadata) -> Option<(PathBuf, Metadata)> {
    if !metadata.is_symlink() || !subject.is_own(path) {
        return None;
    }
    let root = subject.root();
    let real = root.join(path).canonicalize().ok()?;
    let is_inside = real.starts_with(root.canonicalize().ok()?);
    let metadata = fs::symlink_metadata(&real).ok()?;
    (is_inside && metadata.is_file()).then_some((real, metadata))
}

struct Walk {
    left: usize,
    entries: Vec<(String, Metadata)>,
    is_whole: bool,
}

impl Walk {
    fn directory(&mut self, root: &Path, relative: &str, depth: usize) {
        let path = root.join(relative);
        let Ok(metadata) = fs::metadata(&path) else { return };
        self.entries.push((relative.to_owned(), metadata));
        let Ok(entries) = fs::read_dir(&path) else {
            self.is_whole = false;
            return;
        };
        for entry in entries.flatten() {
            if self.left == 0 || depth > MAX_DEPTH {
                self.is_whole = false;
                return;
            }
            self.left -= 1;
            let name = entry.file_name().to_string_lossy().into_owned();
            let Ok(metadata) = entry.metadata() else { continue };
            let below = if relative.is_empty() { name.clone() } else { format!("{relative}/{name}") };
            if metadata.is_dir() && name == ".git" {
                continue;
            }
            if metadata.is_dir() {
                self.directory(root, &below, depth + 1);
            } else {
                self.entries.push((below, metadata));
            }
        }
    }
}

#[cfg(unix)]
fn stamp(path: &str, metadata: &Metadata) -> Stamp {
    let nanoseconds = |seconds: i64, rest: i64| seconds.saturating_mul(1_000_000_000).saturating_add(rest);
    Stamp {
        path: path.to_owned(),
        size: metadata.size(),
        inode: metadata.ino(),
        modified: nanoseconds(metadata.mtime(), metadata.mtime_nsec()),
        changed: nanoseconds(metadata.ctime(), metadata.ctime_nsec()),
    }
}

/// Elsewhere nothing tells of every change, so that a stamp is never trusted.
#[cfg(not(unix))]
fn stamp(path: &str, metadata: &Metadata) -> Stamp {
    Stamp { path: path.to_owned(), size: metadata.len(), inode: 0, modified: 0, changed: i64::MAX }
}

#[cfg(unix)]
fn special(kind: fs::FileType) -> &'static str {
    match () {
        () if kind.is_fifo() => "a pipe",
        () if kind.is_socket() => "a socket",
        () => "a device",
    }
}

#[cfg(not(unix))]
fn special(_: fs::FileType) -> &'static str {
    "no regular file"
}

fn content(path: &Path, metadata: &Metadata, left: &mut u64) -> Kind {
    let kind = metadata.file_type();
    if kind.is_symlink() {
        let target = fs::read_link(path).map(|target| target.to_string_lossy().into_owned());
        return target.map_or_else(|error| Kind::Unread(error.to_string()), Kind::Link);
    }
    if !kind.is_file() {
        return Kind::Special(special(kind));
    }
    if metadata.len() > MAX_FILE.min(*left) {
        return Kind::Unread(TOO_LARGE.to_owned());
    }
    let mut bytes = Vec::new();
    let read = fs::File::open(path).and_then(|file| file.take(MAX_FILE + 1).read_to_end(&mut bytes));
    *left = left.saturating_sub(bytes.len() as u64);
    match read {
        Ok(_) if bytes.len() as u64 <= MAX_FILE => Kind::Bytes(bytes),
        Ok(_) => Kind::Unread(TOO_LARGE.to_owned()),
        Err(error) => Kind::Unread(error.to_string()),
    }
}
