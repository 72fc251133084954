//! `sandbox run`: one command in a container of its own.
//!
//! It runs what a person typed, not a skill: nothing is resolved, vetted or approved here.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use guild_manifest::config::Sandbox;
use guild_sandbox::{Backend, Child, ChildStdin, Chunk, Command, Outcome, Stdin};

use super::{Backends, ContainerRequest, Refusal};
use crate::Envelope;
use crate::counted::counted;
use crate::reply::SandboxRun;

/// A command as it is asked for.
pub struct CommandRequest<'a> {
    /// The program and its arguments.
    pub argv: Vec<OsString>,
    /// Where it starts.
    pub cwd: PathBuf,
    /// Gets the command's standard input once it runs; `None` reads nothing.
    pub stdin: Option<Box<dyn FnOnce(ChildStdin) + Send>>,
    /// Sees its output as it comes.
    pub on_output: &'a mut (dyn FnMut(&Chunk) + Send),
}

/// Runs a command in a container of its own.
pub async fn sandbox_run(
    backends: &Backends,
    settings: &Sandbox,
    backend: Option<&str>,
    container: &ContainerRequest,
    command: CommandRequest<'_>,
) -> Envelope<SandboxRun> {
    let backend = match backends.choose(backend, settings).await {
        Ok(backend) => backend,
        Err(refusal) => return refused(refusal, None),
    };
    match run(backend, settings, container, command).await {
        Ok(outcome) => Envelope::ok(SandboxRun::from(&outcome)).with_message(remarks(&outcome)),
        Err(refusal) => refused(refusal, Some(backend.name().to_owned())),
    }
}

async fn run(
    backend: &dyn Backend,
    settings: &Sandbox,
    container: &ContainerRequest,
    request: CommandRequest<'_>,
) -> Result<Outcome, Refusal> {
    let policy = container.policy(settings)?;
    let child = backend.launch(&policy, &request.command()).await?;
    request.follow(child).await
}

impl CommandRequest<'_> {
    /// The command as the sandbox takes it.
    pub(super) fn command(&self) -> Command {
        let stdin = if self.stdin.is_some() { Stdin::Piped } else { Stdin::Empty };
        Command { argv: self.argv.clone(), cwd: self.cwd.clone(), env: BTreeMap::new(), stdin }
    }

    /// Passes input in and output on until the command has ended.
    pub(super) async fn follow(self, mut child: Child) -> Result<Outcome, Refusal> {
        if let (Some(feed), Some(stdin)) = (self.stdin, child.take_stdin()) {
            feed(stdin);
        }
        while let Some(chunk) = child.next().await {
            (self.on_output)(&chunk);
        }
        Ok(child.wait().await?)
    }
}

/// What a person should know of the end, beyond the exit code.
pub(super) fn remarks(outcome: &Outcome) -> String {
    let kept = outcome.stdout.bytes.len().max(outcome.stderr.bytes.len());
    let remarks = [
        outcome.timed_out.then(|| "its time was up".to_owned()),
        outcome.oom.then(|| "memory ran out, and at least one of its processes was killed for it".to_owned()),
        (outcome.stdout.truncated() || outcome.stderr.truncated())
            .then(|| format!("its output was longer than the {kept} bytes that are kept")),
        (!outcome.left_behind.is_empty())
            .then(|| format!("{} in /output left behind", counted(outcome.left_behind.len(), "thing"))),
        (!outcome.unenforced.is_empty()).then(|| {
            let names: Vec<&str> = outcome.unenforced.iter().map(|feature| feature.name()).collect();
            format!("not limited, as configured: {}", names.join(", "))
        }),
    ];
    remarks.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

pub(super) fn refused(refusal: Refusal, backend: Option<String>) -> Envelope<SandboxRun> {
    Envelope::error(refusal.code, refusal.message, SandboxRun::nothing(backend))
}
