//! A view that is kept for a while, and the last good one for as long as no better can be made.
//!
//! Whoever holds it says what time it is, and clears it when something has changed.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

/// How long a view is good for.
pub const TIME_TO_LIVE: Duration = Duration::from_secs(30);

/// Keeps one view.
#[derive(Debug)]
pub struct RegistryCache<T> {
    state: Mutex<Kept<T>>,
}

#[derive(Debug)]
struct Kept<T> {
    view: Option<Arc<T>>,
    /// When it was made; nothing once it was cleared.
    made: Option<SystemTime>,
}

/// A view, and why it is not a new one where it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Viewed<T, E> {
    /// The view.
    pub view: Arc<T>,
    /// Why no new one could be made.
    pub failure: Option<E>,
}

impl<T> Default for RegistryCache<T> {
    fn default() -> Self {
        Self { state: Mutex::new(Kept { view: None, made: None }) }
    }
}

impl<T> RegistryCache<T> {
    /// The view: the one that is kept if it is not older than [`TIME_TO_LIVE`], else a new one; where that cannot be made the last
    /// good one.
    ///
    /// # Errors
    /// Where none can be made and none was made before.
    pub fn get<E>(&self, now: SystemTime, make: impl FnOnce() -> Result<T, E>) -> Result<Viewed<T, E>, E> {
        let mut kept = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        // A clock that was set back makes nothing young again.
        let age = kept.made.and_then(|made| now.duration_since(made).ok());
        if let (Some(view), Some(age)) = (&kept.view, age)
            && age < TIME_TO_LIVE
        {
            return Ok(Viewed { view: Arc::clone(view), failure: None });
        }
        match (make(), &kept.view) {
            (Ok(view), _) => {
                let view = Arc::new(view);
                *kept = Kept { view: Some(Arc::clone(&view)), made: Some(now) };
                Ok(Viewed { view, failure: None })
            }
            (Err(error), Some(last)) => Ok(Viewed { view: Arc::clone(last), failure: Some(error) }),
            (Err(error), None) => Err(error),
        }
    }

    /// Has the next view made anew, because something has changed.
    pub fn clear(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).made = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: f64) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs_f64(1000.0 + seconds)
    }

    /// What is seen at each moment, where a view can be made of `Ok` alone.
    #[track_caller]
    fn check(steps: &[(f64, Result<u32, &'static str>, &str)]) {
        let cache = RegistryCache::default();
        for (second, made, expected) in steps {
            let seen = match cache.get(at(*second), || *made) {
                Ok(Viewed { view, failure: None }) => format!("{view}"),
                Ok(Viewed { view, failure: Some(error) }) => format!("{view}, {error}"),
                Err(error) => error.to_owned(),
            };
            assert_eq!(seen, *expected, "at {second}");
        }
    }

    #[test]
    fn a_view_is_good_for_thirty_seconds() {
        check(&[(0.0, Ok(1), "1"), (29.999, Ok(2), "1"), (30.0, Ok(3), "3"), (59.0, Ok(4), "3")]);
    }

    #[test]
    fn a_clock_that_is_set_back_makes_nothing_young_again() {
        check(&[(0.0, Ok(1), "1"), (-1.0, Ok(2), "2")]);
    }

    #[test]
    fn a_failure_keeps_the_last_good_view_and_is_told() {
        check(&[(0.0, Err("no"), "no"), (1.0, Ok(1), "1"), (31.0, Err("no"), "1, no"), (32.0, Ok(2), "2")]);
    }

    #[test]
    fn what_was_cleared_is_made_anew_and_kept_for_failures() {
        let cache = RegistryCache::default();
        let get = |made: Result<u32, &'static str>| {
            cache.get(at(0.0), || made).map(|seen| (*seen.view, seen.failure))
        };
        assert_eq!(get(Ok(1)), Ok((1, None)));
        cache.clear();
        assert_eq!(get(Err("no")), Ok((1, Some("no"))));
        assert_eq!(get(Ok(2)), Ok((2, None)));
        assert_eq!(get(Ok(3)), Ok((2, None)));
    }
}
