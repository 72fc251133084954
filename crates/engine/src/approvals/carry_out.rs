//! A person's answer at the premises: the decision, and doing what was approved where that is something else than a run.
//!
//! Whoever approves is the one who acts. What was asked for another workspace is approved there.

use std::path::Path;
use std::time::Duration;

use guild_ledger::Principal;

use super::decide::{Decision, approve, deny};
use super::requests::request;
use crate::install::{HostGit, Installer, Registrar};
use crate::premises::Premises;
use crate::registry::{ToggleRequest, is_management, perform_request};
use crate::reply::{Decided, RequestLine};
use crate::wish::perform_wish;
use crate::workshop::Workshop;
use crate::{Code, Envelope, Hall, Refusal, Status};

/// Answers a request: yes, in a way and perhaps for a time, or no; and carries out what was approved.
pub async fn decide(
    premises: &Premises,
    id: &str,
    answer: Option<(Decision, Option<Duration>)>,
    by: Principal,
) -> Envelope<Decided> {
    let (hall, books, now) = (premises.hall(), &premises.books, premises.now());
    let Some(answer) = answer else { return deny(books, now, id, by).await };
    if let Ok(asked) = request(books, now, id).await
        && let Some(refusal) = elsewhere(&hall, &asked)
    {
        return Envelope::error(
            refusal.code,
            refusal.message,
            Decided { id: id.to_owned(), ..Decided::default() },
        );
    }
    let mut envelope = approve(books, now, id, answer, by.clone()).await;
    let asked = envelope.data.request.clone().filter(|asked| is_management(&asked.action));
    if let Some(asked) = asked.filter(|_| envelope.status == Status::Ok) {
        carry_out(&premises.workshop(&hall), &asked, &by, &mut envelope).await;
        premises.catch_up().await;
    }
    envelope
}

/// Why it cannot be approved here, if it cannot.
fn elsewhere(hall: &Hall, asked: &RequestLine) -> Option<Refusal> {
    let here = hall.machine.workspace();
    let is_elsewhere = is_management(&asked.action) && Path::new(&asked.workspace) != here;
    is_elsewhere.then(|| {
        let message =
            format!("it is about {}; approve it there, by `guild approve {}`", asked.workspace, asked.id);
        Refusal::new(Code::ApprovalWayForbidden, message)
    })
}

async fn carry_out(
    workshop: &Workshop<'_>,
    asked: &RequestLine,
    by: &Principal,
    envelope: &mut Envelope<Decided>,
) {
    let user = workshop.hall.user();
    let like = ToggleRequest {
        name: &asked.skill,
        kind: None,
        on: true,
        agent: None,
        principal: by,
        user: &user,
        consent: None,
        wait: None,
        on_stage: &|_| {},
    };
    let (status, code, message) = if let Some(done) = perform_request(workshop, asked, like).await {
        envelope.data.outcome = Some(done.data);
        (done.status, done.code, done.message)
    } else {
        let git = HostGit::new(&workshop.hall.machine.env, false);
        let registrar = Registrar { books: workshop.books, by: by.clone(), now: workshop.now() };
        let desk = Installer {
            hall: workshop.hall,
            places: workshop.places,
            store: workshop.store,
            git: &git,
            progress: &|_| {},
            registrar: Some(registrar),
        };
        let Some(done) = perform_wish(&desk, asked).await else { return };
        envelope.data.wished = Some(done.data);
        (done.status, done.code, done.message)
    };
    (envelope.status, envelope.code, envelope.message) = (status, code, message);
}
