//! `servers list`: what the configuration says, without reaching anybody.

use guild_sandbox::Network;

use super::settings::{Reach, servers};
use crate::Envelope;
use crate::hall::Hall;
use crate::reply::{ServerLine, Servers};

/// The servers that are on.
pub fn servers_list(hall: &Hall) -> Envelope<Servers> {
    let servers: Vec<ServerLine> = servers(&hall.config)
        .into_iter()
        .map(|server| {
            let timeout_seconds = server.timeout.as_secs();
            let common = ServerLine {
                name: server.name,
                transport: "http",
                command: Vec::new(),
                url: None,
                network: "host",
                variables: Vec::new(),
                read_only: server.read_only,
                timeout_seconds,
            };
            match server.reach {
                Reach::Contained(contained) => ServerLine {
                    transport: "container",
                    command: contained.command,
                    network: match contained.network {
                        Network::None => "none",
                        Network::Host => "host",
                    },
                    variables: contained.env,
                    ..common
                },
                Reach::Http(http) => ServerLine {
                    url: Some(http.url),
                    variables: http.headers.into_keys().collect(),
                    ..common
                },
            }
        })
        .collect();
    let count = servers.len();
    Envelope::ok(Servers { servers, count })
}
