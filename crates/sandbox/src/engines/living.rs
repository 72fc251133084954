//! A container of an engine, from its creation to its removal.
//!
//! It lives as long as the connection to its first process, which is held here: see [`super::first`].

use std::path::Path;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bollard::Docker;
use bollard::container::AttachContainerResults;
use bollard::query_parameters::{
    AttachContainerOptionsBuilder, CreateContainerOptions, KillContainerOptions,
    RemoveContainerOptionsBuilder, StartContainerOptions,
};
use serde_json::Value;
use tokio::io::AsyncWrite;

use super::connection::{Connection, is_absent};
use super::plan::{self, Plan};
use super::{Kind, filter, worker};
use crate::backend::LaunchError;

/// How often a removal is asked about that somebody else has begun, and how long is waited between.
const ASKED: u32 = 100;
const PAUSE: Duration = Duration::from_millis(50);

/// A container that runs. It is killed and removed when this is dropped, at the latest.
pub(super) struct Living {
    /// The engine that has it.
    pub(super) connection: Arc<Connection>,
    /// Its name there.
    pub(super) id: String,
    /// What its first process waits on; gone when it is removed.
    lifeline: Mutex<Option<Lifeline>>,
}

struct Lifeline {
    _input: Pin<Box<dyn AsyncWrite + Send>>,
}

/// What an engine says of a container.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct State {
    /// Whether its first process lives.
    pub(super) running: bool,
    /// Which process that is, on the engine's machine.
    pub(super) pid: u32,
    /// Whether the engine says that memory ran out. It says so only of containers that have ended.
    pub(super) oom: bool,
}

impl Living {
    /// Creates and starts a container. `files` is where the filter is written that Podman reads.
    pub(super) async fn start(
        connection: Arc<Connection>,
        plan: &Plan,
        files: Option<&Path>,
    ) -> Result<Living, LaunchError> {
        let id = create(&connection, plan, files).await?;
        // From here on it is removed whatever happens.
        let living = Living { connection, id, lifeline: Mutex::new(None) };
        let client = &living.connection.client;
        let refused = living.connection.refused();
        let options = AttachContainerOptionsBuilder::default().stdin(true).stream(true).build();
        let AttachContainerResults { input, .. } =
            client.attach_container(&living.id, Some(options)).await.map_err(&refused)?;
        living.hold(Some(Lifeline { _input: input }));
        client.start_container(&living.id, None::<StartContainerOptions>).await.map_err(&refused)?;
        Ok(living)
    }

    /// What the engine says of it; `None` if it is gone.
    pub(super) async fn state(&self) -> Option<State> {
        let answer = self.connection.ask(&format!("/containers/{}/json", self.id)).await.ok()?;
        let state = answer.get("State")?;
        let is = |name: &str| state.get(name).and_then(Value::as_bool) == Some(true);
        let pid = state.get("Pid").and_then(Value::as_u64).and_then(|pid| u32::try_from(pid).ok());
        Some(State { running: is("Running"), pid: pid.unwrap_or(0), oom: is("OOMKilled") })
    }

    /// Whether its first process lives.
    pub(super) async fn runs(&self) -> bool {
        self.state().await.is_some_and(|state| state.running)
    }

    /// Kills everything in it and leaves it to be asked about.
    pub(super) async fn kill(&self) {
        // One that has ended cannot be killed, which is as good.
        let _ = self.connection.client.kill_container(&self.id, None::<KillContainerOptions>).await;
    }

    /// Kills everything in it and removes it. Harmless if that was done before.
    pub(super) async fn remove(&self) -> Result<(), LaunchError> {
        let removed = remove(&self.connection.client, &self.id).await;
        if removed.is_ok() {
            self.hold(None);
        }
        removed.map_err(self.connection.refused())
    }

    fn hold(&self, lifeline: Option<Lifeline>) {
        if let Ok(mut held) = self.lifeline.lock() {
            *held = lifeline;
        }
    }

    fn is_removed(&self) -> bool {
        self.lifeline.lock().is_ok_and(|held| held.is_none())
    }
}

impl Drop for Living {
    fn drop(&mut self) {
        if self.is_removed() {
            return;
        }
        let (client, id) = (self.connection.client.clone(), self.id.clone());
        worker::begin(async move {
            // The end of the lifeline kills it in any case, and the next start removes it.
            let _ = remove(&client, &id).await;
        });
    }
}

async fn create(connection: &Connection, plan: &Plan, files: Option<&Path>) -> Result<String, LaunchError> {
    match connection.facts.engine {
        Kind::Docker => {
            let description = plan::for_docker(plan);
            let created = connection.client.create_container(None::<CreateContainerOptions>, description);
            Ok(created.await.map_err(connection.refused())?.id)
        }
        Kind::Podman => {
            let filter = filter::write(files, plan.network())?;
            connection.create_podman(&plan::for_podman(plan, &connection.facts, &filter)).await
        }
    }
}

/// Removes a container and what it keeps in memory, whether it runs or not. One that somebody else removes already is waited for.
pub(super) async fn remove(client: &Docker, id: &str) -> Result<(), bollard::errors::Error> {
    let options = || RemoveContainerOptionsBuilder::default().force(true).v(true).build();
    let mut asked = 0;
    loop {
        match client.remove_container(id, Some(options())).await {
            Ok(()) => return Ok(()),
            Err(error) if is_absent(&error) => return Ok(()),
            Err(error) if asked == ASKED => return Err(error),
            Err(_) => asked += 1,
        }
        tokio::time::sleep(PAUSE).await;
    }
}
