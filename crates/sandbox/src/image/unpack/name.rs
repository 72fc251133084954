//! The names of entries: where in the image they lie, or why they may not.

use crate::image::error::{ImageError, shown};

const LONGEST: usize = 4096;
const LONGEST_PART: usize = 255;
const DEEPEST: usize = 128;

/// A path beneath the root, as its parts; none is empty, `.` or `..`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name<'a>(Vec<&'a [u8]>);

/// An entry that takes something of the layers below away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whiteout<'a> {
    /// What has this name in the same directory.
    One(&'a [u8]),
    /// All that the directory holds.
    Everything,
    /// Nothing: a note of the file system that the layer was made on.
    Bookkeeping,
}

impl<'a> Name<'a> {
    /// The place that an archive means. A slash in front means the image's root, as everywhere else in it.
    pub fn parse(path: &'a [u8]) -> Result<Name<'a>, ImageError> {
        if path.len() >= LONGEST || path.contains(&0) {
            return Err(ImageError::harmful(path, "is no path"));
        }
        let parts: Vec<&[u8]> =
            path.split(|byte| *byte == b'/').filter(|part| !part.is_empty() && *part != b".").collect();
        if parts.contains(&&b".."[..]) {
            return Err(ImageError::harmful(path, "leads upwards"));
        }
        if parts.len() > DEEPEST {
            return Err(ImageError::harmful(path, "lies too deep"));
        }
        if parts.iter().any(|part| part.len() > LONGEST_PART) {
            return Err(ImageError::invalid(shown(path), "a part of its name is too long"));
        }
        Ok(Name(parts))
    }

    pub fn parts(&self) -> &[&'a [u8]] {
        &self.0
    }

    /// The directory and the name in it; `None` for the root itself.
    pub fn split(&self) -> Option<(&[&'a [u8]], &'a [u8])> {
        self.0.split_last().map(|(last, parent)| (parent, *last))
    }

    /// Another name in the same directory.
    pub fn sibling(&self, name: &'a [u8]) -> Name<'a> {
        let mut parts = self.0.clone();
        parts.pop();
        parts.push(name);
        Name(parts)
    }

    /// The directory that it lies in.
    pub fn parent(&self) -> Name<'a> {
        let mut parts = self.0.clone();
        parts.pop();
        Name(parts)
    }

    /// The path in its one form.
    pub fn joined(&self) -> Vec<u8> {
        self.0.join(&b'/')
    }
}

impl<'a> Whiteout<'a> {
    /// What an entry of this name takes away, if it does.
    pub fn parse(name: &'a [u8], path: &[u8]) -> Result<Option<Whiteout<'a>>, ImageError> {
        let Some(hidden) = name.strip_prefix(b".wh.") else { return Ok(None) };
        match hidden {
            b".wh..opq" => Ok(Some(Whiteout::Everything)),
            b"" | b"." | b".." => Err(ImageError::harmful(path, "takes away what is not its own to take")),
            _ if hidden.starts_with(b".wh.") => Ok(Some(Whiteout::Bookkeeping)),
            _ => Ok(Some(Whiteout::One(hidden))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(path: &str) -> Result<String, String> {
        let joined = |name: Name<'_>| String::from_utf8(name.joined()).unwrap();
        Name::parse(path.as_bytes()).map(joined).map_err(|error| error.to_string())
    }

    #[test]
    fn every_spelling_of_a_place_is_one() {
        for path in ["a/b", "./a/b", "/a/b", "//a//b/", "a/./b/."] {
            assert_eq!(parsed(path), Ok("a/b".to_owned()), "{path}");
        }
        for path in ["", "/", ".", "./"] {
            assert_eq!(parsed(path), Ok(String::new()), "{path}");
        }
    }

    #[test]
    fn what_leads_out_is_refused() {
        for path in ["..", "../a", "a/..", "a/../b", "/../etc", "./..//x"] {
            assert_eq!(parsed(path), Err(format!("the image holds `{path}`, which leads upwards")));
        }
        assert_eq!(parsed("...").as_deref(), Ok("..."));
        assert!(parsed("a\0b").is_err());
        assert!(parsed(&"a/".repeat(129)).is_err());
        assert!(parsed(&"a".repeat(256)).is_err());
        assert!(parsed(&"a".repeat(5000)).is_err());
    }

    #[test]
    fn only_names_in_the_same_directory_are_taken_away() {
        let whiteout =
            |name: &'static str| Whiteout::parse(name.as_bytes(), b"p").map_err(|error| error.to_string());
        assert_eq!(whiteout("a"), Ok(None));
        assert_eq!(whiteout(".wh.a"), Ok(Some(Whiteout::One(b"a"))));
        assert_eq!(whiteout(".wh..hidden"), Ok(Some(Whiteout::One(b".hidden"))));
        assert_eq!(whiteout(".wh..wh..opq"), Ok(Some(Whiteout::Everything)));
        assert_eq!(whiteout(".wh..wh.plnk"), Ok(Some(Whiteout::Bookkeeping)));
        for name in [".wh.", ".wh..", ".wh..."] {
            assert!(whiteout(name).is_err(), "{name}");
        }
    }
}
