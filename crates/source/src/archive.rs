//! Archives: zip and tar, packed by gzip, xz or Zstandard or not at all, told by what they begin with, unpacked below a fresh directory or not at all.
//!
//! An archive is a stranger's: every name, kind and size in it is looked at, what it claims of its sizes counts for nothing, and one
//! bad entry refuses all of it. Whoever calls removes the directory where it is refused.

mod pack;
mod tar_file;
mod zip_file;

use crate::landing::{Bounds, Landing, LandingError, Strictness, Unsafe, refused};
use crate::store::is_executable;
use flate2::read::MultiGzDecoder;
use lzma_rust2::XzReader;
use ruzstd::decoding::StreamingDecoder;
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
/// How much a bundle may hold: what thousands of skills together have.
const MOST_OF_A_BUNDLE: Bounds = Bounds { names: 500_000, bytes: 4 * 1024 * 1024 * 1024 };
/// Memory that xz may ask for: as much as its strongest setting needs.
const XZ_MEMORY_KIB: u32 = 128 << 10;
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
    #[error("{} is no zip or tar archive", .path.display())]
    NoArchive {
        /// The file.
        path: PathBuf,
    },
    /// It is packed in a way that nobody unpacks here.
    #[error("{} is packed by {by}, which is not unpacked here; zip, tar, tar.gz, tar.xz and tar.zst are", .path.display())]
    Packed {
        /// The file.
        path: PathBuf,
        /// The program.
        by: &'static str,
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
    TarXz,
    TarZst,
    /// By a program whose archives are not unpacked.
    Other(&'static str),
}

/// Unpacks an archive into a directory that is there and empty.
///
/// # Errors
/// Where it cannot be read, is none, or holds something that is refused. What has landed by then is for the caller to remove.
pub fn unpack(path: &Path, into: &Path) -> Result<(), ArchiveError> {
    unpack_parts(&[Part { path, title: None }], into)
}

/// Unpacks an archive of ours, which holds what many have: it may be larger, and is no more trusted.
///
/// # Errors
/// As [`unpack`].
pub fn unpack_bundle(path: &Path, into: &Path) -> Result<(), ArchiveError> {
    unpack_within(&[Part { path, title: None }], into, MOST_OF_A_BUNDLE)
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
    unpack_within(parts, into, Bounds { names: MAX_NAMES, bytes: MAX_BYTES })
}

fn unpack_within(parts: &[Part<'_>], into: &Path, most: Bounds) -> Result<(), ArchiveError> {
    let mut opened = Vec::new();
    for part in parts {
        let read = |source| ArchiveError::Read { path: part.path.to_owned(), source };
        let mut file = File::open(part.path).map_err(read)?;
        let size = file.metadata().map_err(read)?.len();
        let form = sniff(&mut file).map_err(read)?;
        opened.push((part, file, size, form));
    }
    let sizes = opened.iter().map(|(_, _, size, _)| *size);
    let bounds = bounds(sizes.fold(0, u64::saturating_add), most);
    let mut landing = Landing::new(into, Strictness::Archive, bounds);
    for (part, mut file, size, form) in opened {
        match (form, part.title) {
            (Some(Form::Other(by)), None) => {
                return Err(ArchiveError::Packed { path: part.path.to_owned(), by });
            }
            (Some(Form::Other(_)), Some(title)) => drop(landing.file(title, false, &mut file)?),
            (Some(form), _) => land(file, form, (self::bounds(size, most), &mut landing))?,
            (None, Some(title)) => drop(landing.file(title, false, &mut file)?),
            (None, None) => return Err(ArchiveError::NoArchive { path: part.path.to_owned() }),
        }
    }
    landing.finish()?;
    Ok(())
}

fn land(file: File, form: Form, (bounds, landing): (Bounds, &mut Landing)) -> Result<(), LandingError> {
    let broken = |error: &dyn std::error::Error| LandingError::Broken(error.to_string());
    // What stands between the entries is unpacked too, and is not to go on for ever either.
    let most = bounds.bytes.saturating_mul(2);
    let plain: Box<dyn Read> = match form {
        Form::Zip => return zip_file::land(file, landing),
        Form::Tar | Form::Other(_) => Box::new(file),
        Form::TarGz => Box::new(MultiGzDecoder::new(BufReader::new(file)).take(most)),
        Form::TarXz => {
            Box::new(XzReader::new_mem_limit(BufReader::new(file), true, XZ_MEMORY_KIB).take(most))
        }
        Form::TarZst => {
            let decoder = StreamingDecoder::new(BufReader::new(file)).map_err(|error| broken(&error))?;
            Box::new(decoder.take(most))
        }
    };
    tar_file::land(BufReader::new(plain), landing)
}

/// How much may come out of an archive of this size.
fn bounds(size: u64, most: Bounds) -> Bounds {
    let by_ratio = size.saturating_mul(MAX_RATIO).max(WORTH_ASKING);
    Bounds { bytes: most.bytes.min(by_ratio), ..most }
}

fn sniff(file: &mut File) -> io::Result<Option<Form>> {
    let mut head = Vec::new();
    file.take(512).read_to_end(&mut head)?;
    file.seek(SeekFrom::Start(0))?;
    Ok(match head.as_slice() {
        [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => Some(Form::Zip),
        [0x1f, 0x8b, ..] => Some(Form::TarGz),
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Some(Form::TarXz),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Form::TarZst),
        [b'B', b'Z', b'h', ..] => Some(Form::Other("bzip2")),
        [b'7', b'z', 0xbc, 0xaf, ..] => Some(Form::Other("7-Zip")),
        [b'R', b'a', b'r', b'!', ..] => Some(Form::Other("RAR")),
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
