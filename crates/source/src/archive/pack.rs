//! Packing: files with their names into a tar.gz that is the same whenever the files are. What may be in it is not asked.

use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::{self, Write};
use tar::{Builder, Header};

/// An archive that is being written.
pub struct Packer<W: Write> {
    builder: Builder<GzEncoder<W>>,
}

impl<W: Write> Packer<W> {
    /// An archive with nothing in it yet.
    pub fn new(out: W) -> Self {
        Self { builder: Builder::new(GzEncoder::new(out, Compression::default())) }
    }

    /// Adds a file.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn add(&mut self, path: &str, bytes: &[u8]) -> io::Result<()> {
        let mut header = Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        header.set_mtime(0);
        self.builder.append_data(&mut header, path, bytes)
    }

    /// Ends it.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn finish(self) -> io::Result<W> {
        self.builder.into_inner()?.finish()
    }
}
