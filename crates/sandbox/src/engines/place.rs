//! Where an engine listens, found as the engine's own clients find it.
//!
//! Nothing is contacted here, and no environment is read: what the clients would read there arrives as [`Surroundings`].

mod context;

use std::fmt;
use std::path::{Path, PathBuf};

use super::Kind;
use crate::probe::Finding;
use crate::surroundings::Surroundings;

/// Where an engine is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Endpoint {
    /// A socket of this machine.
    Unix(PathBuf),
    /// A host and port, without encryption; another machine as far as we know.
    Http(String),
}

impl Endpoint {
    /// Whether directories of this machine are there too.
    pub(super) fn is_local(&self) -> bool {
        matches!(self, Endpoint::Unix(_))
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Endpoint::Unix(path) => write!(formatter, "{}", path.display()),
            Endpoint::Http(address) => formatter.write_str(address),
        }
    }
}

/// Finds the endpoint of an engine, or says why there is none.
pub(super) fn find(kind: Kind, around: &Surroundings) -> Result<Endpoint, Finding> {
    match kind {
        Kind::Docker => docker(around),
        Kind::Podman => podman(around),
    }
}

/// The order of Docker's client: the host, the context by name, the current context, the default socket. After that the sockets
/// where Docker listens when a person runs it without root, or on a desktop.
fn docker(around: &Surroundings) -> Result<Endpoint, Finding> {
    let tls = given(&around.docker_tls_verify).is_some();
    if let Some(host) = given(&around.docker_host) {
        return endpoint(host, "DOCKER_HOST", tls);
    }
    if let Some((name, host)) = context::current(around)? {
        return endpoint(&host, &format!("the context `{name}`"), tls);
    }
    let in_home = |path: &str| around.home.as_ref().map(|home| home.join(path));
    let sockets = [
        Some(PathBuf::from("/var/run/docker.sock")),
        around.runtime_dir.as_ref().map(|directory| directory.join("docker.sock")),
        in_home(".docker/run/docker.sock"),
        in_home(".docker/desktop/docker.sock"),
    ];
    first_there(sockets.into_iter().flatten().collect(), DOCKER_FIX)
}

/// The socket of the person's own service before that of the machine's, which only root may use.
fn podman(around: &Surroundings) -> Result<Endpoint, Finding> {
    if let Some(host) = given(&around.container_host) {
        return endpoint(host, "CONTAINER_HOST", false);
    }
    let sockets = [
        around.runtime_dir.as_ref().map(|directory| directory.join("podman/podman.sock")),
        Some(PathBuf::from("/run/podman/podman.sock")),
    ];
    first_there(sockets.into_iter().flatten().collect(), PODMAN_FIX)
}

const DOCKER_FIX: &str = "install Docker and start it with `systemctl start docker`, or set DOCKER_HOST";
const PODMAN_FIX: &str =
    "install Podman and start its socket with `systemctl --user start podman.socket`, or set CONTAINER_HOST";

fn given(value: &Option<String>) -> Option<&str> {
    value.as_deref().filter(|value| !value.is_empty())
}

/// Reads an address as `DOCKER_HOST` has it.
fn endpoint(host: &str, named_by: &str, tls: bool) -> Result<Endpoint, Finding> {
    let refuse = |cause: String, fix: &str| Err(Finding::new(cause, fix));
    let (scheme, rest) = host.split_once("://").unwrap_or(("", host));
    match scheme {
        "unix" if Path::new(rest).is_absolute() => Ok(Endpoint::Unix(PathBuf::from(rest))),
        "tcp" | "http" if tls => {
            refuse(format!("{named_by} asks for TLS, which is not spoken here"), FORWARD_FIX)
        }
        "tcp" | "http" if !rest.is_empty() => Ok(Endpoint::Http(rest.trim_end_matches('/').to_owned())),
        "https" | "ssh" | "npipe" | "fd" => {
            refuse(format!("{named_by} is `{host}`, and `{scheme}` is not spoken here"), FORWARD_FIX)
        }
        _ => refuse(
            format!("{named_by} is `{host}`, which is no address"),
            "write it as unix:///path/to/socket or tcp://host:port",
        ),
    }
}

const FORWARD_FIX: &str = "forward the socket with `ssh -nNT -L /path/to/socket:/var/run/docker.sock HOST`, and name it as unix:///path/to/socket";

fn first_there(sockets: Vec<PathBuf>, fix: &str) -> Result<Endpoint, Finding> {
    if let Some(socket) = sockets.iter().find(|socket| socket.exists()) {
        return Ok(Endpoint::Unix(socket.clone()));
    }
    let places: Vec<String> = sockets.iter().map(|socket| socket.display().to_string()).collect();
    Err(Finding::new(format!("no socket at {}", places.join(" or ")), fix))
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;

    use expect_test::{Expect, expect};

    use super::*;

    /// A home with Docker's settings, a runtime directory with sockets, and what is found with these around.
    #[track_caller]
    fn check(kind: Kind, sockets: &[&str], around: Surroundings, expected: Expect) {
        let world = tempfile::tempdir().unwrap();
        let root = world.path().to_str().unwrap();
        for socket in sockets {
            let path = world.path().join(socket);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            UnixListener::bind(path).unwrap();
        }
        let around = Surroundings { runtime_dir: Some(world.path().join("run")), ..around };
        let found = match find(kind, &around) {
            Ok(Endpoint::Unix(path)) => format!("unix {}", path.display()),
            Ok(Endpoint::Http(address)) => format!("http {address}"),
            Err(finding) => format!("{}\nfix: {}", finding.cause, finding.fix),
        };
        expected.assert_eq(&found.replace(root, "[ROOT]"));
    }

    fn docker_host(host: &str) -> Surroundings {
        Surroundings { docker_host: Some(host.to_owned()), ..Surroundings::default() }
    }

    #[test]
    fn the_host_is_taken_at_its_word_whether_or_not_it_is_there() {
        check(
            Kind::Docker,
            &["run/docker.sock"],
            docker_host("unix:///nowhere.sock"),
            expect!["unix /nowhere.sock"],
        );
        check(Kind::Docker, &[], docker_host("tcp://box:2375"), expect!["http box:2375"]);
        let around =
            Surroundings { container_host: Some("unix:///p.sock".to_owned()), ..Surroundings::default() };
        check(Kind::Podman, &["run/podman/podman.sock"], around, expect!["unix /p.sock"]);
    }

    #[test]
    fn an_empty_host_is_none() {
        check(Kind::Docker, &["run/docker.sock"], docker_host(""), expect!["unix [ROOT]/run/docker.sock"]);
    }

    #[test]
    fn the_socket_of_the_person_comes_before_that_of_the_machine_with_podman() {
        check(
            Kind::Podman,
            &["run/podman/podman.sock"],
            Surroundings::default(),
            expect!["unix [ROOT]/run/podman/podman.sock"],
        );
    }

    #[test]
    fn where_there_is_no_socket_the_places_are_named() {
        check(
            Kind::Podman,
            &[],
            Surroundings::default(),
            expect![[r#"
                no socket at [ROOT]/run/podman/podman.sock or /run/podman/podman.sock
                fix: install Podman and start its socket with `systemctl --user start podman.socket`, or set CONTAINER_HOST"#]],
        );
    }

    #[test]
    fn what_is_not_spoken_is_said() {
        check(
            Kind::Docker,
            &[],
            docker_host("ssh://box"),
            expect![[r#"
                DOCKER_HOST is `ssh://box`, and `ssh` is not spoken here
                fix: forward the socket with `ssh -nNT -L /path/to/socket:/var/run/docker.sock HOST`, and name it as unix:///path/to/socket"#]],
        );
        check(
            Kind::Docker,
            &[],
            Surroundings { docker_tls_verify: Some("1".to_owned()), ..docker_host("tcp://box:2376") },
            expect![[r#"
                DOCKER_HOST asks for TLS, which is not spoken here
                fix: forward the socket with `ssh -nNT -L /path/to/socket:/var/run/docker.sock HOST`, and name it as unix:///path/to/socket"#]],
        );
        for wrong in ["docker.sock", "unix://relative.sock", "tcp://"] {
            assert!(find(Kind::Docker, &docker_host(wrong)).is_err(), "{wrong}");
        }
    }
}
