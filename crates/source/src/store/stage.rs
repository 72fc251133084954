//! From wherever a tree lies into the store.

use super::blob::Writer;
use super::error::StageError;
use super::limits::Budget;
use super::walk::{FileRead, Manner, Visitor, walk, walk_file};
use super::{Store, Stored, tree};
use guild_manifest::{Digest, FileEntry, TreeManifest};
use std::path::Path;

/// Any of these in a mode makes a file executable.
const EXECUTABLE: u32 = 0o111;

/// Where a tree comes from.
#[derive(Debug, Clone, Copy)]
pub enum Content<'a> {
    /// Everything below a directory.
    Directory(&'a Path),
    /// One file, which is a tree by itself.
    File(&'a Path),
    /// What a program carries with it.
    Memory(&'a [MemoryFile<'a>]),
}

/// A file that lies on no disk.
#[derive(Debug, Clone, Copy)]
pub struct MemoryFile<'a> {
    /// Its path below the root of the tree.
    pub path: &'a str,
    /// Its content.
    pub bytes: &'a [u8],
    /// Whether it may be executed.
    pub executable: bool,
}

/// From how many trees on the file system is synced once instead of each file.
const MANY: usize = 8;

/// Stages a tree.
pub fn stage(store: &Store, content: &Content<'_>) -> Result<Stored, StageError> {
    let mut writer = Writer::new(store);
    let (tree, digest) = read(&mut writer, content)?;
    writer.commit()?;
    let root = tree::materialise(store, &tree, &digest)?;
    Ok(Stored { tree, digest, root })
}

/// Stages several trees, which are durable all at once; a failure says which one it is of.
pub fn stage_all(store: &Store, contents: &[Content<'_>]) -> Result<Vec<Stored>, (usize, StageError)> {
    let mut writer = if contents.len() < MANY { Writer::new(store) } else { Writer::of_many(store) };
    let mut trees = Vec::new();
    for (at, content) in contents.iter().enumerate() {
        trees.push(read(&mut writer, content).map_err(|error| (at, error))?);
    }
    writer.commit().map_err(|error| (0, error.into()))?;
    let stored = |(at, (tree, digest)): (usize, (TreeManifest, Digest))| {
        let root = tree::materialise(store, &tree, &digest).map_err(|error| (at, error.into()))?;
        Ok(Stored { tree, digest, root })
    };
    trees.into_iter().enumerate().map(stored).collect()
}

/// Reads a tree, and hands its files and its manifest to the writer.
fn read(writer: &mut Writer<'_>, content: &Content<'_>) -> Result<(TreeManifest, Digest), StageError> {
    let mut staging = Staging { writer, files: Vec::new() };
    match content {
        Content::Directory(path) => walk(path, Manner::Foreign, &mut staging)?,
        Content::File(path) => walk_file(path, &mut staging)?,
        Content::Memory(files) => staging.memory(files)?,
    }
    let tree = TreeManifest::new(staging.files)?;
    let digest = writer.add(tree.text().as_bytes())?;
    Ok((tree, digest))
}

/// Keeps what is read, and notes what it was.
struct Staging<'w, 'a> {
    writer: &'w mut Writer<'a>,
    files: Vec<FileEntry>,
}

impl Staging<'_, '_> {
    fn memory(&mut self, files: &[MemoryFile<'_>]) -> Result<(), StageError> {
        let mut budget = Budget::full();
        for file in files {
            budget.name()?;
            budget.file(file.path, file.bytes.len() as u64)?;
            let mode = if file.executable { EXECUTABLE } else { 0 };
            self.file(&FileRead { path: file.path, mode, bytes: file.bytes })?;
        }
        Ok(())
    }
}

impl Visitor for Staging<'_, '_> {
    fn directory(&mut self, _: &str, _: u32) {}

    fn file(&mut self, file: &FileRead<'_>) -> Result<(), StageError> {
        let digest = self.writer.add(file.bytes)?;
        self.files.push(FileEntry {
            path: file.path.to_owned(),
            executable: file.mode & EXECUTABLE != 0,
            size: file.bytes.len() as u64,
            digest,
        });
        Ok(())
    }
}
