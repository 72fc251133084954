//! What is taken down after the end of a command has been told: its namespaces and its cgroup. Whoever heard of the end may end this
//! program at once, which then waits until nothing is left.

use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::sys;

/// How many containers are being taken down.
static UNDER_WAY: AtomicUsize = AtomicUsize::new(0);

/// The longest that the end of the program is held up. What is left then is removed by the next start, as after a kill.
const PATIENCE: Duration = Duration::from_secs(5);

/// Holds up the end of the program until it is dropped.
pub(super) struct Tidying(());

impl Tidying {
    /// To be called before the end is told.
    pub(super) fn begin() -> Tidying {
        static WAITED_FOR: Once = Once::new();
        WAITED_FOR.call_once(|| sys::at_exit(wait_for_all));
        UNDER_WAY.fetch_add(1, Ordering::AcqRel);
        Tidying(())
    }
}

impl Drop for Tidying {
    fn drop(&mut self) {
        UNDER_WAY.fetch_sub(1, Ordering::AcqRel);
    }
}

extern "C" fn wait_for_all() {
    let begun = Instant::now();
    while UNDER_WAY.load(Ordering::Acquire) > 0 && begun.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_micros(50));
    }
}
