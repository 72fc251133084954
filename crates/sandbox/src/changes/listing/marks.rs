//! What overlayfs writes beside content: whiteouts for what was deleted, and attributes.
//!
//! A mount without privileges writes them as `user.overlay.…`, others as `trusted.overlay.…`; the kernel keeps a mount's processes
//! from writing either.

use std::io;
use std::os::fd::AsFd;
use std::path::Path;

use rustix::fs::FileType;
use rustix::io::Errno;

use super::super::change::Node;
use super::super::tree::{Found, Tree};

const NAMESPACES: &[&str] = &["user.overlay", "trusted.overlay"];

/// What overlayfs says of one entry of its upper directory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// It stands for something that was deleted.
    pub whiteout: bool,
    /// It hides what the lower directory has in it.
    pub opaque: bool,
    /// Its content is elsewhere.
    pub redirected: bool,
}

impl Marks {
    /// Reads the marks of what was found at `path` of an upper directory.
    pub fn read(upper: &Tree, path: &Path, found: &Found) -> io::Result<Marks> {
        let mut marks = Marks::default();
        match found {
            Found::Special(FileType::CharacterDevice, stat) => marks.whiteout = stat.st_rdev == 0,
            Found::Node(Node::File { size, .. }, _) => {
                let file = upper.file(path)?;
                marks.whiteout = *size == 0 && attribute(&file, "whiteout")?.is_some();
                marks.redirected = attribute(&file, "metacopy")?.is_some();
            }
            Found::Node(Node::Directory { .. }, _) => match upper.directory(path) {
                Ok(directory) => {
                    marks.opaque = attribute(&directory, "opaque")? == Some(b'y');
                    marks.redirected = attribute(&directory, "redirect")?.is_some();
                }
                // The walk meets this directory again, and refuses it.
                Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {}
                Err(error) => return Err(error),
            },
            _ => {}
        }
        Ok(marks)
    }
}

/// The first byte of an attribute, where it is there; zero where it is empty.
fn attribute(file: impl AsFd, name: &str) -> io::Result<Option<u8>> {
    for namespace in NAMESPACES {
        let mut value = [0; 16];
        match rustix::fs::fgetxattr(&file, format!("{namespace}.{name}"), &mut value) {
            Ok(length) => return Ok(Some(value.first().copied().filter(|_| length > 0).unwrap_or_default())),
            Err(Errno::RANGE) => return Ok(Some(0)),
            Err(Errno::NODATA | Errno::OPNOTSUPP) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(None)
}
