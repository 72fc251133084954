//! The asynchronous runtime, for the commands that wait: on the network, on containers. The others never start one.
//!
//! It is one thread, and that is the process's own: a container dies with the thread that launched it, so that thread must live
//! as long as the command. Blocking work goes to threads beside it.

use std::future::Future;
use std::io;

/// Runs a future to its end on this thread.
pub fn block_on<F: Future>(future: F) -> io::Result<F::Output> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let output = runtime.block_on(future);
    // Somebody who was asked and never answered must not keep the process.
    runtime.shutdown_background();
    Ok(output)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_waits_for_ever_does_not_keep_the_process() {
        let (_held, never) = std::sync::mpsc::channel::<()>();
        let ended = block_on(async {
            tokio::task::spawn_blocking(move || never.recv());
            tokio::task::yield_now().await;
            7
        });
        assert_eq!(ended.unwrap(), 7);
    }

    #[test]
    fn a_future_runs_on_the_thread_that_asks_and_blocking_work_beside_it() {
        let here = std::thread::current().id();
        let seen = async {
            let beside = tokio::task::spawn_blocking(|| std::thread::current().id()).await.unwrap();
            (std::thread::current().id(), beside)
        };
        let (inside, beside) = block_on(seen).unwrap();
        assert_eq!(inside, here);
        assert_ne!(beside, here);
    }
}
