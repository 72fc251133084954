//! Ids: a prefix that says what is named, and a ULID, so that they sort by the time they were made.
//!
//! They are names and no secrets: whoever knows one has no right by it.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use ulid::Ulid;

use crate::Timestamp;
use crate::entropy::{self, NoEntropy};

/// A text that is not the id it should be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("an id of this kind is `{prefix}` and 26 characters of a ULID")]
pub struct NotAnId {
    prefix: &'static str,
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident $prefix:literal)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Ulid);

        impl $name {
            /// A new one.
            ///
            /// # Errors
            /// Where the operating system gives no random bytes.
            pub fn new(now: Timestamp) -> Result<Self, NoEntropy> {
                next(now, None).map(Self)
            }
        }

        impl From<Ulid> for $name {
            fn from(ulid: Ulid) -> Self {
                Self(ulid)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }

        impl FromStr for $name {
            type Err = NotAnId;

            fn from_str(text: &str) -> Result<Self, NotAnId> {
                parse($prefix, text).map(Self).ok_or(NotAnId { prefix: $prefix })
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                Cow::<str>::deserialize(deserializer)?.parse().map_err(de::Error::custom)
            }
        }
    )*};
}

ids! {
    /// Names a receipt.
    ReceiptId "rcp_"
    /// Names one run of a skill.
    RunId "run_"
    /// Names a grant.
    GrantId "grt_"
    /// Names a request that waits for a person.
    RequestId "apr_"
    /// Names a token.
    TokenId "tok_"
    /// Names a suppression of a vet warning.
    SuppressionId "sup_"
    /// Names a person's judgement of a run.
    FeedbackId "fbk_"
    /// Names one state of something that is registered.
    RegistrationId "reg_"
    /// Names one state of a secret.
    SecretId "sec_"
}

impl ReceiptId {
    /// What it says without its prefix.
    pub(crate) const fn ulid(self) -> Ulid {
        self.0
    }

    /// The least id of a moment.
    pub(crate) const fn first_of(moment: Timestamp) -> Self {
        Self(Ulid::from_parts(moment.millis(), 0))
    }
}

/// A ULID of this moment, or the next one after `previous` where the clock has not moved on, so that ids sort as they were made.
pub(crate) fn next(now: Timestamp, previous: Option<Ulid>) -> Result<Ulid, NoEntropy> {
    let ulid = Ulid::from_parts(now.millis(), u128::from_be_bytes(entropy::bytes()?));
    Ok(match previous {
        Some(previous) if previous >= ulid => previous.increment().unwrap_or(previous),
        _ => ulid,
    })
}

fn parse(prefix: &str, text: &str) -> Option<Ulid> {
    let encoded = text.strip_prefix(prefix)?;
    let ulid = Ulid::from_string(encoded).ok()?;
    // Small letters are read too, and an id has one spelling.
    (ulid.to_string() == encoded).then_some(ulid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_reads_back_and_has_one_spelling() {
        let id = ReceiptId::new(Timestamp::from_millis(1_709_210_096_789)).unwrap();
        let text = id.to_string();
        assert_eq!((text.len(), &text[..8]), (30, "rcp_01HQ"));
        assert_eq!(text.parse(), Ok(id));
        for wrong in
            [text.to_lowercase(), text[4..].to_owned(), format!("{text}0"), text.replace("rcp_", "run_")]
        {
            assert!(wrong.parse::<ReceiptId>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn ids_sort_by_time_even_when_the_clock_stands_or_goes_back() {
        let next = |millis, previous| next(Timestamp::from_millis(millis), previous).unwrap();
        let first = next(1_000, None);
        for millis in [1_001, 1_000, 1] {
            let second = next(millis, Some(first));
            assert!(second > first && second.to_string() > first.to_string());
        }
        assert!(ReceiptId::first_of(Timestamp::from_millis(1_000)) <= ReceiptId(first));
    }
}
