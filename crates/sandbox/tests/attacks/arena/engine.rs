//! Docker and Podman as arenas: daemons of root's that tests share. An ordinary user is lent their sockets, which is how most people use
//! them.

use std::path::Path;

use guild_sandbox::{Backend, Engine, Surroundings};
use guild_testkit::{Docker, Podman};

/// The variables by which a test that is started again learns where engines answer.
const LENT: [(&str, &str); 2] = [("docker", "GUILD_ATTACK_DOCKER"), ("podman", "GUILD_ATTACK_PODMAN")];

/// The engine of this name, with a directory for its files.
pub(super) fn open(name: &str, directory: &Path) -> Box<dyn Backend> {
    let lent = LENT
        .iter()
        .find(|(engine, _)| *engine == name)
        .and_then(|(_, variable)| std::env::var(variable).ok());
    let host = lent.unwrap_or_else(|| start(name, None));
    let files = Some(directory.join("engine"));
    let engine = if name == "docker" {
        Engine::docker(&Surroundings { docker_host: Some(host), files, ..Surroundings::default() })
    } else {
        Engine::podman(&Surroundings { container_host: Some(host), files, ..Surroundings::default() })
    };
    Box::new(engine)
}

/// Starts those of these backends that are engines and lends them to a user; the variables that tell where they are.
pub(super) fn lend(backends: &str, user: u32) -> Vec<(&'static str, String)> {
    let engines =
        LENT.into_iter().filter(|(engine, _)| backends.split(',').any(|backend| backend == *engine));
    engines.map(|(engine, variable)| (variable, start(engine, Some(user)))).collect()
}

/// Starts an engine; it lives as long as this process needs it.
fn start(name: &str, lend_to: Option<u32>) -> String {
    if name == "docker" {
        let docker = Box::leak(Box::new(Docker::start()));
        lend_to.into_iter().for_each(|user| docker.lend(user));
        docker.host()
    } else {
        let podman = Box::leak(Box::new(Podman::start()));
        lend_to.into_iter().for_each(|user| podman.lend(user));
        podman.host()
    }
}
