//! A reader beneath the tar reader that knows what is being read: headers have a bound of their own, and the end is seen.
//!
//! The tar reader holds long names and extended headers in memory, however long an archive says they are.

use std::cell::Cell;
use std::io::{self, Read, Seek, SeekFrom};
use std::rc::Rc;

/// Bytes that one entry's headers may have, its long names and extended attributes included.
const HEADER: u64 = 1 << 20;

/// The size of a block, of which one full of zeros ends an archive.
const BLOCK: u64 = 512;

/// Reads through, within what the watch allows.
pub struct Guard<R> {
    inner: R,
    pub watch: Rc<Watch>,
}

/// What is being read.
#[derive(Debug)]
pub struct Watch {
    /// Bytes that may still be read.
    allowance: Cell<u64>,
    /// How many zero bytes were read last.
    zeros: Cell<u64>,
}

impl<R> Guard<R> {
    pub fn new(inner: R) -> Guard<R> {
        Guard { inner, watch: Rc::new(Watch { allowance: Cell::new(HEADER), zeros: Cell::new(0) }) }
    }
}

impl Watch {
    /// From here on a header is read.
    pub fn expect_header(&self) {
        self.allowance.set(HEADER);
        self.zeros.set(0);
    }

    /// From here on data are read, which others count.
    pub fn expect_data(&self) {
        self.allowance.set(u64::MAX);
    }

    /// Whether the last header was the block that ends an archive.
    pub fn has_ended(&self) -> bool {
        self.zeros.get() >= BLOCK
    }
}

impl<R: Read> Read for Guard<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        let allowance = self.watch.allowance.get();
        let Some(left) = allowance.checked_sub(count as u64) else {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "an entry's header is too long"));
        };
        self.watch.allowance.set(left);
        let read = buffer.get(..count).unwrap_or_default();
        let zeros = read.iter().rev().take_while(|byte| **byte == 0).count();
        let before = if zeros == count { self.watch.zeros.get() } else { 0 };
        self.watch.zeros.set(before + zeros as u64);
        Ok(count)
    }
}

impl<R: Seek> Seek for Guard<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.inner.seek(to)
    }
}
