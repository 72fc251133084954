//! Trees as containers see them: made of blobs, and compared with their manifest, byte by byte, before each use.

use super::blob::make_directory;
use super::error::{StageError, StoreError};
use super::seen::Look;
use super::walk::{FileRead, Manner, Visitor, walk};
use super::workspace::Workspace;
use super::{Store, Stored, failed};
use guild_manifest::{Digest, FileEntry, TreeManifest};
use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// The modes of what is in a tree. Whoever is in a container reads it, and nobody writes.
const PLAIN: u32 = 0o444;
const EXECUTABLE: u32 = 0o555;
const DIRECTORY: u32 = 0o755;

/// The bits of a mode that are no kind of file.
const PERMISSIONS: u32 = 0o7777;

/// Where the files of a tree lie, whole: as they are, or made of blobs again.
pub fn materialise(store: &Store, tree: &TreeManifest, digest: &Digest) -> Result<PathBuf, StoreError> {
    let place = store.place("trees", digest);
    if recall(store, digest).is_some() {
        return Ok(place);
    }
    let look = store.seen.as_ref().and_then(|_| Look::at(&place, Manner::Stored));
    if is_intact(&place, tree) {
        if let (Some(seen), Some(look)) = (&store.seen, look) {
            seen.remember(store, &place, look, (tree, digest));
        }
        return Ok(place);
    }
    let workspace = Workspace::new(store)?;
    let made = workspace.path().join("tree");
    build(store, tree, &made)?;
    if let Some(shard) = place.parent() {
        make_directory(shard)?;
    }
    if fs::rename(&made, &place).is_ok() {
        return Ok(place);
    }
    // Something is in the way: what another one has just made, or what is damaged. Only under the lock is anything moved out of the
    // way, and only if it is still damaged then, lest it be somebody's who is using it.
    let _lock = lock(store)?;
    if !is_intact(&place, tree) {
        match fs::rename(&place, workspace.path().join("damaged")) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(failed("replace", &place)(error));
            }
            _ => {}
        }
        match fs::rename(&made, &place) {
            // Now that nothing was in the way, another one was quicker, and needed no lock.
            Err(_) if is_intact(&place, tree) => {}
            placed => placed.map_err(failed("make", &place))?,
        }
    }
    Ok(place)
}

/// A tree whose files were compared before, and look from outside as they did then.
pub fn recall(store: &Store, digest: &Digest) -> Option<Stored> {
    let seen = store.seen.as_ref()?;
    let root = store.place("trees", digest);
    let (tree, named) = seen.recall(&root, &Look::at(&root, Manner::Stored)?)?;
    (named == *digest).then_some(Stored { tree, digest: named, root })
}

/// Whether a directory holds the files of a tree and nothing else, with the modes that they should have.
fn is_intact(place: &Path, tree: &TreeManifest) -> bool {
    let mut seen = Seen { files: Vec::new(), directories: BTreeSet::new(), is_sound: true };
    let is_read = walk(place, Manner::Stored, &mut seen).is_ok();
    // They came directory by directory, which is another order than that of their paths.
    seen.files.sort_by(|one, other| one.path.cmp(&other.path));
    is_read && seen.is_sound && seen.files == tree.files() && seen.directories == directories(tree)
}

/// Every directory that the files of a tree lie in.
pub fn directories(tree: &TreeManifest) -> BTreeSet<String> {
    let mut directories = BTreeSet::new();
    for file in tree.files() {
        let mut path = file.path.as_str();
        while let Some((parent, _)) = path.rsplit_once('/') {
            directories.insert(parent.to_owned());
            path = parent;
        }
    }
    directories
}

/// Writes the files of a tree out of checked blobs. They are not synced: what a power cut damages is found and made again.
fn build(store: &Store, tree: &TreeManifest, root: &Path) -> Result<(), StoreError> {
    make_open_directory(root)?;
    // Sorted by name a directory comes before those in it.
    for directory in directories(tree) {
        make_open_directory(&root.join(directory))?;
    }
    for file in tree.files() {
        let bytes = store.get(&file.digest)?;
        let path = root.join(&file.path);
        let write = || -> io::Result<()> {
            let mut written = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
            written.write_all(&bytes)?;
            written.set_permissions(Permissions::from_mode(if file.executable { EXECUTABLE } else { PLAIN }))
        };
        write().map_err(failed("write", &path))?;
    }
    Ok(())
}

fn make_open_directory(path: &Path) -> Result<(), StoreError> {
    make_directory(path)?;
    fs::set_permissions(path, Permissions::from_mode(DIRECTORY)).map_err(failed("protect", path))
}

/// Waits for the lock under which trees are replaced.
fn lock(store: &Store) -> Result<File, StoreError> {
    let path = store.directory.join("lock");
    let take = || -> io::Result<File> {
        let file = OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(&path)?;
        file.lock()?;
        Ok(file)
    };
    take().map_err(failed("lock", &path))
}

/// What is in a stored tree.
struct Seen {
    files: Vec<FileEntry>,
    directories: BTreeSet<String>,
    is_sound: bool,
}

impl Visitor for Seen {
    fn directory(&mut self, path: &str, mode: u32) {
        self.is_sound &= mode & PERMISSIONS == DIRECTORY;
        if !path.is_empty() {
            self.directories.insert(path.to_owned());
        }
    }

    fn file(&mut self, file: &FileRead<'_>) -> Result<(), StageError> {
        let mode = file.mode & PERMISSIONS;
        self.is_sound &= mode == PLAIN || mode == EXECUTABLE;
        self.files.push(FileEntry {
            path: file.path.to_owned(),
            executable: mode == EXECUTABLE,
            size: file.bytes.len() as u64,
            digest: Digest::of(file.bytes),
        });
        Ok(())
    }
}
