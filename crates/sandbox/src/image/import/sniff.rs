//! What kind of archive it is, told by its first few names.

use std::io;
use std::rc::Rc;

use tar::Archive;

use crate::image::compression::{Compression, Plain};
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

/// Reads names until one of them tells.
pub fn shape(what: &str, plain: &mut Plain<'_>) -> Result<Shape, ImageError> {
    let compression = plain.compression;
    let guard = Guard::new(plain);
    let watch = Rc::clone(&guard.watch);
    let mut archive = Archive::new(guard);
    let reading = |error| ImageError::reading(what, error);
    let mut is_empty = true;
    for entry in archive.entries().map_err(reading)? {
        let mut entry = entry.map_err(|error| match error.raw_os_error() {
            // What the tar reader says of a file that is none is of no use to anybody.
            None if is_empty && compression == Compression::None => {
                ImageError::invalid(what, "it is neither an archive nor a directory with an OCI layout")
            }
            _ => reading(error),
        })?;
        let path = entry.path_bytes();
        let name = path.strip_prefix(b"./").unwrap_or(&path);
        is_empty = false;
        match name {
            b"oci-layout" | b"index.json" | b"manifest.json" => return Ok(Shape::Archive),
            _ if is_part(name) => {}
            _ => return Ok(Shape::RootFileSystem),
        }
        watch.expect_data();
        io::copy(&mut entry, &mut io::sink()).map_err(reading)?;
        watch.expect_header();
    }
    if is_empty {
        return Err(ImageError::invalid(what, "it holds no file"));
    }
    Ok(Shape::RootFileSystem)
}

/// Whether an image in parts may hold such a name before one that tells.
fn is_part(name: &[u8]) -> bool {
    let first = name.split(|byte| *byte == b'/').next().unwrap_or_default();
    let stem = first.strip_suffix(b".json").or_else(|| first.strip_suffix(b".tar")).unwrap_or(first);
    let is_hex = stem.len() == 64 && stem.iter().all(u8::is_ascii_hexdigit);
    is_hex || matches!(first, b"" | b"." | b"blobs" | b"repositories")
}
