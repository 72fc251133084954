//! SHA-256 digests of content, as records name it.

use std::fmt;
use std::io::{self, Read, Write};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// A SHA-256 digest, written `sha256:` and 64 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Digest([u8; 32]);

/// A text that is no digest.
#[derive(Debug, thiserror::Error)]
#[error("a digest is `sha256:` and 64 lower-case hexadecimal digits")]
pub struct DigestFormatError;

impl Digest {
    /// The digest of some bytes.
    pub fn of(bytes: &[u8]) -> Digest {
        Digest(Sha256::digest(bytes).into())
    }

    /// The bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Copies `from` to `to`, at most `limit` bytes and one more, and says how many there were and their digest.
    pub(super) fn copy(from: impl Read, to: &mut impl Write, limit: u64) -> io::Result<(u64, Digest)> {
        let mut from = from.take(limit.saturating_add(1));
        let mut hasher = Sha256::new();
        let mut buffer = vec![0; 64 * 1024];
        let mut total = 0;
        loop {
            let read = match from.read(&mut buffer) {
                Ok(0) => return Ok((total, Digest(hasher.finalize().into()))),
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let piece = buffer.get(..read).unwrap_or_default();
            hasher.update(piece);
            to.write_all(piece)?;
            total += read as u64;
        }
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("sha256:")?;
        self.0.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> String {
        digest.to_string()
    }
}

impl TryFrom<String> for Digest {
    type Error = DigestFormatError;

    fn try_from(text: String) -> Result<Digest, DigestFormatError> {
        let hex = text.strip_prefix("sha256:").filter(|hex| hex.len() == 64).ok_or(DigestFormatError)?;
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(hex.as_bytes().chunks(2)) {
            *byte = super::hex::byte(pair).ok_or(DigestFormatError)?;
        }
        Ok(Digest(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_read_as_it_is_written() {
        let digest = Digest::of(b"");
        let text = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(digest.to_string(), text);
        assert_eq!(Digest::try_from(text.to_owned()).unwrap(), digest);
    }

    #[test]
    fn what_is_no_digest_is_refused() {
        let digits = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b85";
        for text in ["", "sha256:", digits, &format!("sha256:{digits}"), &format!("sha256:{digits}X")] {
            assert!(Digest::try_from(text.to_owned()).is_err(), "{text}");
        }
    }

    #[test]
    fn a_copy_reads_one_byte_beyond_its_limit_and_no_more() {
        let mut copied = Vec::new();
        let (total, digest) = Digest::copy(io::repeat(7), &mut copied, 9).unwrap();
        assert_eq!((total, copied.len()), (10, 10));
        assert_eq!(digest, Digest::of(&[7; 10]));
    }
}
