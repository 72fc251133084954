//! Where files from elsewhere land: below a fresh directory of ours, each name looked at before anything is written.
//!
//! Links are made last, when nothing is written any more, so that nothing is ever written through one. What a name means is not asked
//! here; [`check_tree`] asks it of the files that are to be installed.

mod batch;
mod name;

use guild_manifest::TreeManifest;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{OpenOptionsExt as _, symlink};
use std::path::{Path, PathBuf};

pub use batch::WholeFile;

use name::{fold, is_unseen, leads_out, plain};

/// How much is copied at once.
const PIECE: usize = 64 * 1024;

/// Why something from elsewhere does not land.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unsafe {
    /// A path that leads out of its directory, or begins at the root.
    Path,
    /// A link that leads out.
    Link,
    /// Two names that are one on file systems which do not tell capitals from small letters.
    Collision,
    /// More files, bytes, or bytes for what was packed, than there may be.
    Bomb,
    /// A device, a pipe, or a hard link.
    Special,
    /// Bits that lend somebody's rights to whoever runs the file.
    SetId,
    /// A name with characters that cannot be seen, or that is no text.
    Name,
}

impl fmt::Display for Unsafe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Path => "leads out of the directory that it is unpacked into",
            Self::Link => "is a link that leads out of the directory",
            Self::Collision => {
                "is there twice, or differs from another name only in capitals and small letters"
            }
            Self::Bomb => "is more than may be unpacked",
            Self::Special => "is neither a file nor a directory nor a link",
            Self::SetId => "lends somebody's rights to whoever runs it",
            Self::Name => "has characters in its name that cannot be seen",
        })
    }
}

/// Why files did not land.
#[derive(Debug, thiserror::Error)]
pub enum LandingError {
    /// Something among them is refused.
    #[error("`{path}` {why}")]
    Refused {
        /// Its name, printable.
        path: String,
        /// Why.
        why: Unsafe,
    },
    /// The system refused something.
    #[error("cannot write {}", .path.display())]
    Write {
        /// Where.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// What is unpacked cannot be read.
    #[error("it is broken: {0}")]
    Broken(String),
}

/// Whose files land.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strictness {
    /// All of it is refused for one bad name: it was packed for us.
    Archive,
    /// What is not installed may have any name: a repository holds much that is no skill.
    Repository,
}

/// How much may land.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// How many names.
    pub names: u64,
    /// How many bytes together.
    pub bytes: u64,
}

/// A directory that files land in.
#[derive(Debug)]
pub struct Landing {
    root: PathBuf,
    strictness: Strictness,
    left: Bounds,
    /// What each name was when it was first seen, by what it is on file systems that fold.
    seen: BTreeMap<String, (String, Kind)>,
    links: Vec<(String, String)>,
    /// The directories that are there.
    made: BTreeSet<String>,
    /// What contents pass through.
    piece: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Directory,
    Other,
}

impl Landing {
    /// Lands in a directory that is there, is empty, and is nobody else's to write to.
    pub fn new(root: &Path, strictness: Strictness, bounds: Bounds) -> Self {
        Self {
            root: root.to_owned(),
            strictness,
            left: bounds,
            seen: BTreeMap::new(),
            links: Vec::new(),
            made: BTreeSet::new(),
            piece: vec![0; PIECE],
        }
    }

    /// A directory.
    pub fn directory(&mut self, path: &str) -> Result<(), LandingError> {
        let Some(path) = self.claim(path, Kind::Directory)? else { return Ok(()) };
        self.make_directory(&path)
    }

    /// A file; as much is read of it as there is, and no more than may land.
    pub fn file(
        &mut self,
        path: &str,
        executable: bool,
        content: &mut dyn Read,
    ) -> Result<u64, LandingError> {
        let shown = path;
        let place = self.place(path)?;
        let write = |source| LandingError::Write { path: place.clone(), source };
        let mut file = create(&place, executable).map_err(write)?;
        let mut limited = content.take(self.left.bytes.saturating_add(1));
        let count = copy(&mut limited, &mut file, &mut self.piece).map_err(|error| match error {
            Side::Read(error) => LandingError::Broken(format!("`{}`: {error}", printable(shown))),
            Side::Write(error) => write(error),
        })?;
        self.left.bytes = self.left.bytes.checked_sub(count).ok_or_else(|| refused(shown, Unsafe::Bomb))?;
        Ok(count)
    }

    /// Where a file lands, in a directory that is there.
    fn place(&mut self, path: &str) -> Result<PathBuf, LandingError> {
        let shown = path;
        let Some(path) = self.claim(path, Kind::Other)? else { return Err(refused(shown, Unsafe::Path)) };
        if let Some((parent, _)) = path.rsplit_once('/') {
            self.make_directory(parent)?;
        }
        Ok(self.root.join(&path))
    }

    /// A link, which is made at the end.
    pub fn link(&mut self, path: &str, target: &str) -> Result<(), LandingError> {
        let shown = path;
        let Some(path) = self.claim(path, Kind::Other)? else { return Err(refused(shown, Unsafe::Path)) };
        if self.strictness == Strictness::Archive && leads_out(&path, target) {
            return Err(refused(shown, Unsafe::Link));
        }
        self.links.push((path, target.to_owned()));
        Ok(())
    }

    /// Makes the links; after this nothing lands any more.
    pub fn finish(mut self) -> Result<(), LandingError> {
        let links = std::mem::take(&mut self.links);
        for (path, _) in &links {
            if let Some((parent, _)) = path.rsplit_once('/') {
                self.make_directory(parent)?;
            }
        }
        for (path, target) in &links {
            let place = self.root.join(path);
            symlink(target, &place).map_err(|source| LandingError::Write { path: place.clone(), source })?;
        }
        Ok(())
    }

    fn make_directory(&mut self, path: &str) -> Result<(), LandingError> {
        make_directory(&self.root, path, &mut self.made)
    }

    /// The path of an entry below the root, once everything about its name is well; `None` for the root itself.
    fn claim(&mut self, path: &str, kind: Kind) -> Result<Option<String>, LandingError> {
        self.left.names = self.left.names.checked_sub(1).ok_or_else(|| refused(path, Unsafe::Bomb))?;
        let Some(names) = plain(path) else { return Err(refused(path, Unsafe::Path)) };
        if self.strictness == Strictness::Archive && path.chars().any(is_unseen) {
            return Err(refused(path, Unsafe::Name));
        }
        let mut whole = String::new();
        for (at, name) in names.iter().enumerate() {
            if at > 0 {
                whole.push('/');
            }
            whole.push_str(name);
            let kind = if at + 1 == names.len() { kind } else { Kind::Directory };
            let key = match self.strictness {
                Strictness::Archive => fold(&whole),
                Strictness::Repository => whole.clone(),
            };
            match self.seen.entry(key) {
                Entry::Vacant(place) => drop(place.insert((whole.clone(), kind))),
                // Only a directory is named again, by what lies in it.
                Entry::Occupied(place)
                    if *place.get() == (whole.clone(), Kind::Directory) && kind == Kind::Directory => {}
                Entry::Occupied(_) => return Err(refused(path, Unsafe::Collision)),
            }
        }
        Ok((!whole.is_empty()).then_some(whole))
    }
}

/// Makes a directory below a root, unless it is known to be there.
fn make_directory(root: &Path, path: &str, made: &mut BTreeSet<String>) -> Result<(), LandingError> {
    if !made.contains(path) {
        let place = root.join(path);
        fs::create_dir_all(&place).map_err(|source| LandingError::Write { path: place, source })?;
        made.insert(path.to_owned());
    }
    Ok(())
}

/// Makes a file where nothing is.
fn create(place: &Path, executable: bool) -> io::Result<File> {
    let mode = if executable { 0o777 } else { 0o666 };
    OpenOptions::new().write(true).create_new(true).mode(mode).open(place)
}

/// Looks at the names of files that are to be installed, wherever they come from.
///
/// # Errors
/// Where two of them are one on some file systems, or one has characters that cannot be seen.
pub fn check_tree(tree: &TreeManifest) -> Result<(), LandingError> {
    let mut seen: BTreeMap<String, &str> = BTreeMap::new();
    for file in tree.files() {
        if file.path.chars().any(is_unseen) {
            return Err(refused(&file.path, Unsafe::Name));
        }
        let ends = file.path.match_indices('/').map(|(at, _)| at).chain([file.path.len()]);
        for part in ends.filter_map(|end| file.path.get(..end)) {
            if *seen.entry(fold(part)).or_insert(part) != part {
                return Err(refused(&file.path, Unsafe::Collision));
            }
        }
    }
    Ok(())
}

/// A refusal that can be shown.
pub(crate) fn refused(path: &str, why: Unsafe) -> LandingError {
    LandingError::Refused { path: printable(path), why }
}

/// A name without what cannot be seen, and no longer than a line.
pub(crate) fn printable(path: &str) -> String {
    path.chars().take(200).map(|char| if is_unseen(char) { '\u{fffd}' } else { char }).collect()
}

enum Side {
    Read(io::Error),
    Write(io::Error),
}

/// Copies everything piece by piece, and tells on which side it failed.
fn copy(from: &mut dyn Read, to: &mut dyn io::Write, piece: &mut [u8]) -> Result<u64, Side> {
    let mut count = 0;
    loop {
        let read = match from.read(piece) {
            Ok(0) => return Ok(count),
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(Side::Read(error)),
        };
        to.write_all(piece.get(..read).unwrap_or_default()).map_err(Side::Write)?;
        count += read as u64;
    }
}
