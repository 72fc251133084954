//! `feedback`: what a person thinks of a skill's last run, kept with the state that ran. No agent judges, least of all itself.

use guild_ledger::receipt::Kind;
use guild_ledger::{FeedbackError, Filter, Judgement, Principal, PrincipalKind, Timestamp};
use guild_manifest::Digest;

use crate::hall::Hall;
use crate::reply::Feedback;
use crate::resolve::{Unresolved, resolve};
use crate::{Books, Code, Envelope, Refusal};

/// How many receipts are looked back at for a run.
const LOOKED_AT: usize = 100;
/// The longest note.
const LONGEST_NOTE: usize = 2000;

/// What is said.
#[derive(Debug)]
pub struct FeedbackRequest<'a> {
    /// The skill, by any of its names.
    pub name: &'a str,
    /// Whether its last run was good.
    pub good: bool,
    /// Why.
    pub note: Option<&'a str>,
    /// Who says so.
    pub principal: &'a Principal,
}

/// Keeps what a person thinks.
pub async fn feedback(
    hall: &Hall,
    books: &Books,
    now: Timestamp,
    request: &FeedbackRequest<'_>,
) -> Envelope<Feedback> {
    match kept(hall, books, now, request).await {
        Ok(reply) => Envelope::ok(reply),
        Err(Refusal { code, message }) => {
            Envelope::error(code, message, Feedback { skill: request.name.to_owned(), ..Feedback::default() })
        }
    }
}

async fn kept(
    hall: &Hall,
    books: &Books,
    now: Timestamp,
    request: &FeedbackRequest<'_>,
) -> Result<Feedback, Refusal> {
    let not_a_person =
        || Refusal::new(Code::PersonRequired, "only a person judges a run; no agent votes for itself");
    if request.principal.kind != PrincipalKind::Person {
        return Err(not_a_person());
    }
    let note = request.note.map(str::trim).filter(|note| !note.is_empty()).map(str::to_owned);
    if note.as_ref().is_some_and(|note| note.len() > LONGEST_NOTE) {
        let message = format!("the note is longer than {LONGEST_NOTE} bytes");
        return Err(Refusal::new(Code::InvalidParams, message));
    }
    // What is gone may still be judged by the name that its receipts have.
    let (skill, unresolved) = match resolve(hall, request.name) {
        Ok(entry) => (entry.qualified_name().into_owned(), None),
        Err(unresolved) => (request.name.to_owned(), Some(unresolved)),
    };
    let (receipt, security_hash) = last_run(books, &skill).await?.ok_or_else(|| match unresolved {
        Some(Unresolved { code, message, .. }) => Refusal::new(code, message),
        None => {
            let message = format!("skill `{skill}` has not run here, so there is nothing to judge");
            Refusal::new(Code::RunNotFound, message)
        }
    })?;
    let judgement = Judgement { skill, security_hash, receipt, good: request.good, note };
    match books.ledger.judge(now, judgement, request.principal.clone()).await {
        Ok((feedback, receipt)) => Ok(Feedback {
            id: Some(feedback.id.to_string()),
            skill: feedback.judgement.skill,
            good: Some(feedback.judgement.good),
            note: feedback.judgement.note,
            security_hash: Some(security_hash.to_string()),
            run_receipt: Some(feedback.judgement.receipt),
            receipt: Some(receipt.receipt.id.to_string()),
        }),
        Err(FeedbackError::NotAPerson) => Err(not_a_person()),
        Err(FeedbackError::Write(error)) => Err(books.refusal(error)),
    }
}

/// The receipt of the last run, and the state that ran.
async fn last_run(books: &Books, skill: &str) -> Result<Option<(String, Digest)>, Refusal> {
    let filter = Filter { skill: Some(skill.to_owned()), ..Filter::default() };
    let page = books.ledger.receipts(&filter, None, LOOKED_AT).await.map_err(|error| books.refusal(error))?;
    let ran = page.receipts.into_iter().find_map(|signed| {
        let entry = &signed.receipt.entry;
        let is_run = entry.kind == Kind::Finished || (entry.kind == Kind::Load && entry.run.is_none());
        let hash = entry.skill.as_ref().and_then(|skill| skill.security_hash).filter(|_| is_run)?;
        Some((signed.receipt.id.to_string(), hash))
    });
    Ok(ran)
}
