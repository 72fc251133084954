//! How a path stands in a record: as text, or, where it is no UTF-8, as `{"hex": "…"}`, so that no name is lost or changed.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    Text(String),
    Bytes { hex: String },
}

/// Writes a path.
pub fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    let written = match path.to_str() {
        Some(text) => Written::Text(text.to_owned()),
        None => Written::Bytes { hex: digits(path.as_os_str().as_bytes()) },
    };
    written.serialize(serializer)
}

/// Reads a path.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PathBuf, D::Error> {
    match Written::deserialize(deserializer)? {
        Written::Text(text) => Ok(PathBuf::from(text)),
        Written::Bytes { hex } => {
            let bytes =
                bytes_of(&hex).ok_or_else(|| serde::de::Error::custom("malformed bytes of a path"))?;
            Ok(PathBuf::from(OsStr::from_bytes(&bytes)))
        }
    }
}

fn digits(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bytes_of(digits: &str) -> Option<Vec<u8>> {
    let byte = |pair: &[u8]| match pair {
        [high, low] => Some(value(*high)? << 4 | value(*low)?),
        _ => None,
    };
    digits.as_bytes().chunks(2).map(byte).collect()
}

fn value(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Record(#[serde(with = "super")] PathBuf);

    #[track_caller]
    fn check(path: &[u8], expect: &Expect) {
        let record = Record(PathBuf::from(OsStr::from_bytes(path)));
        let json = serde_json::to_string(&record).unwrap();
        expect.assert_eq(&json);
        assert_eq!(serde_json::from_str::<Record>(&json).unwrap(), record);
    }

    #[test]
    fn a_path_is_text() {
        check("a/ä \"b\"\n".as_bytes(), &expect![[r#""a/ä \"b\"\n""#]]);
    }

    #[test]
    fn a_path_that_is_no_utf_8_keeps_its_bytes() {
        check(b"a/\xff\x00", &expect![[r#"{"hex":"612fff00"}"#]]);
    }

    #[test]
    fn malformed_bytes_are_refused() {
        assert!(serde_json::from_str::<Record>(r#"{"hex":"6"}"#).is_err());
        assert!(serde_json::from_str::<Record>(r#"{"hex":"6G"}"#).is_err());
    }
}
