//! `run`: a skill under its contract, from its name to its receipt.
//!
//! Resolve, invocable by this caller, contract, parameters, stage, vet, grant, execute, check the result, receipt. Nothing is
//! executed before the grant, and whatever stops a run on the way leaves a receipt of its own.

mod approval;
mod child;
mod command_line;
mod direct;
mod executor;
mod hook;
mod improve;
mod inline;
mod output;
mod params;
mod plan;
mod prepare;
mod record;
mod replay;
mod scratch;
mod script;
mod shown;
mod stop;
mod subagent;
mod tool;
mod workspace;

use std::path::PathBuf;
use std::time::Duration;

use guild_ledger::{Principal, RunId};
use guild_sandbox::{Chunk, Gate};

use crate::events;
use crate::resolve::resolve;
use crate::workshop::Workshop;
use crate::{Code, Envelope, Refusal, reply};

pub use approval::Consent;
pub use child::child_tools;
pub(crate) use child::secrets;
pub(crate) use command_line::entrypoint_command;
pub use direct::{ToolRequest, tools_call};
pub(crate) use hook::{Hook, Moment, run_hook};
pub use improve::{ImproveRequest, improve, improve_apply};
pub(crate) use output::response;
pub use params::{Given, ParamError};
pub use replay::replay;
pub(crate) use scratch::ScratchDirectory;

use executor::Done;
use prepare::prepare;
pub(crate) use prepare::{Prepared, bound};
use record::{Allowed, NotBegun};
use stop::Stop;

/// A run as it is asked for.
pub struct Invocation<'a> {
    /// The skill, by any of its names.
    pub name: &'a str,
    /// Who asks.
    pub principal: &'a Principal,
    /// The parameters.
    pub given: &'a Given,
    /// The words for a skill of instructions, or the text for a tool.
    pub arguments: &'a [String],
    /// What the person who asks has decided already.
    pub consent: Option<Consent>,
    /// How long to wait for somebody's answer.
    pub wait: Option<Duration>,
    /// The caller's own container to run in.
    pub container: Option<&'a str>,
    /// Whose containers are the caller's.
    pub owner: &'a str,
    /// The runtime by name.
    pub backend: Option<&'a str>,
    /// Another time limit than the skill's.
    pub timeout: Option<Duration>,
    /// Where files of `/output` go.
    pub out: Option<PathBuf>,
    /// Only say what would be run.
    pub dry_run: bool,
    /// Sees output as it comes.
    pub on_output: &'a mut (dyn FnMut(&Chunk) + Send + Sync),
    /// Told of what takes time: that somebody is asked, that it runs.
    pub on_stage: &'a (dyn Fn(Stage<'_>) + Send + Sync),
}

impl<'a> Invocation<'a> {
    /// A run without words, that nobody has decided about and that waits for nobody, in a container of its own with the skill's limits.
    pub fn new(
        name: &'a str,
        principal: &'a Principal,
        given: &'a Given,
        on_output: &'a mut (dyn FnMut(&Chunk) + Send + Sync),
    ) -> Self {
        Self {
            name,
            principal,
            given,
            arguments: &[],
            consent: None,
            wait: None,
            container: None,
            owner: "",
            backend: None,
            timeout: None,
            out: None,
            dry_run: false,
            on_output,
            on_stage: &|_: Stage<'_>| {},
        }
    }
}

/// How far a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage<'a> {
    /// It waits for an answer to this request.
    Waits {
        /// The request's id.
        request: &'a str,
    },
    /// What runs waits for values that its tool asks a person for.
    Asks {
        /// The request's id.
        request: &'a str,
    },
    /// It runs.
    Runs,
}

/// Runs a skill.
pub async fn run(workshop: &Workshop<'_>, invocation: Invocation<'_>) -> Envelope<reply::Run> {
    let store = workshop.store.for_one_run();
    let workshop = &Workshop { store: &store, ..*workshop };
    let entry = match resolve(workshop.hall, invocation.name) {
        Ok(entry) => entry,
        Err(unresolved) => {
            let reply =
                reply::Run { candidates: unresolved.candidates, ..reply::Run::nothing(invocation.name) };
            return Envelope::error(unresolved.code, unresolved.message, reply);
        }
    };
    let prepared = prepare(workshop, entry, &invocation).await;
    carry_through(workshop, invocation, prepared).await
}

/// From what was prepared to the end, whatever that is.
async fn carry_through(
    workshop: &Workshop<'_>,
    invocation: Invocation<'_>,
    prepared: Result<Prepared<'_>, Box<Stop>>,
) -> Envelope<reply::Run> {
    let prepared = match prepared {
        Ok(prepared) => prepared,
        Err(stop) => return record::denied(workshop, &invocation, *stop).await,
    };
    if invocation.dry_run {
        return dry(workshop, &invocation, prepared).await;
    }
    match perform(workshop, invocation, &prepared).await {
        Ok(envelope) => envelope,
        Err((invocation, stop)) => record::denied(workshop, &invocation, *stop).await,
    }
}

/// What would be run and asked; nothing is written but the staged copy.
async fn dry(
    workshop: &Workshop<'_>,
    invocation: &Invocation<'_>,
    prepared: Prepared<'_>,
) -> Envelope<reply::Run> {
    let asked = approval::outlook(workshop, invocation, &prepared).await;
    let mut reply = prepared.reply();
    match asked {
        Ok(outlook) => {
            reply.plan = Some(prepared.plan.shown);
            reply.would_ask = Some(outlook.would_ask);
            Envelope::ok(reply).with_message(outlook.sentence)
        }
        Err(stop) => Envelope::error(stop.code, stop.message, reply),
    }
}

type Stopped<'a> = (Invocation<'a>, Box<Stop>);

/// Runs what is prepared, with the hooks that plugins have for it.
async fn perform<'a>(
    workshop: &Workshop<'_>,
    invocation: Invocation<'a>,
    prepared: &Prepared<'_>,
) -> Result<Envelope<reply::Run>, Stopped<'a>> {
    if !prepared.call.needs_grant {
        return perform_quietly(workshop, invocation, prepared).await.map(|(envelope, _)| envelope);
    }
    if let Err(refusal) = events::before(workshop, &invocation, prepared).await {
        return Err((invocation, prepared.stop(refusal)));
    }
    let (envelope, invocation) = perform_quietly(workshop, invocation, prepared).await?;
    events::after(workshop, &invocation, prepared, &envelope).await;
    Ok(envelope)
}

/// A grant that another run takes between looking and starting is looked for again, so often.
const TRIES: usize = 3;

type Performed<'a> = (Envelope<reply::Run>, Invocation<'a>);

/// The same without hooks.
async fn perform_quietly<'a>(
    workshop: &Workshop<'_>,
    mut invocation: Invocation<'a>,
    prepared: &Prepared<'_>,
) -> Result<Performed<'a>, Stopped<'a>> {
    let executor = prepared.executor;
    if !prepared.call.needs_grant {
        let done = executor.execute(workshop, &mut invocation, prepared).await;
        return Ok((record::loaded(workshop, &invocation, prepared, done).await, invocation));
    }
    for _ in 0..TRIES {
        let begun = match record::allow(workshop, &invocation, prepared).await {
            Ok(allowed) => run_allowed(workshop, &mut invocation, prepared, allowed).await,
            Err(stop) => Err(NotBegun::Stopped(stop)),
        };
        match begun {
            Ok((run, done)) => {
                return Ok((record::ended(workshop, &invocation, prepared, run, done).await, invocation));
            }
            Err(NotBegun::Taken) => {}
            Err(NotBegun::Stopped(stop)) => return Err((invocation, stop)),
        }
    }
    let message = "its approval was used up by another run; ask again";
    Err((invocation, prepared.stop(Refusal::new(Code::ApprovalRequired, message))))
}

/// Runs what a grant allows. What is needed for it is made while it is written down that it begins, and nothing runs before it is.
async fn run_allowed(
    workshop: &Workshop<'_>,
    invocation: &mut Invocation<'_>,
    prepared: &Prepared<'_>,
    allowed: Allowed,
) -> Result<(Begun, Done), NotBegun> {
    let (key, gate) = Gate::shut();
    let on_stage = invocation.on_stage;
    let beginning = async {
        let begun = record::begin(workshop, prepared, allowed).await?;
        on_stage(Stage::Runs);
        key.open();
        Ok(begun)
    };
    let executing = prepared.executor.execute_behind(gate, workshop, invocation, prepared);
    // The container's thread is on its way before this one turns to the books.
    let (done, begun) = tokio::join!(biased; executing, beginning);
    let never = || Done::failed(prepared.reply(), Refusal::new(Code::Internal, "it was not let run"));
    Ok((begun?, done.unwrap_or_else(never)))
}

/// A run that has begun, and what shows others that it lives.
struct Begun {
    id: RunId,
    /// Held until the end is written.
    _lock: crate::books::RunLock,
}
