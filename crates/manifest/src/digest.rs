//! SHA-256 digests, the one way content is named.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use sha2::{Digest as _, Sha256};
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

/// A SHA-256 digest, written `sha256:` and 64 hexadecimal digits, in text formats too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

/// A text that is no digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a digest is `sha256:` and 64 lower-case hexadecimal digits")]
pub struct NotADigest;

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

    /// The digest that has these bytes.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The hexadecimal digits alone.
    pub fn to_hex(&self) -> String {
        let digits = self.0.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        digits.filter_map(|digit| char::from_digit(u32::from(digit), 16)).collect()
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

impl FromStr for Digest {
    type Err = NotADigest;

    fn from_str(text: &str) -> Result<Self, NotADigest> {
        let hex = text.strip_prefix("sha256:").ok_or(NotADigest)?.as_bytes();
        let (pairs, rest) = hex.as_chunks::<2>();
        let mut bytes = [0; 32];
        if pairs.len() != bytes.len() || !rest.is_empty() {
            return Err(NotADigest);
        }
        for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
            *byte = nibble(*high)? << 4 | nibble(*low)?;
        }
        Ok(Self(bytes))
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.collect_str(self)
        } else {
            self.0.serialize(serializer)
        }
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            Cow::<str>::deserialize(deserializer)?.parse().map_err(de::Error::custom)
        } else {
            Deserialize::deserialize(deserializer).map(Self)
        }
    }
}

/// One digit; capitals are none, lest one digest have two spellings.
fn nibble(digit: u8) -> Result<u8, NotADigest> {
    match digit {
        b'0'..=b'9' => Ok(digit - b'0'),
        b'a'..=b'f' => Ok(digit - b'a' + 10),
        _ => Err(NotADigest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_written_with_its_algorithm() {
        let empty = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(Digest::of(b"").to_string(), empty);
        assert_eq!(empty.parse(), Ok(Digest::of(b"")));
        assert_eq!(serde_json::to_string(&Digest::of(b"")).unwrap(), format!("\"{empty}\""));
        assert_eq!(serde_json::from_str::<Digest>(&format!("\"{empty}\"")).unwrap(), Digest::of(b""));
    }

    #[test]
    fn a_digest_has_one_spelling() {
        let digits = Digest::of(b"").to_hex();
        for text in [
            digits.clone(),
            format!("sha256:{}", digits.to_uppercase()),
            format!("sha256:{digits}0"),
            format!("sha256:{digits}00"),
            format!("sha256:{}", &digits[1..]),
            format!("SHA256:{digits}"),
            format!(" sha256:{digits}"),
        ] {
            assert_eq!(text.parse::<Digest>(), Err(NotADigest), "{text}");
        }
    }

    #[test]
    fn parts_cannot_be_shifted_into_each_other() {
        let digest = |parts: &[&str]| Digest::of_parts(parts.iter().map(|part| part.as_bytes()));
        assert_ne!(digest(&["ab", "c"]), digest(&["a", "bc"]));
    }
}
