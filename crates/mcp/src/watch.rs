//! Noticing changes of skills, once for all who are served.
//!
//! The kernel tells what happens in the directories that skills are found in, so that a server that nobody uses does nothing. What no
//! kernel tells is looked for now and then: programs that skills require, and files on disks that others write to.

#[cfg(target_os = "linux")]
mod events;
#[cfg(not(target_os = "linux"))]
#[path = "watch/no_events.rs"]
mod events;

use std::time::Duration;

use tokio::time::{Instant, sleep, timeout};

use crate::server::Server;
use events::Events;

/// The least time between two looks, so that what is saved in many steps is looked at once.
const PAUSE: Duration = Duration::from_millis(100);
/// The longest after a look in which nothing is heard, however long it took.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);
/// Looking takes at most this part of the time.
const SHARE: u32 = 20;
/// How often the books are looked at, which tell nobody what others write in them.
const BOOKS: Duration = Duration::from_millis(500);
/// After so long everything is looked at, whether or not anything was told.
const ANYWAY: Duration = Duration::from_secs(15);
/// The same where not everything is told: half a second, more where looking takes long, and no longer than this.
const UNTOLD: Duration = Duration::from_secs(5);

/// Looks until nobody waits for it any more.
pub(crate) async fn watch(server: Server) {
    let mut events = Events::open();
    // The hall was looked at when it was opened.
    let mut share = Duration::ZERO;
    loop {
        let is_told = events.follow(server.premises().hall()).await;
        let patience = if is_told { ANYWAY } else { share.clamp(BOOKS, UNTOLD) };
        sleep(share.clamp(PAUSE, LONGEST_PAUSE)).await;
        timeout(patience, something(&server, &mut events)).await.ok();
        let begun = Instant::now();
        // What cannot be read now is looked for again.
        server.look().await.ok();
        share = begun.elapsed() * SHARE;
    }
}

/// Comes back when a look is worth while.
async fn something(server: &Server, events: &mut Events) {
    loop {
        match timeout(BOOKS, events.next()).await {
            Ok(()) => return sleep(PAUSE).await,
            Err(_) if server.premises().is_switched().await => return,
            Err(_) => {}
        }
    }
}
