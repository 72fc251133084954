//! Moments, in milliseconds and UTC, written as RFC 3339 does.
//!
//! Nothing here reads a clock: whoever calls the ledger says what time it is.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The last moment that has four digits for its year.
const LAST: u64 = 253_402_300_799_999;

/// A moment between 1970 and 9999, written `2026-11-15T09:30:00.000Z`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(u64);

/// A text that is no timestamp.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a timestamp is written like 2026-11-15T09:30:00.000Z")]
pub struct NotATimestamp;

impl Timestamp {
    /// So many milliseconds after the beginning of 1970, at most the end of 9999.
    pub const fn from_millis(millis: u64) -> Self {
        Self(if millis < LAST { millis } else { LAST })
    }

    /// The milliseconds since the beginning of 1970.
    pub const fn millis(self) -> u64 {
        self.0
    }

    /// The moment that is `duration` later.
    #[must_use]
    pub fn after(self, duration: Duration) -> Self {
        let millis = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        Self::from_millis(self.0.saturating_add(millis))
    }
}

/// A moment before 1970 becomes its beginning.
impl From<SystemTime> for Timestamp {
    fn from(time: SystemTime) -> Self {
        Self(0).after(time.duration_since(UNIX_EPOCH).unwrap_or_default())
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = UNIX_EPOCH + Duration::from_millis(self.0);
        humantime::format_rfc3339_millis(time).fmt(f)
    }
}

impl FromStr for Timestamp {
    type Err = NotATimestamp;

    fn from_str(text: &str) -> Result<Self, NotATimestamp> {
        let time = Self::from(humantime::parse_rfc3339(text).map_err(|_| NotATimestamp)?);
        // A moment has one spelling, lest two texts that are signed mean the same.
        if time.to_string() == text { Ok(time) } else { Err(NotATimestamp) }
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<str>::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_has_one_spelling() {
        for (millis, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (1_709_210_096_789, "2024-02-29T12:34:56.789Z"),
            (LAST, "9999-12-31T23:59:59.999Z"),
        ] {
            assert_eq!(Timestamp::from_millis(millis).to_string(), text);
            assert_eq!(text.parse(), Ok(Timestamp::from_millis(millis)));
        }
        for text in ["", "2024-02-29T12:34:56Z", "2024-02-29 12:34:56.789Z", "2024-02-30T12:34:56.789Z"] {
            assert_eq!(text.parse::<Timestamp>(), Err(NotATimestamp), "{text}");
        }
    }

    #[test]
    fn no_clock_is_too_wrong_to_be_written() {
        let before = UNIX_EPOCH.checked_sub(Duration::from_secs(1)).unwrap();
        assert_eq!(Timestamp::from(before), Timestamp::from_millis(0));
        assert_eq!(Timestamp::from_millis(u64::MAX).to_string(), "9999-12-31T23:59:59.999Z");
        assert_eq!(Timestamp::from_millis(1).after(Duration::MAX).millis(), LAST);
    }
}
