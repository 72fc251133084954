//! The content of skills that were found: their texts when they are needed, many at a time, and whether two are the same.
//!
//! Only regular files are read, and no link is followed out of what is compared.

use super::parallel::in_parallel;
use super::skill_files;
use crate::bundled::{self, BundledFile};
use crate::directory::{self, Kind};
use crate::snapshot::{Entry, Place};
use guild_manifest::frontmatter;
use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

/// How many names in a skill's directory are looked at; larger skills count as different.
const MAX_NAMES: usize = 2_000;
/// How many bytes are compared; larger skills count as different.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// The bytes of a skill's file, as they are now.
pub fn bytes(entry: &Entry) -> io::Result<Cow<'static, [u8]>> {
    let place = &entry.place;
    if let Some(files) = bundled::files(place) {
        let own = files.iter().find(|file| file.path == place.file);
        return Ok(Cow::Borrowed(own.map(|file| file.bytes).unwrap_or_default()));
    }
    let mut bytes = Vec::new();
    let read = directory::read_path(&place.path(), u64::MAX, &mut bytes)?;
    if read.is_read { Ok(Cow::Owned(bytes)) } else { Err(io::Error::other("it is no regular file")) }
}

/// The texts of skills below their frontmatter, in order; empty for one whose file cannot be read now.
pub fn bodies(entries: &[&Entry]) -> Vec<String> {
    in_parallel(entries, |entry| {
        let bytes = bytes(entry).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let body = frontmatter::split(&text).map_or(text.as_ref(), |parts| parts.body);
        body.to_owned()
    })
}

/// The files of a skill, relative to its directory, sorted; a flat skill has one.
pub fn files(place: &Place) -> Vec<String> {
    if let Some(files) = bundled::files(place) {
        return files.iter().map(|file| file.path.to_owned()).collect();
    }
    if place.flat {
        return vec![place.file.to_string()];
    }
    let files = Listing::of(&place.directory).files;
    files.into_iter().map(|file| file.to_string_lossy().into_owned()).collect()
}

/// Whether two skills are equal throughout; what Guildhall ships can only be the second.
pub fn same_content(a: &Place, b: &Place) -> bool {
    if a.flat || b.flat {
        return a.flat && b.flat && same_bytes(&a.path(), &b.path()).unwrap_or(false);
    }
    if let Some(shipped) = bundled::files(b) {
        let is_equal =
            |file: &BundledFile| fs::read(a.directory.join(file.path)).is_ok_and(|bytes| bytes == file.bytes);
        return files(a) == files(b) && shipped.iter().all(is_equal);
    }
    let real = |place: &Place| place.directory.canonicalize().ok();
    if real(a).is_some_and(|a| Some(a) == real(b)) {
        return true;
    }
    let (ours, theirs) = (Listing::of(&a.directory), Listing::of(&b.directory));
    let mut budget = MAX_BYTES;
    let mut is_equal =
        |file: &PathBuf| same_file(&a.directory.join(file), &b.directory.join(file), &mut budget);
    ours.left > 0 && theirs.left > 0 && ours.files == theirs.files && ours.files.iter().all(&mut is_equal)
}

/// The files below a directory, links among them, sorted.
struct Listing {
    files: Vec<PathBuf>,
    /// How many more names would have been looked at.
    left: usize,
}

impl Listing {
    fn of(directory: &Path) -> Self {
        let mut listing = Self { files: Vec::new(), left: MAX_NAMES };
        listing.collect(directory, Path::new(""));
        listing.files.sort();
        listing
    }

    fn collect(&mut self, root: &Path, relative: &Path) {
        for name in directory::names(&root.join(relative)).unwrap_or_default() {
            if self.left == 0 {
                return;
            }
            self.left -= 1;
            let path = relative.join(&name.name);
            if name.kind != Kind::Directory {
                self.files.push(path);
            } else if !skill_files::is_skipped(&name.name) {
                self.collect(root, &path);
            }
        }
    }
}

/// Whether two files are equal: links by where they lead, files by their bytes, anything else never.
fn same_file(a: &Path, b: &Path, budget: &mut u64) -> bool {
    let (Ok(ours), Ok(theirs)) = (fs::symlink_metadata(a), fs::symlink_metadata(b)) else { return false };
    if ours.is_symlink() && theirs.is_symlink() {
        return fs::read_link(a).is_ok_and(|target| fs::read_link(b).is_ok_and(|other| target == other));
    }
    let is_worth_it =
        ours.is_file() && theirs.is_file() && ours.len() == theirs.len() && ours.len() <= *budget;
    *budget = budget.saturating_sub(ours.len());
    is_worth_it && same_bytes(a, b).unwrap_or(false)
}

fn same_bytes(a: &Path, b: &Path) -> io::Result<bool> {
    let (mut ours, mut theirs) = (BufReader::new(File::open(a)?), BufReader::new(File::open(b)?));
    loop {
        let (left, right) = (ours.fill_buf()?, theirs.fill_buf()?);
        let count = left.len().min(right.len());
        if count == 0 {
            return Ok(left.len() == right.len());
        }
        if left.get(..count) != right.get(..count) {
            return Ok(false);
        }
        ours.consume(count);
        theirs.consume(count);
    }
}
