//! Operating system and architecture, in the words that images use.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// What an image is made for.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Platform {
    /// The operating system: `linux`.
    pub os: String,
    /// The processor: `amd64`, `arm64`, …
    pub architecture: String,
    /// Which kind of it: `v7`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
}

/// Text that is no platform.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no platform; write `linux/amd64` or `linux/arm64`")]
pub struct NoPlatform {
    /// What was read.
    pub text: String,
}

impl Platform {
    /// Linux on this machine's processor: images are for Linux wherever they are run.
    pub fn here() -> Platform {
        let architecture = match std::env::consts::ARCH {
            "x86_64" => "amd64",
            "aarch64" => "arm64",
            "x86" => "386",
            "powerpc64" => "ppc64le",
            "loongarch64" => "loong64",
            other => other,
        };
        Platform { os: "linux".to_owned(), architecture: architecture.to_owned(), variant: None }
    }

    /// Whether an image for `other` will do where this one is asked for.
    pub fn takes(&self, other: &Platform) -> bool {
        let variant = match (&self.variant, &other.variant) {
            (Some(asked), Some(offered)) => asked == offered,
            _ => true,
        };
        self.os == other.os && self.architecture == other.architecture && variant
    }
}

impl fmt::Display for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.os, self.architecture)?;
        self.variant.iter().try_for_each(|variant| write!(f, "/{variant}"))
    }
}

impl FromStr for Platform {
    type Err = NoPlatform;

    fn from_str(text: &str) -> Result<Platform, NoPlatform> {
        let parts: Vec<&str> = text.split('/').collect();
        let is_word = |part: &&str| {
            !part.is_empty() && part.len() <= 32 && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
        };
        let none = || NoPlatform { text: text.chars().take(100).collect() };
        if !parts.iter().all(is_word) {
            return Err(none());
        }
        match parts.as_slice() {
            [os, architecture] => {
                Ok(Platform { os: (*os).into(), architecture: (*architecture).into(), variant: None })
            }
            [os, architecture, variant] => Ok(Platform {
                os: (*os).into(),
                architecture: (*architecture).into(),
                variant: Some((*variant).into()),
            }),
            _ => Err(none()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_platform_is_two_or_three_words() {
        for text in ["linux/amd64", "linux/arm/v7"] {
            assert_eq!(text.parse::<Platform>().unwrap().to_string(), text);
        }
        for text in ["", "linux", "linux/", "a/b/c/d", "linux/am d64", "../x"] {
            assert!(text.parse::<Platform>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_variant_matters_where_both_name_one() {
        let takes =
            |asked: &str, offered: &str| asked.parse::<Platform>().unwrap().takes(&offered.parse().unwrap());
        assert!(takes("linux/arm64", "linux/arm64/v8") && takes("linux/arm64/v8", "linux/arm64"));
        assert!(!takes("linux/arm/v6", "linux/arm/v7") && !takes("linux/amd64", "linux/arm64"));
        assert!(!takes("linux/amd64", "windows/amd64"));
    }
}
