//! From wherever a tree lies into the store.

mod many;

use super::blob::Writer;
use super::error::{StageError, StoreError};
use super::glance;
use super::limits::Budget;
use super::seen::Look;
use super::walk::{EXECUTABLE, FileRead, Manner, Visitor, is_executable, walk, walk_file};
use super::{Keeping, Store, Stored, tree};
use guild_manifest::{Digest, FileEntry, TreeManifest};
use std::path::Path;

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

/// A tree whose files are in the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// Its files.
    pub tree: TreeManifest,
    /// The digest of that, which names it.
    pub digest: Digest,
    /// Whether the directory that it was read from held these files and nothing else, no link and no empty directory among them.
    pub is_exact: bool,
}

/// From how many trees on they are read on two threads, and their blobs share one file.
const MANY: usize = 8;

/// Stages a tree.
pub fn stage(store: &Store, content: &Content<'_>) -> Result<Stored, StageError> {
    match content {
        Content::Directory(place) => glance::once(store, place, || stage_directory(store, place)),
        Content::File(_) | Content::Memory(_) => stage_anew(store, content),
    }
}

fn stage_directory(store: &Store, place: &Path) -> Result<Stored, StageError> {
    let content = Content::Directory(place);
    let Some(seen) = &store.seen else { return stage_anew(store, &content) };
    // Looked at before it is read: a change in between makes it look otherwise the next time.
    let look = Look::at(place, Manner::Foreign);
    if let Some((tree, digest)) = look.as_ref().and_then(|look| seen.recall(place, look)) {
        return made_whole(store, tree, digest);
    }
    let stored = stage_anew(store, &content)?;
    if let Some(look) = look {
        seen.remember(store, place, look, (&stored.tree, &stored.digest));
    }
    Ok(stored)
}

fn stage_anew(store: &Store, content: &Content<'_>) -> Result<Stored, StageError> {
    let Kept { tree, digest, .. } = keep(store, content)?;
    made_whole(store, tree, digest)
}

/// A tree whose files are kept, with the directory that containers see.
fn made_whole(store: &Store, tree: TreeManifest, digest: Digest) -> Result<Stored, StageError> {
    glance::once(store, &store.place("trees", &digest), || {
        let root = tree::materialise(store, &tree, &digest)?;
        Ok(Stored { tree, digest, root })
    })
}

/// Keeps a tree.
pub fn keep(store: &Store, content: &Content<'_>) -> Result<Kept, StageError> {
    let mut writer = Writer::new(store);
    let kept = read(&mut writer, content)?;
    writer.commit()?;
    Ok(kept)
}

/// Keeps several trees, which are durable all at once; a failure says which one it is of.
pub fn keep_all(store: &Store, contents: &[Content<'_>]) -> Result<Vec<Kept>, (usize, StageError)> {
    let (kept, mut keeping) = keep_all_ahead(store, contents)?;
    keeping.wait().map_err(|error| (0, error.into()))?;
    Ok(kept)
}

/// Reads several trees, which are durable once somebody has waited for it.
pub fn keep_all_ahead(
    store: &Store,
    contents: &[Content<'_>],
) -> Result<(Vec<Kept>, Keeping), (usize, StageError)> {
    if contents.len() >= MANY {
        return many::keep(store, contents);
    }
    let mut writer = Writer::new(store);
    let mut trees = Vec::new();
    for (at, content) in contents.iter().enumerate() {
        trees.push(read(&mut writer, content).map_err(|error| (at, error))?);
    }
    writer.commit().map_err(|error| (0, error.into()))?;
    Ok((trees, Keeping::default()))
}

/// Reads a tree, and hands its files and its manifest to the writer.
fn read(writer: &mut Writer<'_>, content: &Content<'_>) -> Result<Kept, StageError> {
    let mut staging = Staging { add: |bytes: &[u8]| writer.add(bytes), noted: Noted::default() };
    staging.take(content)?;
    let (kept, text) = staging.noted.into_kept()?;
    writer.add_as(kept.digest, text.as_bytes())?;
    Ok(kept)
}

/// What was read of a tree.
#[derive(Debug, Default)]
struct Noted {
    files: Vec<FileEntry>,
    directories: usize,
    /// Whether a name was passed over, or a link followed.
    has_detour: bool,
}

impl Noted {
    /// The tree, with the text of its manifest.
    fn into_kept(self) -> Result<(Kept, String), StageError> {
        let tree = TreeManifest::new(self.files)?;
        let text = tree.text();
        let digest = Digest::of(text.as_bytes());
        // The root is one that no file's path names.
        let is_exact = !self.has_detour && self.directories == tree::directories(&tree).len() + 1;
        Ok((Kept { tree, digest, is_exact }, text))
    }
}

/// Hands on what is read, and notes what it was.
struct Staging<F> {
    /// Takes the bytes of a file, and says what their digest is.
    add: F,
    noted: Noted,
}

impl<F: FnMut(&[u8]) -> Result<Digest, StoreError>> Staging<F> {
    fn take(&mut self, content: &Content<'_>) -> Result<(), StageError> {
        match content {
            Content::Directory(path) => walk(path, Manner::Foreign, self),
            Content::File(path) => walk_file(path, self),
            Content::Memory(files) => self.memory(files),
        }
    }

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

impl<F: FnMut(&[u8]) -> Result<Digest, StoreError>> Visitor for Staging<F> {
    fn directory(&mut self, _: &str, _: u32) {
        self.noted.directories += 1;
    }

    fn detour(&mut self) {
        self.noted.has_detour = true;
    }

    fn file(&mut self, file: &FileRead<'_>) -> Result<(), StageError> {
        let digest = (self.add)(file.bytes)?;
        self.noted.files.push(FileEntry {
            path: file.path.to_owned(),
            executable: is_executable(file.mode),
            size: file.bytes.len() as u64,
            digest,
        });
        Ok(())
    }
}
