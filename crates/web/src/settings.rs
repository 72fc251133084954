//! What whoever starts the server decides about it.

use std::net::SocketAddr;
use std::time::Duration;

/// Where it listens, and to whom.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The address; port 0 takes one that is free.
    pub listen: SocketAddr,
    /// Names of this machine, beside those of the loopback, that requests may be meant for.
    pub hosts: Vec<String>,
    /// Pages, beside the server's own, that may ask: `https://example.org`.
    pub origins: Vec<String>,
    /// How much it takes.
    pub limits: Limits,
}

/// How much the server takes.
#[derive(Debug, Clone)]
pub struct Limits {
    /// The largest request, in bytes.
    pub body: usize,
    /// How long a client may take to send its request, or to read a piece of the answer.
    pub patience: Duration,
    /// Requests in a second, for each token; twice as many at once after a pause.
    pub rate: u32,
    /// Requests under way at once, for each token.
    pub requests: usize,
    /// Connections at once; who comes then waits.
    pub connections: usize,
    /// How long requests that are under way have when the server is told to end.
    pub grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body: 4 << 20,
            patience: Duration::from_secs(30),
            rate: 1_000,
            requests: 128,
            connections: 1_024,
            grace: Duration::from_secs(10),
        }
    }
}
