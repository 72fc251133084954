//! The thread on which everything that concerns engines is done, whatever the caller's own threads do.
//!
//! A time limit must hold and a dropped child must die even if nobody drives the caller's runtime any more. The thread is started when it
//! is first needed and ends with the process, with every connection that keeps a container alive.

use std::future::Future;
use std::io;
use std::sync::OnceLock;

use tokio::runtime::{Builder, Handle};

use crate::backend::LaunchError;

/// Does something on the thread, and gives what comes of it. It is done to its end even if nobody waits for that.
pub(super) async fn run<T: Send + 'static>(
    work: impl Future<Output = Result<T, LaunchError>> + Send + 'static,
) -> Result<T, LaunchError> {
    let handle =
        handle().map_err(|source| LaunchError::Step { step: "start a thread".to_owned(), source })?;
    handle.spawn(work).await.unwrap_or(Err(LaunchError::Ended))
}

/// Does something on the thread; nobody waits for it.
pub(super) fn begin(work: impl Future<Output = ()> + Send + 'static) {
    if let Ok(handle) = handle() {
        handle.spawn(work);
    }
}

fn handle() -> io::Result<&'static Handle> {
    static WORKER: OnceLock<io::Result<Handle>> = OnceLock::new();
    let worker = WORKER.get_or_init(|| {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        std::thread::Builder::new()
            .name("engines".to_owned())
            .spawn(move || runtime.block_on(std::future::pending::<()>()))?;
        Ok(handle)
    });
    worker.as_ref().map_err(|error| io::Error::new(error.kind(), error.to_string()))
}
