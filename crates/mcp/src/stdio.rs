//! Serving one client over standard input and output, which carry nothing but the protocol.

use std::time::Duration;

use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;
use tokio::time::{Instant, sleep};

use crate::server::Server;

/// The least time between two looks for changes.
const PAUSE: Duration = Duration::from_millis(500);
/// The longest, however long the last look had to wait for others.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// Looking takes at most this part of the time.
const SHARE: u32 = 20;

/// Serves until the client has gone; why it could not, where it could not.
pub async fn serve_stdio(server: Server) -> Result<(), String> {
    let watching = tokio::spawn(watch(server.clone()));
    let serving = server.serve(rmcp::transport::stdio()).await;
    let ended = match serving {
        Ok(service) => service.waiting().await.map(drop).map_err(|error| error.to_string()),
        // Somebody who leaves before saying anything has done nothing wrong.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(error.to_string()),
    };
    watching.abort();
    ended
}

async fn watch(server: Server) {
    loop {
        let begun = Instant::now();
        server.look().await;
        sleep((begun.elapsed() * SHARE).clamp(PAUSE, LONGEST_PAUSE)).await;
    }
}
