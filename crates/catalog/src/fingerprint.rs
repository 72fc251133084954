//! Fingerprints: a fast way to tell that content changed.
//!
//! They are no security property. Whoever wants to can make two contents with one fingerprint; what is trusted is named
//! by a SHA-256 digest instead.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use xxhash_rust::xxh3::{Xxh3Default, xxh3_128};

/// A fingerprint of some content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Fingerprint(u128);

impl Fingerprint {
    /// The fingerprint of some bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(xxh3_128(bytes))
    }

    /// The fingerprint as bytes.
    pub const fn to_bytes(self) -> [u8; 16] {
        self.0.to_le_bytes()
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// As bytes: as a number it would be taken apart into pieces of seven bits, and put together again for every skill.
impl Serialize for Fingerprint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.to_bytes())
    }
}

impl<'de> Deserialize<'de> for Fingerprint {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let bytes = <&[u8]>::deserialize(deserializer)?;
        let wrong = |_| D::Error::invalid_length(bytes.len(), &"the sixteen bytes of a fingerprint");
        bytes.try_into().map(|bytes| Self(u128::from_le_bytes(bytes))).map_err(wrong)
    }
}

/// A fingerprint of content that comes in pieces.
#[derive(Clone, Default)]
pub struct Fingerprinter {
    seen: Xxh3Default,
    /// Small pieces wait here: the hash is fast over many bytes and slow over few.
    waiting: Vec<u8>,
}

impl Fingerprinter {
    const MOST_WAITING: usize = 8 * 1024;

    /// Adds a piece.
    pub fn add(&mut self, bytes: &[u8]) {
        self.waiting.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
        self.add_part(bytes);
    }

    /// Adds bytes without their length; those of a whole that is added in parts have the fingerprint of the whole.
    pub fn add_part(&mut self, bytes: &[u8]) {
        if bytes.len() > Self::MOST_WAITING {
            self.seen.update(&std::mem::take(&mut self.waiting));
            return self.seen.update(bytes);
        }
        self.waiting.extend_from_slice(bytes);
        if self.waiting.len() > Self::MOST_WAITING {
            self.seen.update(&self.waiting);
            self.waiting.clear();
        }
    }

    /// The fingerprint of everything that was added.
    pub fn finish(mut self) -> Fingerprint {
        self.seen.update(&self.waiting);
        Fingerprint(self.seen.digest128())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cannot_be_shifted_into_each_other() {
        let of = |pieces: &[&str]| {
            let mut all = Fingerprinter::default();
            pieces.iter().for_each(|piece| all.add(piece.as_bytes()));
            all.finish()
        };
        assert_ne!(of(&["ab", "c"]), of(&["a", "bc"]));
    }

    #[test]
    fn parts_have_the_fingerprint_of_the_whole() {
        let whole: Vec<u8> = (0..=u8::MAX).cycle().take(3 * Fingerprinter::MOST_WAITING).collect();
        for length in [1, 7, 255, Fingerprinter::MOST_WAITING, whole.len()] {
            let mut all = Fingerprinter::default();
            whole.chunks(length).for_each(|part| all.add_part(part));
            assert_eq!(all.finish(), Fingerprint::of(&whole));
        }
    }

    #[test]
    fn a_fingerprint_does_not_change_between_releases() {
        assert_eq!(Fingerprint::of(b"guild").to_string(), "f56b0ee6925b59b608fa891fa229bf0a");
    }
}
