//! Archives: zip, tar and tar.gz, told by what they begin with, unpacked below a fresh directory or not at all.
//!
//! An archive is a stranger's: every name, kind and size in it is looked at, what it claims of its sizes counts for nothing, and one
//! bad entry refuses all of it. Whoever calls removes the directory where it is refused.

mod pack;
mod tar_file;
mod zip_file;

use crate::landing::{Bounds, Landing, LandingError, Strictness, Unsafe, refused};
use crate::store::is_executable;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

pub use pack::Packer;

/// How many names an archive may hold.
pub const MAX_NAMES: u64 = 10_000;
/// How many bytes an archive may unpack to.
pub const MAX_BYTES: u64 = 256 * 1024 * 1024;
/// How many times its own size an archive may unpack to, once that is worth asking.
pub const MAX_RATIO: u64 = 200;
/// Below this nothing is a bomb.
const WORTH_ASKING: u64 = 4 * 1024 * 1024;

/// Why an archive was not unpacked.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// It cannot be read.
    #[error("cannot read {}", .path.display())]
    Read {
        /// The archive.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It is none, or one of another kind.
    #[error("{} is no zip, tar or tar.gz archive", .path.display())]
    NoArchive {
        /// The file.
        path: PathBuf,
    },
    /// Something in it is refused, or it is broken.
    #[error(transparent)]
    Landing(#[from] LandingError),
}

/// What a file begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Zip,
    Tar,
    TarGz,
}

/// Unpacks an archive into a directory that is there and empty.
///
/// # Errors
/// Where it cannot be read, is none, or holds something that is refused. What has landed by then is for the caller to remove.
pub fn unpack(path: &Path, into: &Path) -> Result<(), ArchiveError> {
    unpack_parts(&[Part { path, title: None }], into)
}

/// One of several files that make up a whole.
#[derive(Debug, Clone, Copy)]
pub struct Part<'a> {
    /// The file.
    pub path: &'a Path,
    /// What it is to be called where it is no archive; nothing where it has to be one.
    pub title: Option<&'a str>,
}

/// Unpacks several archives into one directory that is there and empty, and puts the files among them beside that. No name comes twice.
///
/// # Errors
/// As [`unpack`].
pub fn unpack_parts(parts: &[Part<'_>], into: &Path) -> Result<(), ArchiveError> {
    let mut opened = Vec::new();
    for part in parts {
        let read = |source| ArchiveError::Read { path: part.path.to_owned(), source };
        let mut file = File::open(part.path).map_err(read)?;
        let size = file.metadata().map_err(read)?.len();
        let form = sniff(&mut file).map_err(read)?;
        opened.push((part, file, size, form));
    }
    let sizes = opened.iter().map(|(_, _, size, _)| *size);
    let mut landing = Landing::new(into, Strictness::Archive, bounds(sizes.fold(0, u64::saturating_add)));
    for (part, mut file, size, form) in opened {
        match (form, part.title) {
            (Some(form), _) => land(file, size, form, &mut landing)?,
            (None, Some(title)) => drop(landing.file(title, false, &mut file)?),
            (None, None) => return Err(ArchiveError::NoArchive { path: part.path.to_owned() }),
        }
    }
    landing.finish()?;
    Ok(())
}

fn land(file: File, size: u64, form: Form, landing: &mut Landing) -> Result<(), LandingError> {
    match form {
        Form::Zip => zip_file::land(file, landing),
        Form::Tar => tar_file::land(BufReader::new(file), landing),
        Form::TarGz => {
            let plain = flate2::read::MultiGzDecoder::new(BufReader::new(file));
            // What stands between the entries is unpacked too, and is not to go on for ever either.
            tar_file::land(BufReader::new(plain.take(bounds(size).bytes.saturating_mul(2))), landing)
        }
    }
}

/// How much may come out of an archive of this size.
fn bounds(size: u64) -> Bounds {
    let by_ratio = size.saturating_mul(MAX_RATIO).max(WORTH_ASKING);
    Bounds { names: MAX_NAMES, bytes: MAX_BYTES.min(by_ratio) }
}

fn sniff(file: &mut File) -> io::Result<Option<Form>> {
    let mut head = Vec::new();
    file.take(512).read_to_end(&mut head)?;
    file.seek(SeekFrom::Start(0))?;
    Ok(match head.as_slice() {
        [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => Some(Form::Zip),
        [0x1f, 0x8b, ..] => Some(Form::TarGz),
        head if head.get(257..262) == Some(b"ustar".as_slice()) => Some(Form::Tar),
        _ => None,
    })
}

/// The mode of an entry, if it lends nobody's rights; whether it can be executed.
fn executable(path: &str, mode: u32) -> Result<bool, LandingError> {
    if mode & 0o6000 != 0 {
        return Err(refused(path, Unsafe::SetId));
    }
    Ok(is_executable(mode))
}
