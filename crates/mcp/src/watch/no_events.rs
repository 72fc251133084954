//! Where no kernel tells anything.

use std::sync::Arc;

use guild_engine::Hall;

/// Nothing is told.
pub(super) struct Events;

impl Events {
    pub(super) fn open() -> Self {
        Self
    }

    /// Nothing is watched.
    pub(super) async fn follow(&mut self, _: Arc<Hall>) -> bool {
        false
    }

    /// Nothing ever happens.
    pub(super) async fn next(&mut self) {
        std::future::pending().await
    }
}
