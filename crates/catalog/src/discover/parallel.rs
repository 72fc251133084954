//! One function over many items on a few threads, results in the order of the items.
//!
//! Few items are done on the caller's thread: only a large search or check is worth others.

use std::num::NonZero;
use std::sync::OnceLock;
use std::thread::{self, Builder};

/// Below this many items a thread costs more than it saves.
const WORTH_A_THREAD: usize = 1_024;
const MAX_THREADS: usize = 8;

fn processors() -> usize {
    static PROCESSORS: OnceLock<usize> = OnceLock::new();
    *PROCESSORS.get_or_init(|| thread::available_parallelism().map_or(1, NonZero::get))
}

/// Applies `work` to every item, where each is little work.
pub fn in_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    in_parallel_from(WORTH_A_THREAD, items, work)
}

/// Applies `work` to every item, where as many as `worth` are worth a thread.
pub fn in_parallel_from<T: Sync, R: Send>(
    worth: usize,
    items: &[T],
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let threads = (items.len() / worth.max(1)).min(MAX_THREADS);
    // Asking for the processors reads several files, which is more work than a few items are.
    if threads < 2 || processors() < 2 {
        return items.iter().map(work).collect();
    }
    on_threads(threads.min(processors()), Builder::new, items, &work)
}

/// Applies `work` on so many threads. What a thread would have done that cannot be had is done here: a machine may have
/// its limit, and an answer later is one.
fn on_threads<T: Sync, R: Send>(
    threads: usize,
    builder: fn() -> Builder,
    items: &[T],
    work: &(impl Fn(&T) -> R + Sync),
) -> Vec<R> {
    let all = move |chunk: &[T]| chunk.iter().map(work).collect::<Vec<R>>();
    thread::scope(|scope| {
        let chunks = items.chunks(items.len().div_ceil(threads).max(1));
        let started: Vec<_> =
            chunks.map(|chunk| (builder().spawn_scoped(scope, move || all(chunk)), chunk)).collect();
        let finished = started.into_iter().flat_map(|(thread, chunk)| match thread {
            Ok(thread) => thread.join().unwrap_or_default(),
            Err(_) => all(chunk),
        });
        finished.collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_whether_threads_can_be_had_or_not() {
        // No machine has room for such a thread.
        let without: fn() -> Builder = || Builder::new().stack_size(usize::MAX / 4);
        let items: Vec<usize> = (0..10).collect();
        for builder in [Builder::new, without] {
            for threads in 1..=12 {
                let doubled = on_threads(threads, builder, &items, &|item| item * 2);
                assert_eq!(doubled, (0..10).map(|item| item * 2).collect::<Vec<usize>>());
            }
            assert!(on_threads(3, builder, &[], &|item: &usize| *item).is_empty());
        }
        assert!(without().spawn(|| ()).is_err());
    }
}
