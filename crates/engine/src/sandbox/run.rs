//! `sandbox run`: one command in a container of its own.
//!
//! It runs what a person typed, not a skill: nothing is resolved, vetted or approved here.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use guild_sandbox::{Child, ChildStdin, Chunk, Command, Outcome, Stdin};

use super::backend::Chosen;
use super::{Backends, ContainerRequest, Refusal};
use crate::changes::Keeping;
use crate::counted::counted;
use crate::image::Images;
use crate::reply::{ChangeSummary, SandboxRun};
use crate::{Code, Envelope, Places};

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

/// Where and how a command is run.
#[derive(Debug, Clone, Copy)]
pub struct RunRequest<'a> {
    /// What its container may see and use.
    pub container: &'a ContainerRequest,
    /// The runtime by name.
    pub backend: Option<&'a str>,
    /// Where changes are kept.
    pub places: &'a Places,
    /// The moment.
    pub now: SystemTime,
}

/// Runs a command in a container of its own.
pub async fn sandbox_run(
    backends: &Backends,
    images: &Images,
    request: RunRequest<'_>,
    command: CommandRequest<'_>,
) -> Envelope<SandboxRun> {
    let chosen = match backends.choose(request.backend, images.settings()) {
        Ok(chosen) => chosen,
        Err(refusal) => return refused(refusal, None),
    };
    match run(chosen, images, request, command).await {
        Ok((outcome, changes)) => {
            let (changes, lost) = changes.map_or_else(|lost| (Vec::new(), Some(lost)), |kept| (kept, None));
            let message = remarks(&outcome, &changes);
            let data = SandboxRun { changes, ..SandboxRun::from(&outcome) };
            match lost.or_else(|| obstructed(&outcome, request.container.out.as_deref())) {
                Some(Refusal { code, message }) => Envelope::error(code, message, data),
                None => Envelope::ok(data).with_message(message),
            }
        }
        Err(refusal) => refused(refusal, Some(chosen.name().to_owned())),
    }
}

/// The same for whoever is not a person at a terminal.
pub(crate) async fn run_contained(
    backends: &Backends,
    images: &Images,
    request: RunRequest<'_>,
    command: CommandRequest<'_>,
) -> Result<Outcome, Refusal> {
    let chosen = backends.choose(request.backend, images.settings())?;
    let (outcome, changes) = run(chosen, images, request, command).await?;
    changes.map(|_| outcome)
}

/// What came of a command, and of what it wrote.
type Ran = (Outcome, Result<Vec<ChangeSummary>, Refusal>);

async fn run(
    chosen: Chosen<'_>,
    images: &Images,
    request: RunRequest<'_>,
    command: CommandRequest<'_>,
) -> Result<Ran, Refusal> {
    // Held until the end, lest the image be removed from under the command.
    let role = images.resolve(request.container.role.as_deref())?;
    let kept: Vec<&Path> = request.container.kept().collect();
    // A layer is made for one runtime, so that it has to be known which.
    let chosen = if kept.is_empty() { chosen } else { chosen.settled().await };
    let begin = |source| Keeping::begin(request.places, source, request.now, chosen.takes_overlay_of(source));
    let mut keeping: Vec<Keeping> = kept.into_iter().map(begin).collect::<Result<_, _>>()?;
    let layers: Vec<&Path> = keeping.iter().map(Keeping::layer).collect();
    let policy = request.container.policy(images.settings(), role.root.clone(), &layers)?;
    let child = chosen.launch(&policy, &command.command()).await?;
    keeping.iter_mut().try_for_each(|keeping| keeping.watch(&child))?;
    let outcome = command.follow(child).await?;
    Ok((outcome, Keeping::finish_all(keeping)))
}

impl CommandRequest<'_> {
    /// The command as the sandbox takes it.
    pub(crate) fn command(&self) -> Command {
        let stdin = if self.stdin.is_some() { Stdin::Piped } else { Stdin::Empty };
        Command { argv: self.argv.clone(), cwd: self.cwd.clone(), env: BTreeMap::new(), stdin }
    }

    /// Passes input in and output on until the command has ended.
    pub(crate) async fn follow(self, mut child: Child) -> Result<Outcome, Refusal> {
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
pub(crate) fn remarks(outcome: &Outcome, changes: &[ChangeSummary]) -> String {
    let kept = outcome.stdout.bytes.len().max(outcome.stderr.bytes.len());
    let remarks = [
        outcome.timed_out.then(|| "its time was up".to_owned()),
        outcome.oom.then(|| "memory ran out, and at least one of its processes was killed for it".to_owned()),
        (outcome.stdout.truncated() || outcome.stderr.truncated())
            .then(|| format!("its output was longer than the {kept} bytes that are kept")),
        outcome.left_behind.first().map(|(path, why)| {
            let others = match outcome.left_behind.len() - 1 {
                0 => String::new(),
                more => format!(", and {} more", counted(more, "thing")),
            };
            format!("/output/{} left behind: {why}{others}", path.display())
        }),
        (!outcome.unenforced.is_empty()).then(|| {
            let names: Vec<&str> = outcome.unenforced.iter().map(|feature| feature.name()).collect();
            format!("not limited, as configured: {}", names.join(", "))
        }),
    ];
    let kept = changes.iter().map(|set| {
        let count = counted(set.added + set.changed + set.deleted, "change");
        format!(
            "{count} to {} kept as {id}; `guild changes show {id}` shows, `apply` or `drop` decides",
            set.directory,
            id = set.id
        )
    });
    remarks.into_iter().flatten().chain(kept).collect::<Vec<_>>().join("; ")
}

/// Why a command that ended well has failed all the same: its files are not where they were to go.
pub(crate) fn obstructed(outcome: &Outcome, out: Option<&Path>) -> Option<Refusal> {
    let names: Vec<String> = outcome.obstructed().map(|path| format!("`{}`", path.display())).collect();
    let out = out.filter(|_| !names.is_empty())?;
    let message = format!(
        "{} of /output left behind: there is something of that name in {} already, which stays as it is; move it away, or name another directory",
        names.join(", "),
        out.display()
    );
    Some(Refusal::new(Code::AlreadyExists, message))
}

pub(super) fn refused(refusal: Refusal, backend: Option<String>) -> Envelope<SandboxRun> {
    Envelope::error(refusal.code, refusal.message, SandboxRun::nothing(backend))
}
