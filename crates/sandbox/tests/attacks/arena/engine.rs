//! Docker and Podman as arenas: daemons that tests share, and a root file system of this machine's programs.

use std::path::Path;

use guild_sandbox::{Backend, Engine, Policy, Root, Surroundings};
use guild_testkit::{Docker, GuestRoot, Podman, guest_root};

/// The engine of this name, and a policy with a root that it can run.
pub(super) fn arena(name: &str, directory: &Path) -> (Box<dyn Backend>, Policy) {
    let GuestRoot { path, digest } = guest_root();
    let policy = Policy { root: Root::Directory { path, digest }, ..Policy::default() };
    let files = Some(directory.join("engine"));
    // Daemons live as long as this process needs them.
    let backend = if name == "docker" {
        let host = Box::leak(Box::new(Docker::start())).host();
        Engine::docker(&Surroundings { docker_host: Some(host), files, ..Surroundings::default() })
    } else {
        let host = Box::leak(Box::new(Podman::start())).host();
        Engine::podman(&Surroundings { container_host: Some(host), files, ..Surroundings::default() })
    };
    (Box::new(backend), policy)
}
