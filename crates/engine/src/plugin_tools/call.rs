//! One call of a plugin's tool: `/input/request.json` in, `/output/response.json` or standard output out.

use std::fs;
use std::io;
use std::path::Path;

use guild_manifest::plugin::ToolRun;
use serde_json::{Map, Value, json};

use super::contained::{Job, told};
use super::shipped::{Offer, Shipped, Start};
use super::{answer, kit};
use crate::ports::{ToolCall, ToolError, ToolResult};
use crate::run::{ScratchDirectory, entrypoint_command};
use crate::workshop::Workshop;

/// The version of what a tool finds in its request.
const CONTRACT: u32 = 1;
/// As much of a file as says what runs it.
const HEAD_BYTES: usize = 256;
/// A longer name is none of a file.
const LONGEST_NAME: usize = 64;

impl Shipped {
    /// Runs a tool in a container of its own: no workspace, no network, the variables that its plugin declares.
    pub(super) async fn run(
        &self,
        workshop: &Workshop<'_>,
        tool: &Offer,
        call: &ToolCall<'_>,
    ) -> Result<ToolResult, ToolError> {
        // One that asks every time is never started before it was allowed.
        if let Some(standbys) = workshop.backends.standbys.as_ref().filter(|_| tool.warm && tool.read_only) {
            return self.run_warm(workshop, tool, call, standbys).await;
        }
        let state = workshop.places.state().map_err(told)?;
        let failed = |error: io::Error| ToolError::Failed(format!("no directory for the call: {error}"));
        let scratch = ScratchDirectory::new(state).map_err(failed)?;
        hand_in(&scratch.input(), &request(&tool.name, call), call.input).map_err(failed)?;
        let job = Job {
            root: &self.staged.root,
            words: self.words(tool, "call")?,
            scratch: &scratch,
            env: workshop.environment(&self.environment()).await.map_err(told)?,
            timeout: None,
        };
        let outcome = job.run(workshop).await?;
        answer::read(&outcome, &scratch.output())
    }

    /// The command; `verb` is what a module is told to do.
    pub(super) fn words(&self, tool: &Offer, verb: &str) -> Result<Vec<String>, ToolError> {
        match &tool.run {
            Start::Declared(ToolRun::Command(words)) => Ok(words.clone()),
            Start::Declared(ToolRun::Entrypoint(path)) => {
                let missing =
                    |error: io::Error| ToolError::Failed(format!("`{path}` cannot be read: {error}"));
                let bytes = fs::read(self.staged.root.join(path)).map_err(missing)?;
                Ok(entrypoint_command(path, bytes.get(..HEAD_BYTES).unwrap_or(&bytes)))
            }
            Start::Function { module } => {
                Ok(["python3", kit::RUNNER, verb, module].map(str::to_owned).into())
            }
        }
    }
}

/// What a tool is told.
pub(super) fn request(tool: &str, call: &ToolCall<'_>) -> Value {
    json!({
        "version": CONTRACT,
        "tool": tool,
        "payload": call.input,
        "agent": call.agent,
        "session": null,
        "skill": call.skill,
        "hash": call.security_hash,
    })
}

/// Writes the request, and each value of the payload as a file of its own for shells, which read no JSON.
fn hand_in(input: &Path, request: &Value, payload: &Map<String, Value>) -> io::Result<()> {
    fs::write(input.join("request.json"), request.to_string())?;
    let directory = input.join("payload");
    fs::create_dir(&directory)?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    for (name, value) in payload {
        if !name.is_empty() && name.len() <= LONGEST_NAME && name.chars().all(is_plain) {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            fs::write(directory.join(name), text)?;
        }
    }
    Ok(())
}
