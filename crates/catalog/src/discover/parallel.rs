//! One function over many items on a few threads, results in the order of the items.
//!
//! Few items are done on the caller's thread: only a large search or check is worth others.

use std::num::NonZero;
use std::sync::OnceLock;
use std::thread;

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
    let threads = threads.min(processors());
    let work = &work;
    thread::scope(|scope| {
        let chunks = items.chunks(items.len().div_ceil(threads));
        let handles: Vec<_> =
            chunks.map(|chunk| scope.spawn(move || chunk.iter().map(work).collect::<Vec<R>>())).collect();
        handles.into_iter().flat_map(|handle| handle.join().unwrap_or_default()).collect()
    })
}
