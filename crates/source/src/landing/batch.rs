//! Many files at once whose contents are here: on two threads, since to make a file is work for the system and not a wait for the disk.

use super::{Landing, LandingError, Unsafe, create, refused};
use std::io::Write as _;
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::thread;

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
            let place = self.place(file.path)?;
            let left = self.left.bytes.checked_sub(file.bytes.len() as u64);
            self.left.bytes = left.ok_or_else(|| refused(file.path, Unsafe::Bomb))?;
            placed.push((place, *file));
        }
        if placed.len() < MANY {
            return write(&placed);
        }
        let (here, beside) = placed.split_at(placed.len() / 2);
        thread::scope(|scope| {
            let beside = scope.spawn(|| write(beside));
            let written = write(here);
            written.and(beside.join().unwrap_or_else(|panic| resume_unwind(panic)))
        })
    }
}

fn write(files: &[(PathBuf, WholeFile<'_>)]) -> Result<(), LandingError> {
    files.iter().try_for_each(|(place, file)| {
        let written = create(place, file.executable).and_then(|mut made| made.write_all(file.bytes));
        written.map_err(|source| LandingError::Write { path: place.clone(), source })
    })
}
