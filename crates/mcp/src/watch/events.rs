//! What the kernel tells of the directories that skills are found in.

use std::sync::Arc;

use guild_engine::Hall;
use guild_engine::catalog::watch::{Followed, Watch};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::task::spawn_blocking;

/// What is told, if anything is.
pub(super) struct Events {
    watch: Option<AsyncFd<Watch>>,
    /// Whether a look is due because more is watched since the last one.
    is_due: bool,
}

impl Events {
    /// Watches nothing yet.
    #[expect(
        deprecated,
        reason = "its successor is unsafe for descriptors that may close; this one is owned and stays open"
    )]
    pub(super) fn open() -> Self {
        let watch = Watch::open().and_then(|watch| AsyncFd::with_interest(watch, Interest::READABLE).ok());
        Self { watch, is_due: false }
    }

    /// Watches what a hall was made of; whether all of it is watched. It is done beside, as looking is: there may be thousands.
    pub(super) async fn follow(&mut self, hall: Arc<Hall>) -> bool {
        let Some(mut watch) = self.watch.take() else { return false };
        let following = spawn_blocking(move || {
            let followed = watch.get_mut().follow(&hall.machine, &hall.config, &hall.snapshot);
            (watch, followed)
        });
        let Ok((watch, followed)) = following.await else { return false };
        self.watch = Some(watch);
        self.is_due = followed == Followed::Anew;
        followed != Followed::InPart
    }

    /// Comes back when something has happened that may change what there is.
    pub(super) async fn next(&mut self) {
        let Some(watch) = &mut self.watch else { return std::future::pending().await };
        while !std::mem::take(&mut self.is_due) {
            let Ok(mut ready) = watch.readable_mut().await else { return std::future::pending().await };
            self.is_due = ready.get_inner_mut().take();
            ready.clear_ready();
        }
    }
}
