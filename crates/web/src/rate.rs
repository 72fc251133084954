//! How much each caller asks in a short time: a bucket for each, filled at a fixed rate and emptied by requests.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use tokio::time::Instant;

/// The bucket of those who are not let in; there is one for all of them, lest they fill the memory with names.
pub(crate) const STRANGERS: &str = "";
/// Requests in a second that strangers are told the reason of.
const STRANGERS_RATE: f64 = 50.0;

/// The buckets of all callers.
#[derive(Debug)]
pub(crate) struct Rate {
    per_second: f64,
    buckets: Mutex<HashMap<String, Bucket>>,
}

#[derive(Debug)]
struct Bucket {
    left: f64,
    at: Instant,
}

impl Rate {
    /// So many requests in a second, and twice as many after a pause.
    pub(crate) fn new(per_second: u32) -> Self {
        Self { per_second: per_second.into(), buckets: Mutex::default() }
    }

    /// Takes a request out of a caller's bucket, unless that is empty.
    pub(crate) fn take(&self, caller: &str, now: Instant) -> bool {
        let rate = if caller == STRANGERS { STRANGERS_RATE } else { self.per_second };
        let most = rate * 2.0;
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        let bucket = buckets.entry(caller.to_owned()).or_insert(Bucket { left: most, at: now });
        let passed = now.saturating_duration_since(bucket.at).as_secs_f64();
        bucket.left = (bucket.left + passed * rate).min(most);
        bucket.at = now;
        let is_filled = bucket.left >= 1.0;
        if is_filled {
            bucket.left -= 1.0;
        }
        is_filled
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_bucket_is_emptied_and_fills_again_and_is_nobody_elses() {
        let (rate, begin) = (Rate::new(2), Instant::now());
        let take = |caller: &str, after: u64| rate.take(caller, begin + Duration::from_millis(after));
        let taken: Vec<bool> = [0, 0, 0, 0, 0, 499, 500, 500, 60_000, 60_000, 60_000, 60_000, 60_000]
            .map(|after| take("one", after))
            .to_vec();
        let [yes, no] = [true, false];
        assert_eq!(taken, [yes, yes, yes, yes, no, no, yes, no, yes, yes, yes, yes, no]);
        assert!(take("other", 0));
    }

    #[test]
    fn strangers_share_a_bucket_of_their_own() {
        let (rate, now) = (Rate::new(1), Instant::now());
        assert_eq!((0..1_000).filter(|_| rate.take(STRANGERS, now)).count(), 100);
        assert!(rate.take("somebody", now));
    }
}
