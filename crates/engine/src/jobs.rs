//! Jobs: runs that a process which serves has under way for its callers, started, looked at, listened to and taken back.
//!
//! A job is an ordinary run, with its receipts and its grant, that outlives the question that began it. Its id is good for as long as
//! this process remembers it; what happened is in the ledger for ever. Whoever takes a run back leaves it interrupted there.

mod job;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use guild_ledger::{Principal, Timestamp};
use guild_sandbox::Chunk;
use ulid::Ulid;

use crate::authority::may_run;
use crate::premises::Premises;
use crate::reply;
use crate::run::{Given, Invocation, Stage, run};
use crate::{Code, Envelope, Refusal};

pub use job::{Job, JobNote};

/// How many run or wait at once.
const MOST_UNDER_WAY: usize = 64;
/// How many of them are one agent's, or the people's: nobody takes every place.
const MOST_OF_ONE: usize = 32;
/// How many are remembered, those that have ended included.
const MOST_REMEMBERED: usize = 128;

/// A run as it is asked for.
#[derive(Debug)]
pub struct JobRequest {
    /// The skill, by any of its names.
    pub skill: String,
    /// Who asks.
    pub principal: Principal,
    /// The parameters.
    pub given: Given,
    /// The words for a skill of instructions, or the text for a tool.
    pub arguments: Vec<String>,
    /// How long to wait for somebody's answer.
    pub wait: Option<Duration>,
    /// Another time limit than the skill's.
    pub timeout: Option<Duration>,
    /// Only say what would be run.
    pub dry_run: bool,
}

/// The jobs of a process, the oldest first.
#[derive(Debug, Default)]
pub struct Jobs {
    held: Mutex<VecDeque<Arc<Job>>>,
}

impl Jobs {
    /// Starts a run, which goes on whoever listens.
    ///
    /// # Errors
    /// Where too many are under way.
    pub fn start(premises: &Arc<Premises>, request: JobRequest) -> Result<Arc<Job>, Refusal> {
        let job = premises.jobs.admit(&request, premises.now())?;
        let (premises, doing) = (Arc::clone(premises), Arc::clone(&job));
        let task = tokio::spawn(async move {
            let envelope = perform(&premises, &request, &doing).await;
            doing.end(envelope);
        });
        job.hold(task);
        Ok(job)
    }

    /// The jobs that somebody may see, the newest first: an agent its own, a person all.
    pub fn seen_by(&self, by: &Principal) -> Vec<Arc<Job>> {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.iter().rev().filter(|job| job.is_seen_by(by)).cloned().collect()
    }

    /// The job of this id, if somebody may see it.
    ///
    /// # Errors
    /// Where there is none that they may see.
    pub fn find(&self, by: &Principal, id: &str) -> Result<Arc<Job>, Refusal> {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let found = held.iter().find(|job| job.id == id && job.is_seen_by(by)).cloned();
        found.ok_or_else(|| {
            let message = format!("no run `{id}` is under way or remembered; receipts say what became of it");
            Refusal::new(Code::RunNotFound, message)
        })
    }

    /// How many have not ended.
    pub fn under_way(&self) -> usize {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.iter().filter(|job| !job.has_ended()).count()
    }

    /// Makes room for one more, and remembers it.
    fn admit(&self, request: &JobRequest, now: Timestamp) -> Result<Arc<Job>, Refusal> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let under_way: Vec<&Arc<Job>> = held.iter().filter(|job| !job.has_ended()).collect();
        let of_one = under_way.iter().filter(|job| job.is_of(&request.principal)).count();
        if under_way.len() >= MOST_UNDER_WAY || of_one >= MOST_OF_ONE {
            let message =
                format!("{} runs are under way; wait for one to end, or cancel one", under_way.len());
            return Err(Refusal::new(Code::ServerBusy, message));
        }
        while held.len() >= MOST_REMEMBERED {
            let Some(oldest) = held.iter().position(|job| job.has_ended()) else { break };
            held.remove(oldest);
        }
        let id = format!("job_{}", new_ulid(now)?);
        let job = Arc::new(Job::new(id, &request.skill, request.principal.clone(), now));
        held.push_back(Arc::clone(&job));
        Ok(job)
    }
}

/// Takes a run back: an agent its own, of people those who may start one.
pub async fn job_cancel(premises: &Premises, by: &Principal, id: &str) -> Envelope<reply::RunJob> {
    match cancel(premises, by, id).await {
        Ok(job) => Envelope::ok(job.line()).with_message(format!("{id} was cancelled")),
        Err(refusal) => {
            let reply = reply::RunJob { id: id.to_owned(), ..reply::RunJob::default() };
            Envelope::error(refusal.code, refusal.message, reply)
        }
    }
}

async fn cancel(premises: &Premises, by: &Principal, id: &str) -> Result<Arc<Job>, Refusal> {
    let job = premises.jobs.find(by, id)?;
    if let Err(refusal) = may_run(by) {
        return Err(premises.books.denied(premises.now(), by, refusal).await);
    }
    if job.has_ended() {
        return Err(Refusal::new(Code::AlreadyDecided, format!("{id} has ended already")));
    }
    job.stop().await;
    // The run's own end was cut off, and stands in the books now.
    premises.settle().await?;
    let message = format!("taken back by agent `{}` over {}", by.agent, by.via);
    let envelope = Envelope::error(Code::RunCancelled, message, reply::Run::nothing(&job.skill));
    job.end(envelope);
    Ok(job)
}

/// The jobs that somebody may see.
pub fn jobs_list(premises: &Premises, by: &Principal) -> Envelope<reply::RunJobs> {
    let runs: Vec<reply::RunJob> = premises.jobs.seen_by(by).iter().map(|job| job.line()).collect();
    Envelope::ok(reply::RunJobs { count: runs.len(), runs })
}

async fn perform(premises: &Arc<Premises>, request: &JobRequest, job: &Job) -> Envelope<reply::Run> {
    let hall = premises.hall_to_run().await;
    let workshop = premises.workshop(&hall);
    let mut on_output = |chunk: &Chunk| job.hear(chunk);
    let on_stage = |stage: Stage<'_>| job.reach(stage);
    let invocation = Invocation {
        arguments: &request.arguments,
        wait: request.wait,
        owner: &request.principal.agent,
        timeout: request.timeout,
        dry_run: request.dry_run,
        on_stage: &on_stage,
        ..Invocation::new(&request.skill, &request.principal, &request.given, &mut on_output)
    };
    run(&workshop, invocation).await
}

fn new_ulid(now: Timestamp) -> Result<Ulid, Refusal> {
    let random: [u8; 16] = guild_sandbox::random_bytes()
        .map_err(|error| Refusal::new(Code::Internal, format!("no random bytes: {error}")))?;
    Ok(Ulid::from_parts(now.millis(), u128::from_le_bytes(random)))
}
