//! What the runtimes need to know of this process's environment, which no library reads by itself.

use std::path::PathBuf;

/// The part of the environment that runtimes look at: what they read by themselves elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// The home directory.
    pub home: Option<PathBuf>,
    /// `XDG_RUNTIME_DIR`: where the sockets of this user's session are. Without it the embedded runtime looks at the usual place.
    pub runtime_dir: Option<PathBuf>,
    /// `DOCKER_HOST`.
    pub docker_host: Option<String>,
    /// `DOCKER_CONTEXT`.
    pub docker_context: Option<String>,
    /// `DOCKER_CONFIG`: the directory of Docker's settings, `.docker` in the home directory if absent.
    pub docker_config: Option<PathBuf>,
    /// `DOCKER_TLS_VERIFY`.
    pub docker_tls_verify: Option<String>,
    /// `CONTAINER_HOST`.
    pub container_host: Option<String>,
    /// A directory of this user's, made where it is absent, for what Podman reads from a file. Without it Podman cannot be used.
    pub files: Option<PathBuf>,
}
