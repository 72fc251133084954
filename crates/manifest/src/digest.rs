//! SHA-256 digests, the one way content is named.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::fmt;

/// A SHA-256 digest, written `sha256:` and 64 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of some bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The digest of several parts, each with its length, so that no two lists of parts have one digest.
    pub fn of_parts<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut builder = DigestBuilder::default();
        for part in parts {
            builder.add(&(part.len() as u64).to_le_bytes());
            builder.add(part);
        }
        builder.finish()
    }

    /// The bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The hexadecimal digits alone.
    pub fn to_hex(&self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// A digest of bytes that come in pieces.
#[derive(Debug, Clone, Default)]
pub struct DigestBuilder(Sha256);

impl DigestBuilder {
    /// Adds bytes.
    pub fn add(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The digest of everything that was added.
    pub fn finish(self) -> Digest {
        Digest(self.0.finalize().into())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha256:{}", self.to_hex())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_written_with_its_algorithm() {
        let empty = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(Digest::of(b"").to_string(), empty);
    }

    #[test]
    fn parts_cannot_be_shifted_into_each_other() {
        let digest = |parts: &[&str]| Digest::of_parts(parts.iter().map(|part| part.as_bytes()));
        assert_ne!(digest(&["ab", "c"]), digest(&["a", "bc"]));
    }
}
