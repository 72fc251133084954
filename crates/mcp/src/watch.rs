//! Looking for changes of skills again and again, once for all who are served.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::server::Server;

/// The least time between two looks for changes.
const PAUSE: Duration = Duration::from_millis(500);
/// The longest, however long the last look had to wait for others.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// Looking takes at most this part of the time.
const SHARE: u32 = 20;

/// Looks until nobody waits for it any more.
pub(crate) async fn watch(server: Server) {
    loop {
        let begun = Instant::now();
        // What cannot be read now is looked for again.
        server.look().await.ok();
        sleep((begun.elapsed() * SHARE).clamp(PAUSE, LONGEST_PAUSE)).await;
    }
}
