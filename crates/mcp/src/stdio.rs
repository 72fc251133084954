//! Serving one client over standard input and output, which carry nothing but the protocol.

mod streams;

use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;

use crate::server::Server;
use crate::watch::watch;

/// Serves until the client has gone; why it could not, where it could not.
pub async fn serve_stdio(server: Server) -> Result<(), String> {
    let watching = tokio::spawn(watch(server.clone()));
    let serving = server.serve(streams::open()).await;
    let ended = match serving {
        Ok(service) => service.waiting().await.map(drop).map_err(|error| error.to_string()),
        // Somebody who leaves before saying anything has done nothing wrong.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(error.to_string()),
    };
    watching.abort();
    ended
}
