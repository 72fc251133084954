//! Paths as text in replies: what is no UTF-8 becomes replacement characters, so that one odd name never costs a reply.

use serde::Serializer;
use serde::ser::SerializeSeq as _;
use std::path::Path;

/// One path.
pub fn path<S: Serializer>(path: &impl AsRef<Path>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&path.as_ref().to_string_lossy())
}

/// Several paths.
pub fn paths<S: Serializer, P: AsRef<Path>>(
    paths: &impl AsRef<[P]>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let paths = paths.as_ref();
    let mut list = serializer.serialize_seq(Some(paths.len()))?;
    for path in paths {
        list.serialize_element(&path.as_ref().to_string_lossy())?;
    }
    list.end()
}
