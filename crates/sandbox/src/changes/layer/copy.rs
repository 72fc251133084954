//! Copies a source into a layer, and keeps what it was.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, FileType, Gid, Mode, Uid};

use super::super::base::{Manifest, ManifestEntry};
use super::super::bounds::{Bounds, Budget, ReadError};
use super::super::change::{Node, Reason};
use super::super::tree::{Found, Tree};
use crate::digest::copy_digested;

/// A numeric user and group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner {
    /// The user.
    pub uid: u32,
    /// The group.
    pub gid: u32,
}

impl Owner {
    /// Whom a copy is given to for a container whose user inside is the same outside. Only root gives files away: `None` leaves them with
    /// whoever copies.
    pub fn inside(user: u32) -> Option<Owner> {
        rustix::process::geteuid().is_root().then_some(Owner { uid: user, gid: user })
    }
}

/// What became of a source that was copied.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Copied {
    /// Files, directories and links that were copied.
    pub entries: u64,
    /// What was left out, and why.
    pub left_out: Vec<(PathBuf, Reason)>,
}

struct Copier<'a> {
    source: &'a Tree,
    target: &'a Path,
    budget: Budget,
    owner: Option<Owner>,
    entries: Vec<ManifestEntry>,
    left_out: Vec<(PathBuf, Reason)>,
}

/// Copies `source` into the empty directory `target`.
pub fn copy_tree(
    source: &Tree,
    target: &Path,
    bounds: Bounds,
    owner: Option<Owner>,
) -> Result<(Manifest, Copied), ReadError> {
    let mut copier =
        Copier { source, target, budget: bounds.budget(), owner, entries: Vec::new(), left_out: Vec::new() };
    let mut directories = vec![PathBuf::new()];
    while let Some(directory) = directories.pop() {
        copier.directory(&directory, &mut directories)?;
    }
    copier.finish()
}

impl Copier<'_> {
    fn directory(&mut self, directory: &Path, directories: &mut Vec<PathBuf>) -> Result<(), ReadError> {
        let names = match self.source.names(directory, self.budget.entries_left()) {
            Ok(names) => names,
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                self.left_out.push((directory.to_owned(), Reason::Unreadable));
                return Ok(());
            }
            Err(source) => return Err(ReadError::Io { path: directory.to_owned(), source }),
        };
        for name in names {
            let path = directory.join(name);
            self.budget.entry(&path)?;
            if let Some(node) = self.entry(&path)? {
                if node.is_directory() {
                    directories.push(path.clone());
                }
                self.entries.push(ManifestEntry { path, node });
            }
        }
        Ok(())
    }

    /// Copies one entry, a directory without what is in it.
    fn entry(&mut self, path: &Path) -> Result<Option<Node>, ReadError> {
        if let Ok(Some(stat)) = self.source.stat(path)
            && FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile
        {
            return self.file(path, stat.st_mode & 0o6777);
        }
        let reason = match self.source.look(path, &mut self.budget)? {
            Found::Nothing => return Ok(None),
            Found::Node(node, _) => {
                self.make(path, &node).map_err(failed(path))?;
                return Ok(Some(node));
            }
            Found::Special(kind, _) => Reason::of(kind),
            Found::Unreadable => Reason::Unreadable,
            Found::OtherFileSystem => Reason::OtherFileSystem,
        };
        self.left_out.push((path.to_owned(), reason));
        Ok(None)
    }

    fn make(&self, path: &Path, node: &Node) -> io::Result<()> {
        let target = self.target.join(path);
        match node {
            Node::Link { target: said } => Ok(rustix::fs::symlinkat(said, CWD, target)?),
            Node::File { .. } | Node::Directory { .. } => Ok(rustix::fs::mkdirat(CWD, target, Mode::RWXU)?),
        }
    }

    fn file(&mut self, path: &Path, mode: u32) -> Result<Option<Node>, ReadError> {
        let from = match self.source.file(path) {
            Ok(from) => from,
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                self.left_out.push((path.to_owned(), Reason::Unreadable));
                return Ok(None);
            }
            Err(error) => return Err(failed(path)(error)),
        };
        self.budget.allow(from.metadata().map_err(failed(path))?.len())?;
        let options = OpenOptions::new().write(true).create_new(true).mode(0o600).clone();
        let mut to = options.open(self.target.join(path)).map_err(failed(path))?;
        let (digest, size) = copy_digested(from, &mut to, self.budget.bytes_left()).map_err(failed(path))?;
        self.budget.spend(size)?;
        self.own_file(&to, mode).map_err(failed(path))?;
        Ok(Some(Node::File { mode, size, digest }))
    }

    fn own_file(&self, file: &File, mode: u32) -> io::Result<()> {
        if let Some(owner) = self.owner {
            rustix::fs::fchown(file, Some(Uid::from_raw(owner.uid)), Some(Gid::from_raw(owner.gid)))?;
        }
        // Set-id bits would make somebody else's program of it.
        Ok(rustix::fs::fchmod(file, Mode::from_raw_mode(mode & 0o777))?)
    }

    /// Gives directories and links their owners and permissions, now that nothing more is written into them.
    fn finish(mut self) -> Result<(Manifest, Copied), ReadError> {
        self.entries.sort_by(|left, right| left.path.cmp(&right.path));
        for entry in &self.entries {
            self.own(&entry.path, &entry.node).map_err(failed(&entry.path))?;
        }
        if let Some(stat) = self.source.stat(Path::new("")).map_err(failed(Path::new("")))? {
            let root = Node::Directory { mode: stat.st_mode & 0o1777 | 0o700 };
            self.own(Path::new(""), &root).map_err(failed(Path::new("")))?;
        }
        let copied = Copied { entries: self.entries.len() as u64, left_out: self.left_out };
        Ok((Manifest::new(self.entries), copied))
    }

    fn own(&self, path: &Path, node: &Node) -> io::Result<()> {
        let target = self.target.join(path);
        if let (Some(owner), false) = (self.owner, matches!(node, Node::File { .. })) {
            let (uid, gid) = (Uid::from_raw(owner.uid), Gid::from_raw(owner.gid));
            rustix::fs::chownat(CWD.as_fd(), &target, Some(uid), Some(gid), AtFlags::SYMLINK_NOFOLLOW)?;
        }
        match node {
            Node::Directory { mode } => Ok(rustix::fs::chmod(&target, Mode::from_raw_mode(*mode))?),
            Node::File { .. } | Node::Link { .. } => Ok(()),
        }
    }
}

fn failed(path: &Path) -> impl FnOnce(io::Error) -> ReadError {
    move |source| ReadError::Io { path: path.to_owned(), source }
}
