//! Times as people write them: `30d`, `12h`, `2026-11-15`, `2026-11-15T09:30:00Z`.

use std::str::FromStr;
use std::time::Duration;

use guild_ledger::Timestamp;

/// How long something holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lifetime(pub Duration);

/// Since when something is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    /// So long ago.
    Ago(Duration),
    /// From this moment on.
    At(Timestamp),
}

/// A text that is no such time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotATime {
    /// It should say how long.
    #[error("write how long, such as `30d` or `12h`")]
    Lifetime,
    /// It should say since when.
    #[error("write since when, such as `7d`, `2026-11-15` or `2026-11-15T09:30:00Z`")]
    Since,
}

impl FromStr for Lifetime {
    type Err = NotATime;

    fn from_str(text: &str) -> Result<Self, NotATime> {
        let duration = humantime::parse_duration(text).ok().filter(|duration| !duration.is_zero());
        duration.map(Self).ok_or(NotATime::Lifetime)
    }
}

impl FromStr for Since {
    type Err = NotATime;

    fn from_str(text: &str) -> Result<Self, NotATime> {
        if let Ok(duration) = humantime::parse_duration(text) {
            return Ok(Self::Ago(duration));
        }
        let is_date = text.len() == "2026-11-15".len();
        let whole = if is_date { format!("{text}T00:00:00Z") } else { text.to_owned() };
        humantime::parse_rfc3339(&whole).map(|time| Self::At(time.into())).map_err(|_| NotATime::Since)
    }
}

impl Since {
    /// The moment that is meant, seen from `now`.
    pub fn moment(self, now: Timestamp) -> Timestamp {
        match self {
            Self::At(moment) => moment,
            Self::Ago(duration) => {
                let millis = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
                Timestamp::from_millis(now.millis().saturating_sub(millis))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_write_spans_dates_and_moments() {
        let now: Timestamp = "2026-11-15T09:30:00.000Z".parse().unwrap();
        let shown = |text: &str| text.parse::<Since>().map(|since| since.moment(now).to_string());
        for (text, moment) in [
            ("90m", "2026-11-15T08:00:00.000Z"),
            ("2d", "2026-11-13T09:30:00.000Z"),
            ("9999y", "1970-01-01T00:00:00.000Z"),
            ("2026-11-01", "2026-11-01T00:00:00.000Z"),
            ("2026-11-01T10:00:00Z", "2026-11-01T10:00:00.000Z"),
        ] {
            assert_eq!(shown(text).as_deref(), Ok(moment), "{text}");
        }
        for text in ["", "yesterday", "2026-13-01", "30", "-1d"] {
            assert_eq!(shown(text), Err(NotATime::Since), "{text}");
        }
    }

    #[test]
    fn a_lifetime_is_never_nothing() {
        assert_eq!("30d".parse(), Ok(Lifetime(Duration::from_secs(30 * 24 * 3600))));
        for text in ["", "0s", "30", "for ever"] {
            assert_eq!(text.parse::<Lifetime>(), Err(NotATime::Lifetime), "{text}");
        }
    }
}
