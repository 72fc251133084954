//! One call of a plugin's tool: `/input/request.json` in, `/output/response.json` or standard output out.

use std::ffi::OsString;
use std::path::Path;

use guild_manifest::plugin::ToolRun;
use guild_sandbox::Network;
use serde_json::json;

use super::{Found, answer};
use crate::Refusal;
use crate::ports::{ToolCall, ToolError, ToolResult};
use crate::run::{ScratchDirectory, entrypoint_command};
use crate::sandbox::{
    CommandRequest, ContainerRequest, LimitRequest, MountMode, MountRequest, RunRequest, run_contained,
};
use crate::workshop::Workshop;

/// The version of what a tool finds in its request.
const CONTRACT: u32 = 1;
/// As much of a file as says what runs it.
const HEAD_BYTES: usize = 256;

impl Found {
    /// Runs the tool in a container of its own: no workspace, no network, the variables that its plugin declares.
    pub(super) async fn run(
        &self,
        workshop: &Workshop<'_>,
        call: &ToolCall<'_>,
    ) -> Result<ToolResult, ToolError> {
        let state = workshop.places.state().map_err(told)?;
        let failed = |error: std::io::Error| ToolError::Failed(format!("no directory for the call: {error}"));
        let scratch = ScratchDirectory::new(state).map_err(failed)?;
        let request = json!({
            "version": CONTRACT,
            "tool": self.tool.name,
            "payload": call.input,
            "agent": call.agent,
            "session": null,
            "skill": call.skill,
            "hash": call.security_hash,
        });
        std::fs::write(scratch.input().join("request.json"), request.to_string()).map_err(failed)?;
        let container = self.container(workshop, &scratch).await?;
        let command = CommandRequest {
            argv: self.words()?.into_iter().map(OsString::from).collect(),
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
        let ran = run_contained(workshop.backends, workshop.images, request, command).await;
        answer::read(&ran.map_err(told)?, &scratch.output())
    }

    async fn container(
        &self,
        workshop: &Workshop<'_>,
        scratch: &ScratchDirectory,
    ) -> Result<ContainerRequest, ToolError> {
        let plugin = &self.staged.plugin;
        let names: Vec<String> = plugin.required_env.iter().chain(&plugin.optional_env).cloned().collect();
        let read_only = |source: &Path, target: &str| MountRequest {
            source: source.to_owned(),
            target: target.into(),
            mode: MountMode::ReadOnly,
        };
        let root = &self.staged.root;
        Ok(ContainerRequest {
            role: None,
            mounts: vec![
                read_only(&scratch.input(), "/input"),
                read_only(root, "/skill"),
                read_only(root, "/plugin"),
            ],
            env: workshop.environment(&names).await.map_err(told)?,
            network: Network::None,
            limits: LimitRequest::default(),
            out: Some(scratch.output()),
        })
    }

    fn words(&self) -> Result<Vec<String>, ToolError> {
        match &self.tool.run {
            ToolRun::Command(words) => Ok(words.clone()),
            ToolRun::Entrypoint(path) => {
                let missing =
                    |error: std::io::Error| ToolError::Failed(format!("`{path}` cannot be read: {error}"));
                let bytes = std::fs::read(self.staged.root.join(path)).map_err(missing)?;
                Ok(entrypoint_command(path, bytes.get(..HEAD_BYTES).unwrap_or(&bytes)))
            }
        }
    }
}

fn told(refusal: Refusal) -> ToolError {
    ToolError::Unavailable(refusal.message)
}
