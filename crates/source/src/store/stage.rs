//! From wherever a tree lies into the store.

use super::blob::Writer;
use super::error::StageError;
use super::limits::Budget;
use super::walk::{FileRead, Manner, Visitor, walk, walk_file};
use super::{Store, Stored, tree};
use guild_manifest::{FileEntry, TreeManifest};
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

/// Stages a tree.
pub fn stage(store: &Store, content: &Content<'_>) -> Result<Stored, StageError> {
    let mut staging = Staging { writer: Writer::new(store), files: Vec::new() };
    match content {
        Content::Directory(path) => walk(path, Manner::Foreign, &mut staging)?,
        Content::File(path) => walk_file(path, &mut staging)?,
        Content::Memory(files) => staging.memory(files)?,
    }
    let tree = TreeManifest::new(staging.files)?;
    let mut writer = staging.writer;
    let digest = writer.add(tree.text().as_bytes())?;
    writer.commit()?;
    let root = tree::materialise(store, &tree, &digest)?;
    Ok(Stored { tree, digest, root })
}

/// Keeps what is read, and notes what it was.
struct Staging<'a> {
    writer: Writer<'a>,
    files: Vec<FileEntry>,
}

impl Staging<'_> {
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

impl Visitor for Staging<'_> {
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
