//! Runs: started, looked at, listened to and taken back. What one needs and who allows it is the engine's to say.
//!
//! A run that was started here is known by its job for as long as the server remembers it; receipts know it for ever.

use std::sync::Arc;
use std::time::Duration;

use axum::http::{HeaderName, StatusCode};
use guild_engine::ledger::Role;
use guild_engine::{
    Code, Envelope, Given, Job, JobNote, JobRequest, Jobs, Refusal, job_cancel, jobs_list, reply,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::call::Call;
use super::events::{Teller, stream};
use super::inspecting::STAGING;
use super::query::invalid;
use super::respond::Answer;
use super::route::{DECIDING, Events, GET, HELD, Method, NAMED, POST, Route, TOP, of};

/// The longest that a run waits for a person's answer, and that a run may be given, in seconds.
const LONGEST: u64 = 86_400;
/// The number of the last event that a client has seen.
const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");

/// Codes of what a run may end with.
const RUNNING: &[Code] = &[
    Code::ApprovalRequired,
    Code::SecurityHashMismatch,
    Code::ApprovalDenied,
    Code::InvalidParams,
    Code::SkillCapabilityDenied,
    Code::ExecutorUnbound,
    Code::ProviderUnbound,
    Code::ProviderToolUnregistered,
    Code::ProviderPolicyDenied,
    Code::ProviderExecutionFailed,
    Code::ProviderUnavailable,
    Code::ToolInputInvalid,
    Code::ToolInputRequired,
    Code::ToolTimedOut,
    Code::ToolCrashed,
    Code::ToolRuntimeMissing,
    Code::ToolNoAnswer,
    Code::ToolAnswerNotJson,
    Code::ToolAnswerNotObject,
    Code::ToolOutputInvalid,
    Code::SubagentFailed,
    Code::ScriptFailed,
    Code::ScriptTimedOut,
    Code::ScriptOutOfMemory,
    Code::OutputInvalid,
    Code::WorkspaceTooWide,
    Code::ReceiptNotWritten,
    Code::RunCancelled,
    Code::EnvironmentMissing,
    Code::SecretUnreadable,
    Code::PathNotFound,
    Code::ChangesUnusable,
    Code::ImageAmbiguous,
];
/// Codes of containers.
const CONTAINERS: &[Code] = &[
    Code::SandboxUnavailable,
    Code::SandboxLimitUnenforceable,
    Code::SandboxUnsupported,
    Code::SandboxPolicyInvalid,
    Code::SandboxMountFailed,
    Code::SandboxLaunchFailed,
    Code::SandboxExecFailed,
    Code::SandboxEnded,
    Code::UnknownBackend,
];

pub(super) const ROUTES: &[Route] = &[
    Route {
        path: "/runs",
        name: "start_run",
        about: "Run a skill: to its end, or as a stream of events, or detached; what nobody has approved waits for a person",
        role: Role::Operator,
        body: Some(of::<NewRun>),
        gives: &[(StatusCode::OK, of::<reply::Run>), (StatusCode::ACCEPTED, of::<Accepted>)],
        events: Events::Wanted,
        codes: &[NAMED, HELD, DECIDING, STAGING, RUNNING, CONTAINERS],
        answer: |call| Box::pin(start(call)),
        ..POST
    },
    Route {
        path: "/runs",
        name: "list_runs",
        about: "The runs that the server has under way or remembers, the newest first; an agent sees its own",
        gives: &[(StatusCode::OK, of::<reply::RunJobs>)],
        answer: |call| Box::pin(async move { Ok(call.answer(&jobs_list(&call.premises, &call.by))) }),
        ..GET
    },
    Route {
        path: "/runs/{id}",
        name: "show_run",
        about: "How far a run is, or what came of it: the envelope of the run, whatever its code",
        gives: &[(StatusCode::OK, of::<reply::Run>), (StatusCode::ACCEPTED, of::<reply::RunJob>)],
        answers: &[NAMED, HELD, DECIDING, STAGING, RUNNING, CONTAINERS],
        codes: &[&[Code::RunNotFound]],
        answer: |call| Box::pin(shown(call)),
        ..GET
    },
    Route {
        path: "/runs/{id}/events",
        name: "follow_run",
        about: "What happens to a run, from its beginning or behind `Last-Event-ID`: `waits`, `runs`, `output`, `overflow`, `ended`",
        gives: &[],
        events: Events::Always,
        codes: &[&[Code::RunNotFound]],
        answer: |call| Box::pin(followed(call)),
        ..GET
    },
    Route {
        method: Method::Delete,
        path: "/runs/{id}",
        name: "cancel_run",
        about: "Take a run back; its container is gone then, and its receipt says that it was interrupted",
        role: Role::Operator,
        gives: &[(StatusCode::OK, of::<reply::RunJob>)],
        codes: &[DECIDING, &[Code::RunNotFound, Code::AlreadyDecided]],
        answer: |call| {
            Box::pin(async move { Ok(call.answer(&job_cancel(&call.premises, &call.by, call.name()).await)) })
        },
        ..GET
    },
];

/// A run to be started.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewRun {
    /// The skill, by any of its names.
    skill: String,
    /// Its parameters.
    #[serde(default)]
    input: Map<String, Value>,
    /// The words for a skill of instructions, or the text for a tool.
    #[serde(default)]
    arguments: Vec<String>,
    /// How many seconds to wait for a person's answer; without it the request is left, and the run ends with `approval_required`.
    #[schemars(range(min = 1, max = 86_400))]
    wait_seconds: Option<u64>,
    /// Another time limit than the skill's.
    #[schemars(range(min = 1, max = 86_400))]
    timeout_seconds: Option<u64>,
    /// Only say what would be run.
    #[serde(default)]
    dry_run: bool,
    /// Answer at once, and let the run go on.
    #[serde(default)]
    detach: bool,
}

/// A run that is under way, or one that waits for a person.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "it only has a schema")]
enum Accepted {
    Job(Box<reply::RunJob>),
    Run(Box<reply::Run>),
}

/// Takes a run back whose caller has gone away without listening to it.
struct Abandoned(Option<(Call, Arc<Job>)>);

impl Drop for Abandoned {
    fn drop(&mut self) {
        if let Some((call, job)) = self.0.take() {
            tokio::spawn(async move { job_cancel(&call.premises, &call.by, &job.id).await });
        }
    }
}

async fn start(call: Call) -> Result<Answer, Refusal> {
    let asked: NewRun = call.body()?;
    let job = Jobs::start(&call.premises, asked.request(&call)?)?;
    let place = format!("{TOP}/runs/{}", job.id);
    if call.wants_events() {
        let (teller, response) = stream();
        tokio::spawn(tell(job, teller, 0));
        return Ok(Answer::Whole(response));
    }
    if asked.detach {
        return Ok(call.answer(&Envelope::ok(job.line())).with(StatusCode::ACCEPTED).at(&place));
    }
    let route = call.route;
    let mut waiting = Abandoned(Some((call, Arc::clone(&job))));
    let ended = job.ended().await;
    waiting.0 = None;
    Ok(Answer::of(route, &ended).at(&place))
}

impl NewRun {
    fn request(&self, call: &Call) -> Result<JobRequest, Refusal> {
        let seconds = |name: &str, given: Option<u64>| match given {
            Some(seconds) if !(1..=LONGEST).contains(&seconds) => {
                Err(invalid(format!("`{name}` is a number of seconds from 1 to {LONGEST}")))
            }
            given => Ok(given.map(Duration::from_secs)),
        };
        Ok(JobRequest {
            skill: self.skill.clone(),
            principal: call.by.clone(),
            given: Given { values: self.input.clone(), texts: Vec::new() },
            arguments: self.arguments.clone(),
            wait: seconds("wait_seconds", self.wait_seconds)?,
            timeout: seconds("timeout_seconds", self.timeout_seconds)?,
            dry_run: self.dry_run,
        })
    }
}

async fn shown(call: Call) -> Result<Answer, Refusal> {
    let job = call.premises.jobs.find(&call.by, call.name())?;
    Ok(match job.outcome() {
        Some(ended) => call.answer(&ended),
        None => call.answer(&Envelope::ok(job.line())).with(StatusCode::ACCEPTED),
    })
}

async fn followed(call: Call) -> Result<Answer, Refusal> {
    let job = call.premises.jobs.find(&call.by, call.name())?;
    let last = call.header(&LAST_EVENT).and_then(|last| last.parse().ok()).unwrap_or(0);
    let (teller, response) = stream();
    tokio::spawn(tell(job, teller, last));
    Ok(Answer::Whole(response))
}

/// Tells everything that happens to a job, from the event behind this one on.
async fn tell(job: Arc<Job>, teller: Teller, last: usize) {
    let mut number = last;
    if number == 0 && !teller.tell("started", 0, &job.line()).await {
        return;
    }
    loop {
        for note in job.notes(number) {
            number += 1;
            let (name, is_last) = match &note {
                JobNote::Waits { .. } => ("waits", false),
                JobNote::Runs => ("runs", false),
                JobNote::Output { .. } => ("output", false),
                JobNote::Overflow => ("overflow", false),
                JobNote::Ended(_) => ("ended", true),
            };
            let told = match &note {
                JobNote::Ended(envelope) => teller.tell(name, number, envelope).await,
                note => teller.tell(name, number, note).await,
            };
            if is_last || !told {
                return;
            }
        }
        tokio::select! {
            () = job.more(number) => {}
            () = teller.unheard() => return,
        }
    }
}
