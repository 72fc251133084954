//! A connection to an engine that was found, and the ways in which there is none.

use std::error::Error as _;
use std::io;
use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

use bollard::Docker;
use bollard::errors::Error;
use bollard::models::{ContainerCreateBody, SystemInfo};
use bollard::query_parameters::CreateContainerOptions;
use bytes::Bytes;
use futures_util::TryStreamExt;
use serde_json::Value;
use tokio::net::{TcpStream, UnixStream};
use tokio::time::timeout;

use super::Kind;
use super::facts::{Circumstances, Facts};
use super::place::{self, Endpoint};
use crate::backend::LaunchError;
use crate::probe::Finding;
use crate::surroundings::Surroundings;

/// How long an engine may take to answer at all.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long a request may take whose answer is work: a start, a removal.
const WORK: Duration = Duration::from_secs(120);

/// An engine that answers.
#[derive(Debug)]
pub(super) struct Connection {
    /// Speaks to it.
    pub(super) client: Docker,
    /// What it is.
    pub(super) facts: Facts,
    /// What it was asked for as: the name of the backend.
    pub(super) backend: &'static str,
}

impl Connection {
    /// Finds an engine, connects to it and asks what it is.
    pub(super) async fn open(kind: Kind, surroundings: &Surroundings) -> Result<Connection, Finding> {
        let endpoint = place::find(kind, surroundings)?;
        let (client, rootless) = timeout(PATIENCE, reach(kind, &endpoint)).await.map_err(|_| {
            Finding::new(
                format!("no answer from {endpoint} within {} s", PATIENCE.as_secs()),
                "see whether it is overloaded or hangs, and restart it",
            )
        })??;
        // Podman takes its time for each.
        let (version, info) =
            tokio::try_join!(client.version(), client.info()).map_err(garbled(kind, &endpoint))?;
        let local = endpoint.is_local() && is_here(&info);
        let around = Circumstances { local, rootless, swap: has_swap() };
        Ok(Connection { client, facts: Facts::new(version, info, around), backend: kind.name() })
    }

    /// Whether it still answers.
    pub(super) async fn answers(&self) -> bool {
        matches!(timeout(PATIENCE, self.client.ping()).await, Ok(Ok(_)))
    }

    /// Creates a container from Podman's own description of one. Its imitation of Docker's leaves out what the policy needs, adds
    /// writable directories and the host's table of hosts, and reads mounts as text in which a comma is an option.
    pub(super) async fn create_podman(&self, description: &Value) -> Result<String, LaunchError> {
        let body = Bytes::from(description.to_string());
        let client = self.client.clone().with_request_modifier(move |mut request| {
            if let Some(own) = instead(&request.uri().to_string(), "/v4.0.0/libpod/containers/create") {
                *request.uri_mut() = own;
            }
            *request.body_mut() = bollard::body_full(body.clone());
            request
        });
        let created = client.create_container(None::<CreateContainerOptions>, ContainerCreateBody::default());
        Ok(created.await.map_err(self.refused())?.id)
    }

    /// Asks for something, and takes the answer as it is: the client refuses states of containers that only Podman has.
    pub(super) async fn ask(&self, path: &str) -> Result<Value, Error> {
        let path = path.to_owned();
        let client = self.client.clone().with_request_modifier(move |mut request| {
            if let Some(asked) = instead(&request.uri().to_string(), &path) {
                *request.uri_mut() = asked;
            }
            request
        });
        // Any request does that answers with bytes.
        let answer: Vec<Bytes> = client.export_container("asked").try_collect().await?;
        Ok(serde_json::from_slice(&answer.concat())?)
    }

    /// What an error of the client means.
    pub(super) fn refused(&self) -> impl Fn(Error) -> LaunchError + use<> {
        let backend = self.backend;
        move |error| LaunchError::Engine { backend, message: message(&error) }
    }

    /// The client, for a request that takes as long as it takes.
    pub(super) fn patient(&self) -> Docker {
        self.client.clone().with_timeout(Duration::from_secs(3600))
    }
}

/// Whether the engine says that there is no such thing.
pub(super) fn is_absent(error: &Error) -> bool {
    matches!(error, Error::DockerResponseServerError { status_code: 404, .. })
}

/// An engine's own words, on one line.
fn message(error: &Error) -> String {
    let words = match error {
        Error::DockerResponseServerError { message, .. } => message.clone(),
        other => other.source().map_or_else(|| other.to_string(), ToString::to_string),
    };
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Another path on the same host.
fn instead<U: FromStr>(uri: &str, path: &str) -> Option<U> {
    let (scheme, rest) = uri.split_once("://")?;
    let (host, _) = rest.split_once('/')?;
    format!("{scheme}://{host}{path}").parse().ok()
}

/// A client of whoever answers there, and whether that is not root.
async fn reach(kind: Kind, endpoint: &Endpoint) -> Result<(Docker, bool), Finding> {
    let rootless = knock(endpoint).await.map_err(|error| unreachable(kind, endpoint, &error))?;
    let (seconds, version) = (WORK.as_secs(), bollard::API_DEFAULT_VERSION);
    let client = match endpoint {
        Endpoint::Unix(path) => Docker::connect_with_unix(&path.to_string_lossy(), seconds, version),
        Endpoint::Http(address) => Docker::connect_with_http(address, seconds, version),
    };
    let client = client.map_err(garbled(kind, endpoint))?;
    client.ping().await.map_err(garbled(kind, endpoint))?;
    Ok((client, rootless))
}

fn garbled(kind: Kind, endpoint: &Endpoint) -> impl Fn(Error) -> Finding {
    move |error| {
        let cause = format!("{endpoint} does not answer as {} does: {}", kind.title(), message(&error));
        Finding::new(cause, "see whether something else listens there")
    }
}

/// Connects, to learn from the system why it is not possible, and whether whoever listens is not root.
async fn knock(endpoint: &Endpoint) -> io::Result<bool> {
    match endpoint {
        Endpoint::Unix(path) => {
            let stream = UnixStream::connect(path).await?;
            Ok(stream.peer_cred()?.uid() != 0)
        }
        Endpoint::Http(address) => TcpStream::connect(address).await.map(|_| false),
    }
}

fn unreachable(kind: Kind, endpoint: &Endpoint, error: &io::Error) -> Finding {
    let fix = match (error.kind(), kind) {
        (io::ErrorKind::PermissionDenied, Kind::Docker) => {
            "add yourself to the group docker (`usermod -aG docker $USER`, then log in again), or use podman"
        }
        (io::ErrorKind::PermissionDenied, Kind::Podman) => {
            "use a service of your own: `systemctl --user start podman.socket`"
        }
        (_, Kind::Docker) => "start it with `systemctl start docker`",
        (_, Kind::Podman) => {
            "start it with `systemctl --user start podman.socket`, or `podman system service --time=0 unix:///path/to/socket`"
        }
    };
    let cause = match error.kind() {
        io::ErrorKind::PermissionDenied => format!("permission denied on {endpoint}"),
        io::ErrorKind::NotFound => format!("no socket at {endpoint}"),
        io::ErrorKind::ConnectionRefused => format!("nobody listens on {endpoint}"),
        _ => format!("cannot connect to {endpoint}: {error}"),
    };
    Finding::new(cause, fix)
}

/// Whether an engine behind a socket of this machine says that it runs here: a socket may be forwarded from another machine or out of a
/// virtual one, or be shown to the container that this is, and then other directories have the same names.
#[cfg(target_os = "linux")]
fn is_here(info: &SystemInfo) -> bool {
    let here = rustix::system::uname();
    let is = |said: &Option<String>, known: &std::ffi::CStr| said.as_deref() == known.to_str().ok();
    is(&info.kernel_version, here.release()) && is(&info.name, here.nodename())
}

/// Elsewhere engines run in a virtual machine that shows this one's directories under their own names.
#[cfg(not(target_os = "linux"))]
fn is_here(_info: &SystemInfo) -> bool {
    true
}

/// Whether this machine has swap; where that cannot be told it counts as having some.
fn has_swap() -> bool {
    let Ok(memory) = std::fs::read_to_string(Path::new("/proc/meminfo")) else { return true };
    let total = memory.lines().find_map(|line| line.strip_prefix("SwapTotal:"));
    total.is_none_or(|total| total.split_whitespace().next() != Some("0"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_path_is_on_the_same_host() {
        let instead = |uri| instead::<String>(uri, "/info?a=b");
        assert_eq!(instead("unix://2f70/containers/create").as_deref(), Some("unix://2f70/info?a=b"));
        assert_eq!(instead("http://box:2375/v1.41/x?y").as_deref(), Some("http://box:2375/info?a=b"));
        assert_eq!(instead("nonsense"), None);
    }
}
