//! Skills for a child agent: the body is its system prompt, the task its only input, and one answer comes back.
//!
//! Who runs it is a part of what a person approves. What it did in between is a transcript, which the receipt names by digest.
//! Where nobody runs child agents it ends in an error, never in the instructions themselves.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use guild_catalog::render::Arguments;
use guild_ledger::receipt;
use guild_manifest::Digest;
use guild_manifest::skill::Kind;
use guild_sandbox::{Chunk, Stream};
use serde_json::Value;

use super::Invocation;
use super::child::{ChildTools, Parent, secrets, tools_in_scope, workspace_for};
use super::executor::{Call, Done, Executor};
use super::prepare::{Draft, Prepared};
use super::stop::Stop;
use crate::hall::Hall;
use crate::ports::{Pending, SubagentError, SubagentRunner, SubagentTask};
use crate::render::{Body, body_alone};
use crate::runners::faults;
use crate::security_hash::RunnerIdentity;
use crate::transcript::Transcript;
use crate::workshop::Workshop;
use crate::{Code, Refusal};

/// The longest task.
const LONGEST_TASK: usize = 256 << 10;

/// Hands the skill to a runner.
pub struct Subagent;

impl Executor for Subagent {
    fn kind(&self) -> Kind {
        Kind::Subagent
    }

    fn call<'a>(
        &'a self,
        workshop: &'a Workshop<'_>,
        draft: &'a Draft<'_>,
    ) -> Pending<'a, Result<Call, Box<Stop>>> {
        let call = call(workshop, draft).map_err(|refusal| draft.stop(refusal));
        Box::pin(async { call })
    }

    fn bind<'a>(
        &'a self,
        workshop: &'a Workshop<'_>,
        draft: &'a mut Draft<'_>,
    ) -> Pending<'a, Result<(), Refusal>> {
        let bound =
            equipped(workshop, draft).and_then(|(runner, _)| draft.staged.pin_runner(runner, workshop.store));
        Box::pin(async { bound })
    }

    fn execute<'a>(
        &'a self,
        workshop: &'a Workshop<'_>,
        invocation: &'a mut Invocation<'_>,
        prepared: &'a Prepared<'_>,
    ) -> Pending<'a, Done> {
        let words = Words { instructions: instructions(workshop, prepared), task: task_of(prepared) };
        Box::pin(executed(workshop, invocation, prepared, words))
    }
}

/// What a child agent is told.
pub(super) struct Words {
    /// The system prompt.
    pub instructions: String,
    /// The only input.
    pub task: String,
}

/// Runs it to its end, and keeps what was said.
pub(super) async fn executed(
    workshop: &Workshop<'_>,
    invocation: &mut Invocation<'_>,
    prepared: &Prepared<'_>,
    words: Words,
) -> Done {
    let started = workshop.now();
    let transcript = Transcript::hiding(secrets(workshop).await);
    let answer = answer(workshop, invocation, prepared, &words, &transcript).await;
    let mut reply = prepared.reply();
    let mut outcome = receipt::Outcome::at(started, workshop.now());
    outcome.timed_out = matches!(&answer, Err(refusal) if refusal.code == Code::SubagentTimedOut);
    keep(workshop, &transcript, &mut outcome);
    let spent = outcome.finished.millis().saturating_sub(outcome.started.millis());
    reply.wall_time_ms = spent;
    reply.timed_out = outcome.timed_out;
    reply.backend = prepared.call.runner.as_ref().map(|runner| runner.name.clone());
    reply.transcript = outcome.outputs.get(TRANSCRIPT).map(|output| output.digest.to_string());
    match answer {
        Ok(answer) => {
            reply.exit_code = 0;
            reply.output = Some(answer.into());
            Done { outcome: Some(outcome), ..Done::ok(reply) }
        }
        Err(refusal) => Done { outcome: Some(outcome), ..Done::failed(reply, refusal) },
    }
}

/// What a transcript is called among a run's outputs.
const TRANSCRIPT: &str = "transcript";

/// Who would run it, if anybody would.
fn call(workshop: &Workshop<'_>, draft: &Draft<'_>) -> Result<Call, Refusal> {
    let (runner, workspace) = equipped(workshop, draft)?;
    let task = task_of(draft);
    if task.trim().is_empty() {
        let message =
            format!("skill `{}` is for a child agent, which needs a task: `--task \"…\"`", draft.name);
        return Err(Refusal::new(Code::InvalidParams, message));
    }
    if task.len() > LONGEST_TASK {
        let message = format!("the task is longer than {LONGEST_TASK} bytes");
        return Err(Refusal::new(Code::InvalidParams, message));
    }
    let looks = runner.tools.iter().any(|tool| super::child::is_looking(tool));
    let mut shown = vec![runner.name.clone()];
    shown.extend(runner.model.iter().flat_map(|model| ["--model".to_owned(), model.clone()]));
    shown.extend(["--task".to_owned(), task]);
    Ok(Call {
        needs_grant: true,
        shown,
        workspace: workspace.filter(|_| looks),
        runner: Some(runner),
        ..Call::default()
    })
}

/// Who would run it, with the tools that it would have, and the directory that those may look at.
fn equipped(
    workshop: &Workshop<'_>,
    draft: &Draft<'_>,
) -> Result<(RunnerIdentity, Option<PathBuf>), Refusal> {
    let (_, mut runner) = chosen(workshop, draft)?;
    let workspace = workspace_for(workshop, &draft.contract);
    let scope = tools_in_scope(&draft.contract, &draft.staged.hints, workspace.is_some());
    runner.tools =
        scope.into_iter().filter(|tool| super::tool::may_use(workshop, &draft.agent, tool)).collect();
    Ok((runner, workspace))
}

/// Whoever runs child agents, and who of theirs would run this one.
fn chosen<'w>(
    workshop: &Workshop<'w>,
    draft: &Draft<'_>,
) -> Result<(&'w dyn SubagentRunner, RunnerIdentity), Refusal> {
    let model = draft.staged.hints.model.as_deref().filter(|model| *model != "inherit");
    let found =
        workshop.subagents.and_then(|runner| Some((runner, runner.choose(workshop, &draft.name, model)?)));
    found.ok_or_else(|| unbound(workshop.hall))
}

/// Nobody runs it; where somebody is configured who cannot, what is wrong with them.
pub(super) fn unbound(hall: &Hall) -> Refusal {
    let faults: Vec<String> = faults(&hall.config).into_iter().map(|(_, fault)| fault).collect();
    let why = match faults.as_slice() {
        [] => "nothing here runs one; name one under `[runners]` in your own configuration".to_owned(),
        faults => format!("whoever is configured cannot run one: {}; correct that", faults.join("; ")),
    };
    let message = format!(
        "the skill asks for an agent of its own, and {why} (docs/subagents.md), or let `guild render` print its instructions"
    );
    Refusal::new(Code::ExecutorUnbound, message)
}

/// The caller's words, and parameters by name.
fn task_of(draft: &Draft<'_>) -> String {
    let named = draft.parameters.iter().map(|(name, value)| {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        format!("{name}={text}")
    });
    draft.arguments.iter().cloned().chain(named).collect::<Vec<_>>().join(" ")
}

async fn answer(
    workshop: &Workshop<'_>,
    invocation: &mut Invocation<'_>,
    prepared: &Prepared<'_>,
    words: &Words,
    transcript: &Transcript,
) -> Result<String, Refusal> {
    let (Some(runner), Some(identity), Some(run)) =
        (workshop.subagents, &prepared.call.runner, prepared.run.get())
    else {
        return Err(unbound(workshop.hall));
    };
    let parent = Parent {
        run: *run,
        skill: prepared.name.clone(),
        hash: prepared.staged.security_hash,
        agent: prepared.agent.clone(),
        source: prepared.source.clone(),
        workspace: prepared.call.workspace.clone(),
    };
    transcript.note("system", &Value::String(words.instructions.clone()));
    transcript.note("task", &Value::String(words.task.clone()));
    let tools = ChildTools::open(workshop, parent, &identity.tools, transcript).await;
    let directory = Directory::of(prepared)?;
    let on_output = Mutex::new(&mut *invocation.on_output);
    let tell = |words: &str| {
        let line = format!("{}: {words}\n", prepared.name);
        let chunk = Chunk { stream: Stream::Stderr, bytes: line.into_bytes() };
        (on_output.lock().unwrap_or_else(PoisonError::into_inner))(&chunk);
    };
    let run = run.to_string();
    let task = SubagentTask {
        skill: &prepared.name,
        agent: &prepared.agent,
        run: &run,
        instructions: &words.instructions,
        task: &words.task,
        runner: identity,
        directory: &directory.path,
        time: prepared.plan.limits.timeout,
        tools: &tools,
        transcript,
        tell: &tell,
    };
    let answered = within(task.time, runner.run(workshop, &task)).await;
    match answered.and_then(checked) {
        Ok(answer) => {
            let answer = transcript.discreet(&answer);
            transcript.note("answer", &Value::String(answer.clone()));
            Ok(answer)
        }
        Err(error) => {
            let Refusal { code, message } = error.refusal();
            let message = transcript.discreet(&message);
            transcript.note("note", &Value::String(format!("{}: {message}", code.as_str())));
            Err(Refusal::new(code, message))
        }
    }
}

/// The body as it was staged, with the caller's words where it has places for them.
fn instructions(workshop: &Workshop<'_>, prepared: &Prepared<'_>) -> String {
    let staged = &prepared.staged;
    let body = Body { text: &staged.body, line: 1, argument_names: &staged.argument_names };
    let arguments = Arguments::from_words(&prepared.arguments);
    match prepared.entry {
        Some(entry) => body_alone(workshop.hall, entry, &body, &arguments),
        None => staged.body.clone(),
    }
}

/// What comes in time.
async fn within(
    time: Duration,
    answer: Pending<'_, Result<String, SubagentError>>,
) -> Result<String, SubagentError> {
    match tokio::time::timeout(time, answer).await {
        Ok(answer) => answer,
        Err(_) => {
            let message = format!("the child agent gave no answer within {} seconds", time.as_secs());
            Err(SubagentError::TimedOut(message))
        }
    }
}

fn checked(answer: String) -> Result<String, SubagentError> {
    let answer = answer.trim();
    if answer.is_empty() {
        return Err(SubagentError::Failed("the child agent ended without an answer".to_owned()));
    }
    Ok(answer.to_owned())
}

/// Where a runner's program works: in the workspace, or in an empty directory where the skill has none.
struct Directory {
    path: PathBuf,
    _empty: Option<tempfile::TempDir>,
}

impl Directory {
    fn of(prepared: &Prepared<'_>) -> Result<Self, Refusal> {
        if let Some(path) = &prepared.call.workspace {
            return Ok(Self { path: path.clone(), _empty: None });
        }
        let empty = tempfile::tempdir().map_err(|error| {
            Refusal::new(Code::WriteFailed, format!("no directory for a child agent: {error}"))
        })?;
        Ok(Self { path: empty.path().to_owned(), _empty: Some(empty) })
    }
}

/// Keeps the transcript where logs are; the receipt has its digest.
fn keep(workshop: &Workshop<'_>, transcript: &Transcript, outcome: &mut receipt::Outcome) {
    let (bytes, truncated) = transcript.finish();
    // A log that cannot be kept is missed by nobody but whoever looks for it; its digest stays.
    workshop.store.put_log(&bytes).ok();
    let output = receipt::Output { digest: Digest::of(&bytes), bytes: bytes.len() as u64, truncated };
    outcome.outputs.insert(TRANSCRIPT.to_owned(), output);
}
