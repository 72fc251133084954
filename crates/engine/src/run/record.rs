//! What the books say of a run: that it began, how it ended, or why it did not happen.
//!
//! A run whose end cannot be written is not reported as a success.

use guild_ledger::receipt::{Entry, Kind, SkillRef};
use guild_ledger::{FinishError, RunId, StartError};

use super::executor::Done;
use super::prepare::Prepared;
use super::stop::Stop;
use super::{Begun, Invocation, approval};
use crate::books::RunLock;
use crate::workshop::Workshop;
use crate::{Code, Envelope, Refusal, reply};

/// A run that a grant allows, and that has not begun.
pub struct Allowed {
    id: RunId,
    lock: RunLock,
    entry: Entry,
}

/// Why a run that was allowed does not begin.
pub enum NotBegun {
    /// Another run has taken the grant meanwhile.
    Taken,
    /// Something else.
    Stopped(Box<Stop>),
}

/// Comes back when a grant allows the run.
pub async fn allow(
    workshop: &Workshop<'_>,
    invocation: &Invocation<'_>,
    prepared: &Prepared<'_>,
) -> Result<Allowed, Box<Stop>> {
    let id = RunId::new(workshop.now())
        .map_err(|error| prepared.stop(Refusal::new(Code::Internal, error.to_string())))?;
    let lock = workshop.books.lock_run(id).map_err(|refusal| prepared.stop(refusal))?;
    approval::obtain(workshop, invocation, prepared).await?;
    Ok(Allowed { id, lock, entry: entry(invocation, prepared, Kind::Started, Code::Ok) })
}

/// Lets a run begin, with a receipt that it did.
pub async fn begin(
    workshop: &Workshop<'_>,
    prepared: &Prepared<'_>,
    allowed: Allowed,
) -> Result<Begun, NotBegun> {
    let Allowed { id, lock, entry } = allowed;
    let stopped = |refusal| NotBegun::Stopped(prepared.stop(refusal));
    match workshop.books.ledger.start(workshop.now(), id, entry, Some(&prepared.plan.ask)).await {
        Ok(_) => {
            prepared.run.set(id).ok();
            Ok(Begun { id, _lock: lock })
        }
        Err(StartError::NotAllowed(_)) => Err(NotBegun::Taken),
        Err(StartError::Write(error)) => Err(stopped(workshop.books.refusal(error))),
        Err(error @ StartError::AlreadyStarted(_)) => {
            Err(stopped(Refusal::new(Code::Internal, error.to_string())))
        }
    }
}

/// Writes how a run ended, and gives the envelope.
pub async fn ended(
    workshop: &Workshop<'_>,
    invocation: &Invocation<'_>,
    prepared: &Prepared<'_>,
    run: Begun,
    done: Done,
) -> Envelope<reply::Run> {
    let Done { code, message, mut reply, outcome } = done;
    let mut entry = entry(invocation, prepared, Kind::Finished, code);
    if let Some(plan) = &mut entry.plan {
        plan.backend.clone_from(&reply.backend);
    }
    entry.outcome = outcome;
    entry.note = (code != Code::Ok && !message.is_empty()).then(|| short(&message));
    reply.run = Some(run.id.to_string());
    match workshop.books.ledger.finish(workshop.now(), run.id, entry).await {
        Ok(receipt) => {
            reply.receipt = Some(receipt.receipt.id.to_string());
            envelope(code, message, reply)
        }
        Err(FinishError::Write(error)) => unwritten(workshop.books.refusal(error), reply),
        Err(error) => unwritten(Refusal::new(Code::Internal, error.to_string()), reply),
    }
}

/// Writes that a skill was loaded or a harmless tool called, which needs no grant.
pub async fn loaded(
    workshop: &Workshop<'_>,
    invocation: &Invocation<'_>,
    prepared: &Prepared<'_>,
    done: Done,
) -> Envelope<reply::Run> {
    let Done { code, message, mut reply, outcome } = done;
    let entry = Entry { outcome, ..entry(invocation, prepared, Kind::Load, code) };
    match workshop.books.ledger.append(workshop.now(), entry).await {
        Ok(receipt) => {
            reply.receipt = Some(receipt.receipt.id.to_string());
            envelope(code, message, reply)
        }
        Err(error) => unwritten(workshop.books.refusal(error), reply),
    }
}

/// Writes why a run did not happen.
pub async fn denied(
    workshop: &Workshop<'_>,
    invocation: &Invocation<'_>,
    stop: Stop,
) -> Envelope<reply::Run> {
    let Stop { code, message, mut reply, plan, is_recorded } = stop;
    if is_recorded || invocation.dry_run {
        return Envelope::error(code, message, reply);
    }
    let hash = reply.security_hash.as_deref().and_then(|hash| hash.parse().ok());
    let entry = Entry {
        skill: Some(SkillRef { name: reply.skill.clone(), security_hash: hash }),
        plan,
        note: Some(short(&message)),
        ..Entry::new(Kind::Denied, code.as_str(), invocation.principal.clone())
    };
    match workshop.books.ledger.append(workshop.now(), entry).await {
        Ok(receipt) => {
            reply.receipt = Some(receipt.receipt.id.to_string());
            Envelope::error(code, message, reply)
        }
        // What stopped it is worth more to whoever asked than that it was not written; both are said.
        Err(error) => {
            let refusal = workshop.books.refusal(error);
            Envelope::error(
                code,
                format!("{message}; and no receipt of that was written: {}", refusal.message),
                reply,
            )
        }
    }
}

fn entry(invocation: &Invocation<'_>, prepared: &Prepared<'_>, kind: Kind, code: Code) -> Entry {
    let security_hash = Some(prepared.staged.security_hash);
    Entry {
        skill: Some(SkillRef { name: prepared.name.clone(), security_hash }),
        plan: Some(prepared.plan.kept.clone()),
        ..Entry::new(kind, code.as_str(), invocation.principal.clone())
    }
}

fn envelope(code: Code, message: String, reply: reply::Run) -> Envelope<reply::Run> {
    match code {
        Code::Ok => Envelope::ok(reply).with_message(message),
        code => Envelope::error(code, message, reply),
    }
}

fn unwritten(refusal: Refusal, reply: reply::Run) -> Envelope<reply::Run> {
    let message = format!("it ran, and no receipt of its end could be written: {}", refusal.message);
    Envelope::error(Code::ReceiptNotWritten, message, reply)
}

/// What a receipt keeps of a sentence that may quote a stranger.
fn short(message: &str) -> String {
    message.chars().take(1000).collect()
}
