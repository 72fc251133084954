//! The names in a directory that is no skill, as the index keeps them: while the directory is as it was, it need not be listed and
//! its names need not be sorted again.
//!
//! Whether it is as it was is asked of its stamp, as of everything else.

use crate::directory::{Kind, Name};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;

/// One name.
#[derive(Serialize, Deserialize)]
struct Listed<'a> {
    name: &'a str,
    kind: Kind,
    inode: u64,
}

/// Under what the names of a directory are kept, given what a skill there would be kept under: no skill's path ends so.
pub fn key(path: &str) -> String {
    [path, "/"].concat()
}

/// The names as bytes. `None` where there is a link, which may come to lead elsewhere without a trace in the directory, or a
/// name that is no text.
pub fn write(names: &[Name]) -> Option<Vec<u8>> {
    let mut bytes = u32::try_from(names.len()).ok()?.to_le_bytes().to_vec();
    for Name { name, kind, inode } in names {
        let name = name.to_str().filter(|_| *kind != Kind::Link)?;
        bytes = postcard::to_extend(&Listed { name, kind: *kind, inode: *inode }, bytes).ok()?;
    }
    Some(bytes)
}

/// The names that were written so.
pub fn read(bytes: &[u8]) -> Option<Vec<Name>> {
    let (count, mut rest) = bytes.split_first_chunk()?;
    let count = usize::try_from(u32::from_le_bytes(*count)).ok()?;
    let mut names = Vec::with_capacity(count.min(rest.len()));
    while !rest.is_empty() {
        let (Listed { name, kind, inode }, behind) = postcard::take_from_bytes(rest).ok()?;
        names.push(Name { name: OsString::from(name), kind, inode });
        rest = behind;
    }
    (names.len() == count).then_some(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(name: &str, kind: Kind) -> Name {
        Name { name: name.into(), kind, inode: 7 }
    }

    #[test]
    fn names_are_read_as_they_were_written() {
        let written = write(&[name("a", Kind::Directory), name("größe", Kind::File), name("p", Kind::Other)]);
        let shown: Vec<_> = read(&written.unwrap())
            .unwrap()
            .into_iter()
            .map(|Name { name, kind, inode }| (name.into_string().unwrap(), kind, inode))
            .collect();
        let expected = [("a", Kind::Directory, 7), ("größe", Kind::File, 7), ("p", Kind::Other, 7)];
        assert_eq!(shown, expected.map(|(name, kind, inode)| (name.to_owned(), kind, inode)));
    }

    #[test]
    fn a_directory_with_a_link_is_listed_every_time() {
        assert!(write(&[name("a", Kind::Directory), name("b", Kind::Link)]).is_none());
    }

    #[test]
    fn names_that_were_cut_off_are_none() {
        let written = write(&[name("a", Kind::Directory), name("b", Kind::File)]).unwrap();
        assert!((0..written.len()).all(|end| read(written.get(..end).unwrap()).is_none()));
    }
}
