//! A part of a file, read on its own.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt as _;
use std::sync::Arc;

use super::digest::Digest;
use super::error::ImageError;

/// A part of a file. Clones read from the beginning, each for itself.
#[derive(Clone, Debug)]
pub struct Section {
    file: Arc<File>,
    offset: u64,
    /// How many bytes are left.
    pub size: u64,
}

impl Section {
    /// A part of this part; as much of it as there is.
    pub fn part(&self, offset: u64, size: u64) -> Section {
        let offset = offset.min(self.size);
        let size = size.min(self.size - offset);
        Section { file: Arc::clone(&self.file), offset: self.offset + offset, size }
    }

    /// A whole file.
    pub fn whole(file: File) -> io::Result<Section> {
        let size = file.metadata()?.len();
        Ok(Section { file: Arc::new(file), offset: 0, size })
    }

    /// The bytes of a document, which has no more than `limit` of them.
    pub fn read_document(mut self, what: &str, limit: u64) -> Result<Vec<u8>, ImageError> {
        if self.size > limit {
            return Err(ImageError::TooLarge { what: "bytes in a document", limit });
        }
        let mut bytes = Vec::new();
        self.read_to_end(&mut bytes).map_err(|error| ImageError::reading(what, error))?;
        Ok(bytes)
    }

    /// The bytes of a document that has the digest it is named by.
    pub fn read_named(self, what: &str, digest: &Digest, limit: u64) -> Result<Vec<u8>, ImageError> {
        let bytes = self.read_document(what, limit)?;
        let found = Digest::of(&bytes);
        if found != *digest {
            return Err(ImageError::Mismatch { what: what.to_owned(), expected: *digest, found });
        }
        Ok(bytes)
    }
}

impl Read for Section {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let room = usize::try_from(self.size).unwrap_or(usize::MAX).min(buffer.len());
        let Some(buffer) = buffer.get_mut(..room).filter(|buffer| !buffer.is_empty()) else { return Ok(0) };
        let count = self.file.read_at(buffer, self.offset)?;
        if count == 0 {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it is cut short"));
        }
        self.offset += count as u64;
        self.size -= count as u64;
        Ok(count)
    }
}
