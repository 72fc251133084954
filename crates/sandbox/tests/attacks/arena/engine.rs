//! Docker and Podman as arenas: daemons that tests share.

use std::path::Path;

use guild_sandbox::{Backend, Engine, Surroundings};
use guild_testkit::{Docker, Podman};

/// The engine of this name, with a directory for its files.
pub(super) fn start(name: &str, directory: &Path) -> Box<dyn Backend> {
    let files = Some(directory.join("engine"));
    // Daemons live as long as this process needs them.
    let engine = if name == "docker" {
        let host = Box::leak(Box::new(Docker::start())).host();
        Engine::docker(&Surroundings { docker_host: Some(host), files, ..Surroundings::default() })
    } else {
        let host = Box::leak(Box::new(Podman::start())).host();
        Engine::podman(&Surroundings { container_host: Some(host), files, ..Surroundings::default() })
    };
    Box::new(engine)
}
