//! One function over many items on a few threads, results in the order of the items.

use std::num::NonZero;
use std::thread;

/// Below this many items a thread costs more than it saves.
const WORTH_A_THREAD: usize = 256;
const MAX_THREADS: usize = 8;

/// Applies `work` to every item.
pub fn in_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    let threads = processors.min(MAX_THREADS).min(items.len() / WORTH_A_THREAD);
    if threads < 2 {
        return items.iter().map(work).collect();
    }
    let work = &work;
    thread::scope(|scope| {
        let chunks = items.chunks(items.len().div_ceil(threads));
        let handles: Vec<_> =
            chunks.map(|chunk| scope.spawn(move || chunk.iter().map(work).collect::<Vec<R>>())).collect();
        handles.into_iter().flat_map(|handle| handle.join().unwrap_or_default()).collect()
    })
}
