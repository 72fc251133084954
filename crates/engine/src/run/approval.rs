//! Step eight: whether somebody has allowed this run, and asking whoever can.
//!
//! A flag or an answer makes a grant; nobody to ask makes a request that waits. What no person has allowed does not run.

use std::time::Duration;

use guild_ledger::receipt::{Entry, Kind, SkillRef};
use guild_ledger::{
    GiveError, Matter, Mode, NewGrant, Principal, RUN, RequestId, Role, Standing, State, Timestamp, via,
};
use guild_manifest::Digest;

use super::prepare::Prepared;
use super::shown::shown;
use super::stop::Stop;
use super::{Invocation, Stage};
use crate::ports::{Answer, Question};
use crate::workshop::Workshop;
use crate::{Code, Refusal};

/// How long a request can be answered.
const REQUEST_LASTS: Duration = Duration::from_secs(24 * 60 * 60);
/// How long a person at a terminal is waited for, where the caller says nothing.
const PROMPT_LASTS: Duration = Duration::from_secs(10 * 60);

/// What a person has decided in the same breath as they ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Consent {
    /// What.
    pub answer: Answer,
    /// How: `terminal` where a person sits at one, else `flag`.
    pub via: &'static str,
}

/// How things stand before anything is asked.
pub struct Outlook {
    /// Whether a person would be asked.
    pub would_ask: bool,
    /// The same in a sentence.
    pub sentence: String,
}

/// What would happen, without asking anybody.
pub async fn outlook(
    workshop: &Workshop<'_>,
    _: &Invocation<'_>,
    prepared: &Prepared<'_>,
) -> Result<Outlook, Box<Stop>> {
    if !prepared.call.needs_grant {
        return Ok(Outlook { would_ask: false, sentence: "it needs no approval".to_owned() });
    }
    let told = match standing(workshop, prepared).await? {
        Standing::Allowed(grant) => {
            (false, format!("it is allowed by {} ({})", grant.id, grant.mode.as_str()))
        }
        Standing::Denied(grant) => return Err(prepared.stop(denied(prepared, &grant.id.to_string()))),
        Standing::Undecided { approved: Some(hash) } if hash != prepared.staged.security_hash => {
            (true, "a person would be asked: another state of the skill was approved before".to_owned())
        }
        Standing::Undecided { .. } => (true, "a person would be asked".to_owned()),
    };
    Ok(Outlook { would_ask: told.0, sentence: told.1 })
}

/// Comes back when a grant is there, or says why none is.
pub async fn obtain(
    workshop: &Workshop<'_>,
    invocation: &Invocation<'_>,
    prepared: &Prepared<'_>,
) -> Result<(), Box<Stop>> {
    match standing(workshop, prepared).await? {
        Standing::Allowed(_) => Ok(()),
        Standing::Denied(grant) => Err(prepared.stop(denied(prepared, &grant.id.to_string()))),
        Standing::Undecided { approved } => {
            let changed_from = approved.filter(|hash| *hash != prepared.staged.security_hash);
            let question = question(workshop, prepared, changed_from);
            match answer(workshop, invocation, prepared, &question).await? {
                Some((answer, via)) => give(workshop, prepared, answer, via).await,
                None => wait(workshop, invocation, prepared, question).await,
            }
        }
    }
}

async fn standing(workshop: &Workshop<'_>, prepared: &Prepared<'_>) -> Result<Standing, Box<Stop>> {
    let found = workshop.books.ledger.standing(workshop.now(), &prepared.plan.ask).await;
    found.map_err(|error| prepared.stop(workshop.books.refusal(error)))
}

/// What a person is asked; `approved` is the other state of the skill that was approved before.
fn question(workshop: &Workshop<'_>, prepared: &Prepared<'_>, approved: Option<Digest>) -> Question {
    let ask = &prepared.plan.ask;
    Question {
        agent: ask.agent.clone(),
        skill: ask.skill.clone(),
        security_hash: ask.security_hash.to_string(),
        workspace: ask.workspace.clone(),
        shown: shown(workshop, prepared, approved),
    }
}

/// What somebody says now: by flag, or asked at once.
async fn answer(
    workshop: &Workshop<'_>,
    invocation: &Invocation<'_>,
    prepared: &Prepared<'_>,
    question: &Question,
) -> Result<Option<(Answer, &'static str)>, Box<Stop>> {
    if let Some(Consent { answer, via }) = invocation.consent {
        if via == via::FLAG && !workshop.books.approvals.flag {
            let message =
                "`approvals.flag = false`: only a person at a terminal can approve; `guild approve` does";
            return Err(prepared.stop(Refusal::new(Code::ApprovalWayForbidden, message)));
        }
        return Ok(Some((answer, via)));
    }
    let Some(approver) = workshop.approver.filter(|_| workshop.books.approvals.prompt) else {
        return Ok(None);
    };
    let asked = tokio::time::timeout(PROMPT_LASTS, approver.ask(question)).await;
    Ok(asked.ok().flatten().map(|answer| (answer, approver.via())))
}

/// Writes a person's decision down.
async fn give(
    workshop: &Workshop<'_>,
    prepared: &Prepared<'_>,
    answer: Answer,
    via: &str,
) -> Result<(), Box<Stop>> {
    let now = workshop.now();
    let (mode, expires) = match answer {
        Answer::Once => (Mode::RunOnce { plan: prepared.plan.ask.plan }, None),
        // A tool that does something is asked about every time.
        Answer::Always { .. } if prepared.call.asks_every_time => {
            (Mode::RunOnce { plan: prepared.plan.ask.plan }, None)
        }
        Answer::Always { lasting } => (Mode::AlwaysAllow, lasting.map(|lasting| now.after(lasting))),
        Answer::Deny => (Mode::Deny, None),
    };
    let ask = prepared.plan.ask.clone();
    let new = NewGrant {
        agent: ask.agent,
        skill: ask.skill,
        security_hash: ask.security_hash,
        workspace: ask.workspace,
        mode,
        expires,
    };
    let mut by = Principal::person(via);
    by.agent.clone_from(&prepared.agent);
    by.role = by.role.max(Role::Operator);
    match workshop.books.ledger.give(now, new, by).await {
        Ok((grant, _)) if answer == Answer::Deny => {
            Err(prepared.stop(denied(prepared, &grant.id.to_string())))
        }
        Ok(_) => Ok(()),
        Err(GiveError::Write(error)) => Err(prepared.stop(workshop.books.refusal(error))),
        Err(GiveError::Denied(grant)) => Err(prepared.stop(denied(prepared, &grant.id.to_string()))),
        Err(error @ GiveError::NotAPerson) => {
            Err(prepared.stop(Refusal::new(Code::Internal, error.to_string())))
        }
    }
}

/// Leaves a request, and waits for its answer if the caller does.
async fn wait(
    workshop: &Workshop<'_>,
    invocation: &Invocation<'_>,
    prepared: &Prepared<'_>,
    question: Question,
) -> Result<(), Box<Stop>> {
    let now = workshop.now();
    let (code, message) = if question.shown.approved.is_some() {
        (Code::SecurityHashMismatch, "another state of the skill was approved, and it has changed since")
    } else {
        (Code::ApprovalRequired, "a person must approve it first")
    };
    let matter = matter(prepared, &question);
    let entry = Entry {
        skill: Some(SkillRef {
            name: prepared.name.clone(),
            security_hash: Some(prepared.staged.security_hash),
        }),
        plan: Some(prepared.plan.kept.clone()),
        ..Entry::new(Kind::Asked, code.as_str(), invocation.principal.clone())
    };
    let asked = workshop.books.ledger.ask(now, matter, now.after(REQUEST_LASTS), entry).await;
    let (request, receipt) = asked.map_err(|error| prepared.stop(workshop.books.refusal(error)))?;
    let id = request.id.to_string();
    if let Some(patience) = invocation.wait {
        (invocation.on_stage)(Stage::Waits { request: &id });
        if let Some(answered) = answered(workshop, prepared, request.id, now.after(patience)).await? {
            return answered;
        }
    }
    let message = format!("{message}; `guild approve {id}` answers");
    let mut stop = prepared.stop(Refusal::new(code, message));
    stop.reply.request = Some(id);
    stop.reply.receipt = Some(receipt.receipt.id.to_string());
    stop.reply.plan = Some(prepared.plan.shown.clone());
    stop.is_recorded = true;
    Err(stop)
}

fn matter(prepared: &Prepared<'_>, question: &Question) -> Matter {
    let ask = prepared.plan.ask.clone();
    Matter {
        action: RUN.to_owned(),
        agent: ask.agent,
        skill: ask.skill,
        security_hash: Some(ask.security_hash),
        workspace: ask.workspace,
        plan: ask.plan,
        shown: question.shown.to_value(),
    }
}

/// The answer, or nothing if none came in time.
async fn answered(
    workshop: &Workshop<'_>,
    prepared: &Prepared<'_>,
    id: RequestId,
    deadline: Timestamp,
) -> Result<Option<Result<(), Box<Stop>>>, Box<Stop>> {
    let state = workshop.books.ledger.wait(id, deadline, || workshop.now()).await;
    let state = state.map_err(|error| prepared.stop(workshop.books.refusal(error)))?;
    Ok(match state.map(|found| found.state) {
        Some(State::Decided { grant: Some(grant), .. }) if grant.mode == Mode::Deny => {
            Some(Err(prepared.stop(denied(prepared, &grant.id.to_string()))))
        }
        Some(State::Decided { .. }) => Some(Ok(())),
        _ => None,
    })
}

fn denied(prepared: &Prepared<'_>, grant: &str) -> Refusal {
    let message = format!(
        "a person has denied skill `{}` in this state ({grant}); `guild grants lift {grant}` takes that back",
        prepared.name
    );
    Refusal::new(Code::ApprovalDenied, message)
}
