//! SHA-256 digests: the one way in which images, layers, trees and files are named here.
//!
//! Other algorithms are refused, not translated.

use std::fmt;
use std::io::{self, Read, Write};
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use sha2::{Digest as _, Sha256};

const PREFIX: &str = "sha256:";

/// A SHA-256 digest, written `sha256:` and 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

/// Text that is no digest.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no digest of the form `sha256:` and 64 hexadecimal digits")]
pub struct NoDigest {
    /// What was read.
    pub text: String,
}

/// Reads through and digests what passes.
#[derive(Debug)]
pub struct Digesting<R> {
    inner: R,
    hasher: Sha256,
    passed: u64,
}

impl Digest {
    /// The digest of some bytes.
    pub fn of(bytes: &[u8]) -> Digest {
        Digest(Sha256::digest(bytes).into())
    }

    /// The digest that a hasher has come to.
    pub(super) fn of_hasher(hasher: Sha256) -> Digest {
        Digest(hasher.finalize().into())
    }

    /// The hexadecimal digits alone.
    pub fn hex(&self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// A digest from its hexadecimal digits, in lower case as everybody writes them.
    pub fn from_hex(hex: &str) -> Option<Digest> {
        let digit = |byte: u8| match byte {
            b'0'..=b'9' => Some(byte - b'0'),
            b'a'..=b'f' => Some(byte - b'a' + 10),
            _ => None,
        };
        let digits: Vec<u8> = hex.bytes().map(digit).collect::<Option<_>>()?;
        let bytes: Vec<u8> = digits
            .chunks_exact(2)
            .filter_map(|pair| match pair {
                [high, low] => Some(high << 4 | low),
                _ => None,
            })
            .collect();
        if digits.len() == 64 { bytes.try_into().ok().map(Digest) } else { None }
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}", self.hex())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Digest {
    type Err = NoDigest;

    fn from_str(text: &str) -> Result<Digest, NoDigest> {
        let digest = text.strip_prefix(PREFIX).and_then(Digest::from_hex);
        digest.ok_or_else(|| NoDigest { text: text.chars().take(100).collect() })
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Digest, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

impl<R> Digesting<R> {
    /// Digests what will be read from `inner`.
    pub fn new(inner: R) -> Digesting<R> {
        Digesting { inner, hasher: Sha256::new(), passed: 0 }
    }

    /// The digest of what was read, and how many bytes that was.
    pub fn finish(self) -> (Digest, u64) {
        (Digest::of_hasher(self.hasher), self.passed)
    }
}

/// Copies `from` to `to`, at most `limit` bytes and one more, and says their digest and how many there were.
pub(super) fn copy_digested(from: impl Read, to: &mut impl Write, limit: u64) -> io::Result<(Digest, u64)> {
    let mut from = Digesting::new(from.take(limit.saturating_add(1)));
    io::copy(&mut from, to)?;
    Ok(from.finish())
}

impl<R: Read> Read for Digesting<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.hasher.update(buffer.get(..count).unwrap_or_default());
        self.passed += count as u64;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: &str = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    #[test]
    fn a_digest_is_written_and_read_in_one_form() {
        assert_eq!(Digest::of(b"").to_string(), EMPTY);
        assert_eq!(EMPTY.parse(), Ok(Digest::of(b"")));
    }

    #[test]
    fn what_is_no_digest_is_told_shortened() {
        let upper = EMPTY.to_uppercase().replacen("SHA", "sha", 1);
        for text in ["", "sha256:", "sha512:00", "sha256:../../etc", &EMPTY[7..], &EMPTY[..70], &upper] {
            assert!(text.parse::<Digest>().is_err(), "{text}");
        }
        let long = "x".repeat(1000).parse::<Digest>().unwrap_err();
        assert_eq!(long.text.len(), 100);
    }

    #[test]
    fn what_is_read_through_is_digested() {
        let mut reader = Digesting::new(&b"abc"[..]);
        io::copy(&mut reader, &mut io::sink()).unwrap();
        assert_eq!(reader.finish(), (Digest::of(b"abc"), 3));
    }

    #[test]
    fn a_copy_reads_one_byte_beyond_its_limit_and_no_more() {
        let mut copied = Vec::new();
        let digested = copy_digested(io::repeat(7), &mut copied, 9).unwrap();
        assert_eq!((digested, copied), ((Digest::of(&[7; 10]), 10), vec![7; 10]));
    }
}
