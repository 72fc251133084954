//! A program of a plugin in a container of its own: the plugin's copy, the kit and its input to read, `/output` to write, no
//! workspace and no network.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use guild_sandbox::{Network, Outcome};

use super::kit::Kit;
use crate::Refusal;
use crate::ports::ToolError;
use crate::run::ScratchDirectory;
use crate::sandbox::{
    CommandRequest, ContainerRequest, LimitRequest, MountMode, MountRequest, RunRequest, run_contained,
};
use crate::workshop::Workshop;

/// What is run.
pub(super) struct Job<'a> {
    /// The plugin's copy.
    pub root: &'a Path,
    /// The program and its arguments.
    pub words: Vec<String>,
    /// Where its input lies and its output goes.
    pub scratch: &'a ScratchDirectory,
    /// The variables that reach it.
    pub env: BTreeMap<String, String>,
    /// How long it may take, where that is other than configured.
    pub timeout: Option<Duration>,
}

impl Job<'_> {
    /// Runs it to its end.
    pub(super) async fn run(self, workshop: &Workshop<'_>) -> Result<Outcome, ToolError> {
        let kit = Kit::in_store(workshop.store)?;
        let mut container = container(self.root, &kit, self.env);
        let input =
            MountRequest { source: self.scratch.input(), target: "/input".into(), mode: MountMode::ReadOnly };
        container.mounts.push(input);
        container.out = Some(self.scratch.output());
        container.limits = LimitRequest { timeout: self.timeout, ..LimitRequest::default() };
        let command = CommandRequest {
            argv: self.words.into_iter().map(Into::into).collect(),
            cwd: "/skill".into(),
            stdin: None,
            on_output: &mut |_| {},
        };
        let request = RunRequest {
            container: &container,
            backend: None,
            places: workshop.places,
            now: (workshop.clock)(),
        };
        run_contained(workshop.backends, workshop.images, request, command).await.map_err(told)
    }
}

/// The container that every program of a plugin is run in.
pub(super) fn container(root: &Path, kit: &Kit, env: BTreeMap<String, String>) -> ContainerRequest {
    let read_only = |source: &Path, target: &str| MountRequest {
        source: source.to_owned(),
        target: target.into(),
        mode: MountMode::ReadOnly,
    };
    let mut all = BTreeMap::from([("PYTHONPATH".to_owned(), "/kit".to_owned())]);
    all.extend(env);
    ContainerRequest {
        mounts: vec![read_only(root, "/skill"), read_only(root, "/plugin"), read_only(&kit.root, "/kit")],
        env: all,
        network: Network::None,
        ..ContainerRequest::default()
    }
}

pub(super) fn told(refusal: Refusal) -> ToolError {
    ToolError::Unavailable(refusal.message)
}
