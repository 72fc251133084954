//! Many files at once whose contents are here: on two threads, since to make a file is work for the system and not a wait for the disk.

use super::{Kind, Landing, LandingError, Unsafe, create, make_directory, refused};
use crate::beside::both;
use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::Path;

/// From how many files on a thread more is worth it.
const MANY: usize = 64;

/// A file with its content.
#[derive(Debug, Clone, Copy)]
pub struct WholeFile<'a> {
    /// Where it lands.
    pub path: &'a str,
    /// Whether it may be executed.
    pub executable: bool,
    /// Its content.
    pub bytes: &'a [u8],
}

impl Landing {
    /// Files, of which none is written unless everything is well with the names and sizes of all.
    pub fn files(&mut self, files: &[WholeFile<'_>]) -> Result<(), LandingError> {
        let mut placed = Vec::with_capacity(files.len());
        for file in files {
            let path = self.claim(file.path, Kind::Other)?.ok_or_else(|| refused(file.path, Unsafe::Path))?;
            let left = self.left.bytes.checked_sub(file.bytes.len() as u64);
            self.left.bytes = left.ok_or_else(|| refused(file.path, Unsafe::Bomb))?;
            placed.push((path, *file));
        }
        let root = self.root.as_path();
        if placed.len() < MANY {
            return write(root, &placed, &mut self.made);
        }
        let (here, beside) = placed.split_at(placed.len() / 2);
        let made = &mut self.made;
        // What both need is there for whoever comes second.
        let (written, others) =
            both(|| write(root, here, made), || write(root, beside, &mut BTreeSet::new()));
        written.and(others)
    }
}

fn write(
    root: &Path,
    files: &[(String, WholeFile<'_>)],
    made: &mut BTreeSet<String>,
) -> Result<(), LandingError> {
    files.iter().try_for_each(|(path, file)| {
        if let Some((parent, _)) = path.rsplit_once('/') {
            make_directory(root, parent, made)?;
        }
        let place = root.join(path);
        let written = create(&place, file.executable).and_then(|mut made| made.write_all(file.bytes));
        written.map_err(|source| LandingError::Write { path: place, source })
    })
}
