//! How long a server that fails is left alone: twice as long after each failure, up to half a minute.

use std::time::Duration;

use tokio::time::Instant;

const FIRST: Duration = Duration::from_millis(500);
const LONGEST: Duration = Duration::from_secs(30);

/// What is remembered of failures.
#[derive(Debug, Default)]
pub(super) struct Patience {
    failures: u32,
    until: Option<Instant>,
}

impl Patience {
    /// How long it is still to be left alone, if at all.
    pub(super) fn left(&self, now: Instant) -> Option<Duration> {
        self.until.map(|until| until.saturating_duration_since(now)).filter(|left| !left.is_zero())
    }

    /// It failed.
    pub(super) fn failed(&mut self, now: Instant) {
        let pause = FIRST.saturating_mul(1 << self.failures.min(16)).min(LONGEST);
        self.failures = self.failures.saturating_add(1);
        self.until = Some(now + pause);
    }

    /// It works.
    pub(super) fn succeeded(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_fails_is_left_alone_twice_as_long_each_time() {
        let (mut patience, now) = (Patience::default(), Instant::now());
        assert_eq!(patience.left(now), None);
        let mut pauses = Vec::new();
        for _ in 0..9 {
            patience.failed(now);
            pauses.extend(patience.left(now).map(|left| left.as_millis()));
        }
        assert_eq!(pauses, [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
        assert_eq!(patience.left(now + LONGEST), None);
        patience.succeeded();
        assert_eq!(patience.left(now), None);
        patience.failed(now);
        assert_eq!(patience.left(now), Some(FIRST), "a success starts it over");
    }
}
