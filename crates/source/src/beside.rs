//! Two things at once, where a machine has a thread for the second.
//!
//! It does not say what is worth a thread: that is for whoever has the work.

use std::panic::resume_unwind;
use std::thread::{self, Builder};

/// Does `here` on this thread and `beside` on another one. Where no more threads can be had, as in a container with a small number of
/// processes, one comes after the other.
pub fn both<A, B: Send>(here: impl FnOnce() -> A, beside: impl Fn() -> B + Sync) -> (A, B) {
    both_with(Builder::new(), here, beside)
}

fn both_with<A, B: Send>(
    builder: Builder,
    here: impl FnOnce() -> A,
    beside: impl Fn() -> B + Sync,
) -> (A, B) {
    thread::scope(|scope| {
        let started = builder.spawn_scoped(scope, &beside);
        let done = here();
        let other = match started {
            Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
            Err(_) => beside(),
        };
        (done, other)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_are_done_whether_a_thread_can_be_had_or_not() {
        // No machine has room for such a thread.
        let none = || Builder::new().stack_size(usize::MAX / 4);
        assert!(none().spawn(|| ()).is_err());
        for builder in [Builder::new(), none()] {
            assert_eq!(both_with(builder, || 1, || "two"), (1, "two"));
        }
    }
}
