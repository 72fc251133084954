//! What kind of archive it is, told by its names: by the first few of them, where those tell.
//!
//! What others write in the manner of `docker save` names its parts as it likes, and its list of them comes last.

use std::io::{self, Read};
use std::rc::Rc;

use tar::Archive;

use crate::image::compression::{Compression, Plain};
use crate::image::documents::{MANIFEST_BYTES, Saved};
use crate::image::error::ImageError;
use crate::image::guard::Guard;

/// What an archive holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// An image in parts: an OCI layout, or what `docker save` writes.
    Archive,
    /// The files of a root file system themselves.
    RootFileSystem,
}

/// Directories that root file systems begin with, and a file that `docker export` puts before them.
const ROOT: &[&[u8]] = &[
    b".dockerenv",
    b"bin",
    b"boot",
    b"dev",
    b"etc",
    b"home",
    b"lib",
    b"lib64",
    b"media",
    b"mnt",
    b"opt",
    b"proc",
    b"root",
    b"run",
    b"sbin",
    b"srv",
    b"sys",
    b"tmp",
    b"usr",
    b"var",
];

/// What the names before have told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seen {
    Nothing,
    /// Names that parts of an image have.
    Parts,
    /// Names that anything may have.
    Others,
}

/// Reads names until one of them tells.
pub fn shape(what: &str, plain: &mut Plain<'_>) -> Result<Shape, ImageError> {
    let compression = plain.compression;
    let guard = Guard::new(plain);
    let watch = Rc::clone(&guard.watch);
    let mut archive = Archive::new(guard);
    let reading = |error| ImageError::reading(what, error);
    let mut seen = Seen::Nothing;
    for entry in archive.entries().map_err(reading)? {
        let mut entry = match entry {
            Ok(entry) => entry,
            // Whoever unpacks it comes to the same place, and tells of it.
            Err(_) if seen == Seen::Others => break,
            // What the tar reader says of a file that is none is of no use to anybody.
            Err(error)
                if error.raw_os_error().is_none()
                    && seen == Seen::Nothing
                    && compression == Compression::None =>
            {
                let reason = "it is neither an archive nor a directory with an OCI layout";
                return Err(ImageError::invalid(what, reason));
            }
            Err(error) => return Err(reading(error)),
        };
        let path = entry.path_bytes().into_owned();
        let name = path.strip_prefix(b"./").unwrap_or(&path);
        watch.expect_data();
        match name {
            b"oci-layout" | b"index.json" | b"manifest.json" if seen != Seen::Others => {
                return Ok(Shape::Archive);
            }
            b"manifest.json" if lists_images(&mut entry) => return Ok(Shape::Archive),
            _ if ROOT.contains(&first(name)) => return Ok(Shape::RootFileSystem),
            _ if is_part(name) && seen != Seen::Others => seen = Seen::Parts,
            _ => seen = Seen::Others,
        }
        match io::copy(&mut entry, &mut io::sink()) {
            Err(_) if seen == Seen::Others => break,
            copied => copied.map_err(reading)?,
        };
        watch.expect_header();
    }
    match seen {
        Seen::Nothing => Err(ImageError::invalid(what, "it holds no file")),
        Seen::Parts | Seen::Others => Ok(Shape::RootFileSystem),
    }
}

fn first(name: &[u8]) -> &[u8] {
    name.split(|byte| *byte == b'/').next().unwrap_or_default()
}

/// Whether an image in parts may hold such a name before one that tells: a digest, or a word that its writers use.
fn is_part(name: &[u8]) -> bool {
    let first = first(name);
    let stem = first.strip_prefix(b"sha256:").unwrap_or(first);
    let endings = [&b".json"[..], b".tar", b".tar.gz"];
    let stem = endings.iter().find_map(|ending| stem.strip_suffix(*ending)).unwrap_or(stem);
    let is_hex = stem.len() == 64 && stem.iter().all(u8::is_ascii_hexdigit);
    is_hex || matches!(first, b"" | b"." | b"blobs" | b"repositories")
}

/// Whether a file is a list of images, each with its configuration and its layers; a root file system may have a file of that name.
fn lists_images(file: &mut impl Read) -> bool {
    let mut bytes = Vec::new();
    let read = file.take(MANIFEST_BYTES).read_to_end(&mut bytes);
    let listed = read.ok().and_then(|_| serde_json::from_slice::<Vec<Saved>>(&bytes).ok());
    listed.is_some_and(|images| !images.is_empty() && images.iter().all(|image| !image.layers.is_empty()))
}
