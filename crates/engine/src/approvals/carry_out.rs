//! A person's answer where somebody serves: written down, and then done, where it was about something else than a run.
//!
//! Whoever approves is the one who acts. What is about another workspace is for a person who stands there.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use guild_ledger::Principal;

use super::decide::{Decision, approve, deny};
use super::requests::request;
use crate::install::{HostGit, Registrar};
use crate::premises::Premises;
use crate::registry::{ToggleRequest, is_management, perform_request};
use crate::reply::{Decided, RequestLine};
use crate::wish::{Wish, perform_wish};
use crate::{Code, Envelope, Status};

/// Answers a request: yes, in a way and perhaps for a time, or no.
pub async fn decide(
    premises: &Arc<Premises>,
    id: &str,
    answer: Option<(Decision, Option<Duration>)>,
    by: Principal,
) -> Envelope<Decided> {
    let (books, now) = (&premises.books, premises.now());
    let Some(answer) = answer else { return deny(books, now, id, by).await };
    if let Ok(line) = request(books, now, id).await
        && is_management(&line.action)
        && Path::new(&line.workspace) != premises.hall().machine.workspace()
    {
        let message = format!("it is about {}; `guild approve {id}` there does it", line.workspace);
        let reply = Decided { id: id.to_owned(), ..Decided::default() };
        return Envelope::error(Code::ApprovalWayForbidden, message, reply);
    }
    let mut envelope = approve(books, now, id, answer, by.clone()).await;
    if envelope.data.decision.as_deref() == Some("approved")
        && let Some(line) = envelope.data.request.clone().filter(|line| is_management(&line.action))
    {
        perform(premises, &line, by, &mut envelope).await;
        premises.catch_up().await;
    }
    envelope
}

async fn perform(premises: &Premises, line: &RequestLine, by: Principal, envelope: &mut Envelope<Decided>) {
    let hall = premises.hall();
    let workshop = premises.workshop(&hall);
    let user = hall.user();
    let like = ToggleRequest::new(&line.skill, true, &by, &user);
    let done = if let Some(done) = perform_request(&workshop, line, like).await {
        envelope.data.outcome = Some(done.data);
        (done.status, done.code, done.message)
    } else if Wish::of(line).is_some() {
        let git = HostGit::new(&hall.machine.env, false);
        let registrar = Registrar { books: &premises.books, by, now: premises.now() };
        let desk = workshop.desk(&git, &|_| {}, Some(registrar));
        let Some(done) = perform_wish(&desk, line).await else { return };
        envelope.data.wished = Some(done.data);
        (done.status, done.code, done.message)
    } else {
        return;
    };
    let (status, code, message) = done;
    envelope.message = format!("{}; {message}", envelope.message);
    if status == Status::Error {
        (envelope.status, envelope.code) = (status, code);
    }
}
