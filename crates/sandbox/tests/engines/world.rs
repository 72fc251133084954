//! An engine, a root file system, and one runtime to wait in.

use std::future::Future;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::Duration;

use guild_sandbox::{Backend, Command, Engine, LaunchError, Limits, Outcome, Policy, Root, Surroundings};
use guild_testkit::{Docker, GuestRoot, Podman, guest_root};
use serde_json::Value;

/// Which engine a test is run with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Docker,
    Podman,
}

/// An engine that runs.
pub struct World {
    pub kind: Kind,
    pub engine: Engine,
    files: tempfile::TempDir,
    host: String,
    _daemon: Daemon,
}

#[expect(dead_code, reason = "held while the engine is used")]
enum Daemon {
    Docker(Docker),
    Podman(Podman),
}

/// Makes of each function a test with Docker and one with Podman.
macro_rules! with_both {
    ($($(#[$meta:meta])* fn $name:ident($world:ident) $body:block)*) => {
        $($(#[$meta])* fn $name($world: &$crate::world::World) $body)*

        mod docker {
            $(#[test] fn $name() { super::$name(&$crate::world::World::new($crate::world::Kind::Docker)); })*
        }

        mod podman {
            $(#[test] fn $name() { super::$name(&$crate::world::World::new($crate::world::Kind::Podman)); })*
        }
    };
}

pub(crate) use with_both;

impl World {
    pub fn new(kind: Kind) -> World {
        let files = tempfile::tempdir().unwrap();
        let (host, daemon) = match kind {
            Kind::Docker => {
                let docker = Docker::start();
                (docker.host(), Daemon::Docker(docker))
            }
            Kind::Podman => {
                let podman = Podman::start();
                (podman.host(), Daemon::Podman(podman))
            }
        };
        let around = Surroundings {
            docker_host: Some(host.clone()),
            container_host: Some(host.clone()),
            files: Some(files.path().join("engine")),
            ..Surroundings::default()
        };
        let engine = match kind {
            Kind::Docker => Engine::docker(&around),
            Kind::Podman => Engine::podman(&around),
        };
        World { kind, engine, files, host, _daemon: daemon }
    }

    /// Its address.
    pub fn host(&self) -> String {
        self.host.clone()
    }

    /// Runs a command to its end.
    #[track_caller]
    pub fn run(&self, policy: &Policy, command: &Command) -> Outcome {
        self.try_run(policy, command).unwrap_or_else(|error| panic!("{error}: {error:?}"))
    }

    /// Runs a command to its end, if it can be launched.
    pub fn try_run(&self, policy: &Policy, command: &Command) -> Result<Outcome, LaunchError> {
        block_on(async { self.engine.launch(policy, command).await?.wait().await })
    }

    /// Runs a shell's script to its end.
    #[track_caller]
    pub fn shell(&self, policy: &Policy, script: &str) -> Outcome {
        self.run(policy, &shell(script))
    }

    /// The containers that a process has made and that are there, whether they run or not: other tests use the same engine.
    pub fn containers_of(&self, process: u32) -> Vec<Found> {
        let listed = self.ask("/containers/json?all=true");
        let owned = listed.as_array().unwrap().iter().filter(|found| owned_by(process, found));
        owned.map(|found| Found { running: found["State"] == "running" }).collect()
    }

    /// Containers and volumes that this test has left.
    pub fn left(&self) -> String {
        let containers = self.containers_of(std::process::id()).len();
        let listed = self.ask("/volumes");
        let volumes = listed["Volumes"].as_array().into_iter().flatten();
        let volumes = volumes.filter(|volume| owned_by(std::process::id(), volume)).count();
        format!("{containers} containers, {volumes} volumes")
    }

    /// Waits until this test has left nothing.
    pub async fn wait_until_nothing_is_left(&self) {
        while self.left() != NOTHING {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Asks the engine itself.
    fn ask(&self, path: &str) -> Value {
        let mut stream = UnixStream::connect(self.host.strip_prefix("unix://").unwrap()).unwrap();
        write!(stream, "GET {path} HTTP/1.0\r\nHost: localhost\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {answer}"))
    }

    /// A directory or file of this test's own.
    pub fn path(&self, name: &str) -> PathBuf {
        self.files.path().join(name)
    }
}

/// What is left when nothing is.
pub const NOTHING: &str = "0 containers, 0 volumes";

/// A container that an engine knows of.
#[derive(Debug, PartialEq, Eq)]
pub struct Found {
    pub running: bool,
}

fn owned_by(process: u32, labelled: &Value) -> bool {
    let owner = labelled["Labels"]["guild.owner"].as_str();
    owner.is_some_and(|owner| owner.starts_with(&format!("guild-{process}-")))
}

/// A shell with a script.
pub fn shell(script: &str) -> Command {
    Command::new("sh").arg("-c").arg(script)
}

/// The guest root, no network, little memory, and a time limit that only a hanging test reaches.
pub fn policy() -> Policy {
    let GuestRoot { path, digest } = guest_root();
    Policy {
        root: Root::Directory { path, digest },
        limits: Limits { memory: 128 << 20, timeout: Duration::from_secs(60), ..Limits::default() },
        ..Policy::default()
    }
}

/// Exit code, standard output and standard error, as a person reads them.
pub fn shown(outcome: &Outcome) -> String {
    format!("{} {:?} {:?}", outcome.exit_code(), outcome.stdout.text(), outcome.stderr.text())
}

/// Runs a future on this thread.
pub fn block_on<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}
