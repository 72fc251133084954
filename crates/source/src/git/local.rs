//! Repositories of this machine's disk, read without git: refs, commits, trees and files are all that is asked of them.
//!
//! Nothing of a repository is obeyed: neither its configuration is read nor anything of it run, and every object is held to its id, as one
//! that is fetched would be. Whatever is unusual, broken, large or another's is left to git, which reads it or says what is wrong: of the
//! two ways this is the faster one and never the only one.

mod object;
mod pack;
mod refs;

use super::objects::{Kind, Object};
use crate::beside::both;
use crate::bounded;
use crate::spec::{GitSpec, is_commit};
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use object::{Id, Objects, Type};

/// The most that is read of a repository, its packs included; git reads larger ones.
const MAX_BYTES: u64 = 64 * 1024 * 1024;
/// How many files there may be.
const MAX_FILES: usize = 20_000;
/// From how many files on a thread more is worth it.
const MANY: usize = 64;
/// How deep directories may lie.
const MAX_DEPTH: usize = 64;
/// How many tags may name each other.
const MAX_TAGS: usize = 5;

/// Files of a commit.
#[derive(Debug)]
pub struct Found {
    /// The commit.
    pub commit: String,
    /// What it holds, in git's order, with the contents.
    pub files: Vec<(Object, Vec<u8>)>,
}

/// Reads what a ref of a repository stands for, or its default branch; nothing where git has to be asked.
pub fn read(spec: &GitSpec, reference: Option<&str>) -> Option<Found> {
    let directory = directory(Path::new(spec.url.strip_prefix("file://")?))?;
    let mut objects = Objects::of(&directory.join("objects"));
    let named = match reference {
        Some(id) if is_commit(id) => Id::parse(id)?,
        reference => refs::find(&directory, reference)?,
    };
    let (commit, tree) = commit(&mut objects, named)?;
    let path = spec.path.iter().flat_map(|path| path.split('/'));
    let top = path.into_iter().try_fold(tree, |tree, name| {
        let entries = entries(&objects.get(tree, Type::Tree)?)?;
        entries
            .into_iter()
            .find(|entry| entry.name == name.as_bytes() && entry.is_tree())
            .map(|entry| entry.id)
    })?;
    let mut listed = Vec::new();
    list(&mut objects, top, "", 0, &mut listed)?;
    let files = contents(&mut objects, listed)?;
    Some(Found { commit: commit.to_hex(), files })
}

/// The directory of a repository that git would read for whoever asks.
fn directory(path: &Path) -> Option<PathBuf> {
    // Git decodes addresses.
    if !path.is_absolute() || path.as_os_str().as_encoded_bytes().contains(&b'%') {
        return None;
    }
    let inner = path.join(".git");
    let directory = if inner.symlink_metadata().is_ok() { inner } else { path.to_owned() };
    let is_own = |path: &Path| {
        let seen = fs::metadata(path);
        seen.is_ok_and(|seen| seen.is_dir() && seen.uid() == rustix::process::geteuid().as_raw())
    };
    let has = |name: &str| directory.join(name).symlink_metadata().is_ok();
    let is_plain = has("HEAD") && has("objects") && has("refs");
    // Objects that lie elsewhere, and work trees of another repository.
    let is_linked = has("commondir") || has("objects/info/alternates");
    (is_own(path) && is_own(&directory) && is_plain && !is_linked).then_some(directory)
}

/// The commit that an object is or names, with its tree.
fn commit(objects: &mut Objects, named: Id) -> Option<(Id, Id)> {
    let mut id = named;
    for _ in 0..MAX_TAGS {
        let (kind, bytes) = objects.any(id)?;
        let line = |name: &str| {
            let line = bytes.split(|byte| *byte == b'\n').next()?;
            Id::parse(std::str::from_utf8(line.strip_prefix(name.as_bytes())?).ok()?)
        };
        match kind {
            Type::Commit => return Some((id, line("tree ")?)),
            Type::Tag => id = line("object ")?,
            Type::Tree | Type::Blob => return None,
        }
    }
    None
}

/// An entry of a tree.
struct Entry {
    mode: String,
    name: Vec<u8>,
    id: Id,
}

impl Entry {
    fn is_tree(&self) -> bool {
        self.mode == "40000"
    }
}

/// Reads a tree: `MODE NAME<NUL>` and the bytes of an id, again and again.
fn entries(tree: &[u8]) -> Option<Vec<Entry>> {
    let mut rest = tree;
    let mut entries = Vec::new();
    while !rest.is_empty() {
        let end = rest.iter().position(|byte| *byte == 0)?;
        let (head, behind) = rest.split_at_checked(end)?;
        let blank = head.iter().position(|byte| *byte == b' ')?;
        let (mode, name) = head.split_at_checked(blank)?;
        let (id, after) = behind.get(1..)?.split_first_chunk()?;
        let mode = std::str::from_utf8(mode).ok()?.to_owned();
        entries.push(Entry { mode, name: name.get(1..)?.to_owned(), id: Id::of(*id) });
        rest = after;
    }
    Some(entries)
}

/// Lists everything below a tree, in git's order.
fn list(
    objects: &mut Objects,
    tree: Id,
    below: &str,
    depth: usize,
    files: &mut Vec<(Object, Id)>,
) -> Option<()> {
    for entry in entries(&objects.get(tree, Type::Tree)?)? {
        // What is no text cannot be installed, nor can anything in it.
        let Ok(name) = std::str::from_utf8(&entry.name) else { continue };
        let path = if below.is_empty() { name.to_owned() } else { format!("{below}/{name}") };
        if entry.is_tree() {
            (depth < MAX_DEPTH).then_some(())?;
            list(objects, entry.id, &path, depth + 1, files)?;
        } else if let Some(kind) = Kind::of(&entry.mode) {
            (files.len() < MAX_FILES).then_some(())?;
            files.push((Object { path, id: entry.id.to_hex(), kind }, entry.id));
        }
    }
    Some(())
}

/// Reads the contents of files, of many on two threads: to inflate them is work and no wait for the disk.
fn contents(objects: &mut Objects, files: Vec<(Object, Id)>) -> Option<Vec<(Object, Vec<u8>)>> {
    let bytes = if files.len() < MANY {
        blobs(objects, &files)?
    } else {
        let (here, beside) = files.split_at(files.len() / 2);
        let others = objects.shared();
        let beside = || {
            let mut others = others.open();
            blobs(&mut others, beside).map(|bytes| (bytes, others.read()))
        };
        let (bytes, more) = both(|| blobs(objects, here), beside);
        let (more, read) = more?;
        objects.count(read)?;
        let mut bytes = bytes?;
        bytes.extend(more);
        bytes
    };
    Some(files.into_iter().map(|(object, _)| object).zip(bytes).collect())
}

fn blobs(objects: &mut Objects, files: &[(Object, Id)]) -> Option<Vec<Vec<u8>>> {
    files.iter().map(|(_, id)| objects.get(*id, Type::Blob)).collect()
}

/// The content of a file, if it is one and no larger than `limit`; a pipe in its place keeps nobody waiting.
fn content(path: &Path, limit: u64) -> Option<Vec<u8>> {
    bounded::read(path, limit).ok()
}
