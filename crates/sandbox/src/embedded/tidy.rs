//! What is taken down after the end of a command has been told: its namespaces and its cgroup. Whoever heard of the end may end this
//! program at once, which then waits until nothing is left, and removes what was kept for the next launch.
//!
//! A program that is killed, or executes another one, does not wait; what it leaves is removed by the next start.

use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::{cgroup, sys};

/// How many containers are being taken down, in the lower half, and in the upper one by which process: a fork of this program has a copy of
/// the number, but takes down nothing.
static UNDER_WAY: AtomicU64 = AtomicU64::new(0);

/// The longest that the end of the program is held up. What is left then is removed by the next start, as after a kill.
const PATIENCE: Duration = Duration::from_secs(5);

/// Holds up the end of the program until it is dropped.
pub(super) struct Tidying(());

impl Tidying {
    /// To be called before the end is told.
    pub(super) fn begin() -> Tidying {
        static WAITED_FOR: Once = Once::new();
        WAITED_FOR.call_once(|| sys::at_exit(wait_for_all));
        change(|count| count + 1);
        Tidying(())
    }
}

impl Drop for Tidying {
    fn drop(&mut self) {
        change(|count| count.saturating_sub(1));
    }
}

fn change(how: impl Fn(u32) -> u32) {
    let process = u64::from(std::process::id()) << 32;
    let _ = UNDER_WAY.fetch_update(Ordering::AcqRel, Ordering::Acquire, |before| {
        Some(process | u64::from(how(count(before))))
    });
}

/// How many of them are this process's.
fn count(under_way: u64) -> u32 {
    let process = (under_way >> 32) as u32;
    if process == std::process::id() { under_way as u32 } else { 0 }
}

extern "C" fn wait_for_all() {
    let begun = Instant::now();
    while count(UNDER_WAY.load(Ordering::Acquire)) > 0 && begun.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_micros(50));
    }
    cgroup::remove_spare();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fork_of_the_program_does_not_wait_for_what_its_parent_takes_down() {
        let tidying = Tidying::begin();
        let left = || count(UNDER_WAY.load(Ordering::Acquire));
        // SAFETY: the child reads a number, changes it, and exits.
        let code = match unsafe { libc::fork() } {
            0 => {
                let before = left();
                let own = Tidying::begin();
                let meanwhile = left();
                drop(own);
                sys::exit(i32::from((before, meanwhile, left()) != (0, 1, 0)));
            }
            child => rustix::process::Pid::from_raw(child).map(sys::wait_for_code).unwrap().unwrap(),
        };
        assert_eq!(code, 0);
        assert!(left() >= 1, "the parent still waits");
        drop(tidying);
    }
}
