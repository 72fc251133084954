//! `approve` and `deny`: a person's answer to a request.

use std::time::Duration;

use guild_ledger::{Answer, DecideError, Principal, RequestId, RequestState, Role, State, Timestamp, via};
use serde_json::{Map, Value};

use super::{request_id, unknown_request};
use crate::inquiry::{Given, hand_over};
use crate::reply::{Decided, GrantLine, RequestLine};
use crate::{Books, Code, Envelope, Refusal, is_management};

/// What a person allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// Exactly what was asked, once.
    Once,
    /// Every run of this state of the skill, by this agent, in this workspace.
    Always,
}

/// Approves a request, for a time if one is given.
pub async fn approve(
    books: &Books,
    now: Timestamp,
    id: &str,
    (decision, lifetime): (Decision, Option<Duration>),
    by: Principal,
) -> Envelope<Decided> {
    let expires = lifetime.map(|lifetime| now.after(lifetime));
    let answer = match decision {
        Decision::Once => Answer::Once { expires },
        Decision::Always => Answer::Always { expires },
    };
    answered(books, now, id, (answer, Given::Word), by).await
}

/// Denies a request. What was asked stays denied until the skill changes or a person lifts the denial.
pub async fn deny(books: &Books, now: Timestamp, id: &str, by: Principal) -> Envelope<Decided> {
    answered(books, now, id, (Answer::Deny, Given::Word), by).await
}

/// Answers a request that asks for values; they go to the call that waits for them, and nowhere else.
pub async fn answer(
    books: &Books,
    now: Timestamp,
    id: &str,
    values: &Map<String, Value>,
    by: Principal,
) -> Envelope<Decided> {
    answered(books, now, id, (Answer::Once { expires: None }, Given::Values(values)), by).await
}

/// Puts away a request that asks for values, without a word: the call that waits goes on without them.
pub async fn dismiss(books: &Books, now: Timestamp, id: &str, by: Principal) -> Envelope<Decided> {
    answered(books, now, id, (Answer::Deny, Given::Silence), by).await
}

/// What is answered, and what comes with it.
type Said<'a> = (Answer, Given<'a>);

async fn answered(
    books: &Books,
    now: Timestamp,
    id: &str,
    said: Said<'_>,
    by: Principal,
) -> Envelope<Decided> {
    match answer_request(books, now, id, said, by).await {
        Ok(decided) => {
            let message = sentence(&decided);
            Envelope::ok(decided).with_message(message)
        }
        Err(refusal) => Envelope::error(
            refusal.code,
            refusal.message,
            Decided { id: id.to_owned(), ..Decided::default() },
        ),
    }
}

/// What was decided.
fn sentence(decided: &Decided) -> String {
    let (Some(decision), Some(request)) = (&decided.decision, &decided.request) else { return String::new() };
    let grant = decided.grant.as_ref().map(|grant| format!(" ({})", grant.id)).unwrap_or_default();
    format!("{decision}{grant}: {} of `{}` for agent `{}`", request.action, request.skill, request.agent)
}

async fn answer_request(
    books: &Books,
    now: Timestamp,
    id: &str,
    (answer, given): Said<'_>,
    by: Principal,
) -> Result<Decided, Refusal> {
    let request = request_id(id);
    let found = match request {
        Ok(id) => books.ledger.request(now, id).await.map_err(|error| books.refusal(error))?,
        Err(_) => None,
    };
    books.authorise(now, &by, role_for(found.as_ref())).await?;
    if let Some(refusal) = forbidden(books, answer, &by) {
        return Err(books.denied(now, &by, refusal).await);
    }
    let request = request?;
    let pending = found.as_ref().filter(|found| found.state == State::Pending);
    let note = pending.map_or(Ok(None), |found| hand_over(books, &found.request, answer, given))?;
    let decided = books.ledger.decide_noted(now, request, answer, (by, note)).await;
    let decided = decided.map_err(|error| refusal(books, request, error))?;
    Ok(Decided {
        id: id.to_owned(),
        decision: Some(decided.receipt.receipt.entry.code.clone()),
        receipt: Some(decided.receipt.receipt.id.to_string()),
        grant: decided.grant.as_ref().map(GrantLine::of),
        request: Some(RequestLine::of(&decided.request)),
        outcome: None,
        wished: None,
    })
}

/// Who may answer: runs are for operators, what changes what is installed or on is for admins.
fn role_for(found: Option<&RequestState>) -> Role {
    let is_management = found.is_some_and(|found| is_management(&found.request.matter.action));
    if is_management { Role::Admin } else { Role::Operator }
}

/// Why the answer does not count in the way it comes. Saying no is always possible.
fn forbidden(books: &Books, answer: Answer, by: &Principal) -> Option<Refusal> {
    let message = match (answer, by.via.as_str()) {
        (Answer::Deny, _) => return None,
        (_, via::FLAG) if !books.approvals.flag => {
            "the configuration has `approvals.flag = false`: approve at a terminal"
        }
        (Answer::Always { .. }, via::ELICITATION) => {
            "an answer that an agent's program forwards is good for one run; approve at a terminal"
        }
        _ => return None,
    };
    Some(Refusal::new(Code::ApprovalWayForbidden, message))
}

fn refusal(books: &Books, id: RequestId, error: DecideError) -> Refusal {
    let message = error.to_string();
    match error {
        DecideError::NotFound(_) => unknown_request(&id.to_string()),
        DecideError::AlreadyDecided(_) => Refusal::new(Code::AlreadyDecided, message),
        DecideError::Expired(_) => {
            Refusal::new(Code::RequestExpired, format!("{message}; ask again for what it was about"))
        }
        DecideError::Denied(denial) => {
            let message =
                format!("it is denied by {}; `guild grants lift {}` lifts that", denial.id, denial.id);
            Refusal::new(Code::DenialStands, message)
        }
        DecideError::NotAPerson => Refusal::new(Code::PersonRequired, message),
        DecideError::Write(error) => books.refusal(error),
    }
}
