//! Images out of files: OCI layouts (directories and archives), `docker save` archives and plain archives of root file systems.
//!
//! What a file is, its content says, not its name.

mod archive;
mod docker;
mod layout;
mod sniff;

use std::fs::File;
use std::io::{self, Read, Seek as _};
use std::path::Path;

use self::archive::Members;
use self::sniff::Shape;
use super::compression::{Compression, decompress};
use super::documents::Config;
use super::error::{ImageError, Refusal};
use super::limits::Limits;
use super::plan::{LayerPlan, Plan};
use super::platform::Platform;
use super::record::Kind;
use super::section::Section;

/// Which image of a source is meant.
#[derive(Clone, Copy, Debug)]
pub struct Choice<'a> {
    /// The one with this name, where a source holds several.
    pub name: Option<&'a str>,
    /// The one for this platform.
    pub platform: &'a Platform,
}

/// Where the blobs of a layout lie.
trait Blobs {
    /// The file at a path of the layout; `None` where there is none.
    fn file(&self, path: &str) -> Result<Option<Section>, ImageError>;
}

/// Finds out what lies at a path and which image of it is meant. A file that has to be unpacked first is written to `spool`.
pub fn plan(
    path: &Path,
    choice: Choice<'_>,
    limits: Limits,
    spool: &dyn Fn() -> io::Result<File>,
) -> Result<Plan, ImageError> {
    let unreadable = |error| ImageError::io("read", path)(error);
    let metadata = std::fs::metadata(path).map_err(unreadable)?;
    if metadata.is_dir() {
        let layout = layout::Directory::open(path)?;
        return layout::plan(&layout, choice);
    }
    if !metadata.is_file() {
        return Err(ImageError::invalid(path.display().to_string(), "it is neither a file nor a directory"));
    }
    let file = File::open(path).map_err(unreadable)?;
    plan_file(&path.display().to_string(), file, choice, limits, spool)
}

/// Copies a stream, which cannot be read twice, to a file.
pub fn spooled(
    what: &str,
    source: &mut dyn Read,
    limits: Limits,
    spool: &dyn Fn() -> io::Result<File>,
) -> Result<File, ImageError> {
    let limit = limits.stream();
    let reading = |error| ImageError::reading(what, error);
    let mut file = spool().map_err(reading)?;
    let copied = io::copy(&mut source.take(limit + 1), &mut file).map_err(reading)?;
    if copied > limit {
        return Err(ImageError::reading(what, Refusal::TooLarge { what: "bytes", limit }.into()));
    }
    file.rewind().map_err(reading)?;
    Ok(file)
}

/// Finds out what a file holds.
pub fn plan_file(
    what: &str,
    file: File,
    choice: Choice<'_>,
    limits: Limits,
    spool: &dyn Fn() -> io::Result<File>,
) -> Result<Plan, ImageError> {
    let reading = |error| ImageError::reading(what, error);
    let section = Section::whole(file).map_err(reading)?;
    let mut plain = decompress(section.clone(), limits).map_err(reading)?;
    let compression = plain.compression;
    match sniff::shape(what, &mut plain)? {
        Shape::RootFileSystem => Ok(plain_root(what, section)),
        Shape::Archive => {
            let section = match compression {
                Compression::None => section,
                // Its parts are read out of order, which no compressed file allows.
                _ => {
                    let mut plain = decompress(section, limits).map_err(reading)?;
                    let file = spooled(what, &mut plain, limits, spool)?;
                    Section::whole(file).map_err(reading)?
                }
            };
            let members = Members::read(what, section)?;
            if members.holds("oci-layout") && members.holds("index.json") {
                layout::plan(&members, choice)
            } else {
                docker::plan(&members, choice)
            }
        }
    }
}

fn plain_root(what: &str, bytes: Section) -> Plan {
    let layer = LayerPlan { what: what.to_owned(), digest: None, diff_id: None, media_type: None, bytes };
    Plan {
        digest: None,
        kind: Kind::Content,
        config: Config::default(),
        layers: vec![layer],
        names: Vec::new(),
    }
}
