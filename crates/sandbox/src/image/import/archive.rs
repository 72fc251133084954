//! The members of an archive that stays as it is: where each lies in the file.

use std::collections::HashMap;
use std::io::{self, Read, Seek, SeekFrom};
use std::rc::Rc;

use tar::{Archive, EntryType};

use super::Blobs;
use crate::image::error::{ImageError, shown};
use crate::image::guard::Guard;
use crate::image::section::Section;

/// Members that an image's archive may have: a few for each of its layers.
const MOST: usize = 10_000;

/// Bytes of a member's name and of where it leads: all of them are held in memory.
const LONGEST: usize = 4096;

/// The members of an archive by name.
#[derive(Debug)]
pub struct Members {
    what: String,
    bytes: Section,
    members: HashMap<String, Member>,
}

#[derive(Clone, Debug)]
enum Member {
    /// A file: where it begins, and how long it is.
    File(u64, u64),
    /// Another name of a member. Old archives name a layer that occurs twice so.
    Link(String),
}

/// A section that can be read from anywhere, as the tar reader wants it.
struct Seeking {
    whole: Section,
    rest: Section,
}

impl Members {
    /// Goes through an archive without reading its files.
    pub fn read(what: &str, bytes: Section) -> Result<Members, ImageError> {
        let reading = |error| ImageError::reading(what, error);
        let invalid = |reason: String| ImageError::invalid(what, reason);
        let guard = Guard::new(Seeking { whole: bytes.clone(), rest: bytes.clone() });
        let watch = Rc::clone(&guard.watch);
        let mut archive = Archive::new(guard);
        let mut members = HashMap::new();
        for entry in archive.entries_with_seek().map_err(reading)? {
            let entry = entry.map_err(reading)?;
            let path = entry.path_bytes().into_owned();
            if path.len().max(entry.link_name_bytes().map_or(0, |target| target.len())) > LONGEST {
                return Err(invalid(format!("`{}` has too long a name", shown(&path))));
            }
            let Ok(name) = std::str::from_utf8(path.strip_prefix(b"./").unwrap_or(&path)) else {
                return Err(invalid(format!("it holds `{}`, which is no text", shown(&path))));
            };
            let member = match entry.header().entry_type() {
                EntryType::Regular | EntryType::Continuous => {
                    let (start, size) = (entry.raw_file_position(), entry.size());
                    if start.checked_add(size).is_none_or(|end| end > bytes.size) {
                        return Err(invalid(format!("`{}` is cut short", shown(&path))));
                    }
                    Member::File(start, size)
                }
                EntryType::Symlink => {
                    let target = entry.link_name_bytes().unwrap_or_default();
                    Member::Link(resolve(name, &String::from_utf8_lossy(&target)))
                }
                _ => {
                    watch.expect_header();
                    continue;
                }
            };
            // Two of one name would let two readers see two images.
            if members.insert(name.to_owned(), member).is_some() {
                return Err(invalid(format!("`{}` stands twice in it", shown(&path))));
            }
            if members.len() > MOST {
                return Err(ImageError::TooLarge { what: "members", limit: MOST as u64 });
            }
            watch.expect_header();
        }
        Ok(Members { what: what.to_owned(), bytes, members })
    }

    /// What the archive is called.
    pub fn what(&self) -> &str {
        &self.what
    }

    /// Whether there is such a member.
    pub fn holds(&self, name: &str) -> bool {
        self.members.contains_key(name)
    }
}

impl Blobs for Members {
    fn file(&self, path: &str) -> Result<Option<Section>, ImageError> {
        let member = match self.members.get(path) {
            Some(Member::Link(target)) => self.members.get(target),
            member => member,
        };
        let Some(Member::File(start, size)) = member else { return Ok(None) };
        Ok(Some(self.bytes.part(*start, *size)))
    }
}

/// Where a link beside `name` leads, by its words alone; upwards no further than the top.
fn resolve(name: &str, target: &str) -> String {
    let mut parts: Vec<&str> = name.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

impl Read for Seeking {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.rest.read(buffer)
    }
}

impl Seek for Seeking {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = self.whole.size - self.rest.size;
        let position = match to {
            SeekFrom::Start(position) => Some(position),
            SeekFrom::Current(by) => at.checked_add_signed(by),
            SeekFrom::End(by) => self.whole.size.checked_add_signed(by),
        };
        let position = position.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        let position = position.min(self.whole.size);
        self.rest = self.whole.part(position, self.whole.size - position);
        Ok(position)
    }
}
