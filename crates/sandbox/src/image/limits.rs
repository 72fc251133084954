//! How large an image may be, and how much of that is left.

use super::error::Refusal;

/// How large an image may be. Whatever goes beyond is refused while it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of all its files together, those included that a later layer replaces.
    pub bytes: u64,
    /// Files, directories and links of all its layers together.
    pub entries: u64,
    /// How many times its compressed size it may unpack to.
    pub ratio: u64,
    /// Bytes that may be unpacked before the ratio counts: little data often compresses very well.
    pub ratio_free: u64,
}

/// What is left of the limits while an image is unpacked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    limits: Limits,
    bytes: u64,
    entries: u64,
    text: u64,
}

/// Bytes of paths that are held in memory, for each entry that is allowed; all of them share these.
const TEXT_OF_AN_ENTRY: u64 = 160;

impl Default for Limits {
    fn default() -> Self {
        Limits { bytes: 16 << 30, entries: 1_000_000, ratio: 200, ratio_free: 256 << 20 }
    }
}

impl Limits {
    /// Bytes that the layers may have as archives: what the files may have, and room for headers and padding.
    pub(super) fn stream(&self) -> u64 {
        self.bytes.saturating_add(self.bytes / 4).saturating_add(64 << 20)
    }
}

impl Budget {
    pub fn new(limits: Limits) -> Budget {
        let text = limits.entries.saturating_mul(TEXT_OF_AN_ENTRY);
        Budget { limits, bytes: limits.bytes, entries: limits.entries, text }
    }

    /// Takes bytes of files.
    pub fn take_bytes(&mut self, count: u64) -> Result<(), Refusal> {
        let limit = self.limits.bytes;
        self.bytes = self.bytes.checked_sub(count).ok_or(Refusal::TooLarge { what: "bytes", limit })?;
        Ok(())
    }

    /// Takes entries.
    pub fn take_entries(&mut self, count: u64) -> Result<(), Refusal> {
        let limit = self.limits.entries;
        self.entries = self.entries.checked_sub(count).ok_or(Refusal::TooLarge { what: "entries", limit })?;
        Ok(())
    }

    /// Takes what a path says, which is held in memory.
    pub fn take_text(&mut self, path: &[u8]) -> Result<(), Refusal> {
        let limit = self.limits.entries.saturating_mul(TEXT_OF_AN_ENTRY);
        let left = self.text.checked_sub(path.len() as u64);
        self.text = left.ok_or(Refusal::TooLarge { what: "bytes of names", limit })?;
        Ok(())
    }
}
