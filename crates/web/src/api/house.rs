//! The house itself: who asks, what is configured, where is looked, how everything is.

use axum::http::StatusCode;
use guild_engine::{Code, Envelope, Refusal, configuration, doctor, reload, reply, roots};

use super::call::{Call, look};
use super::respond::Answer;
use super::route::{GET, POST, Route, of};
use guild_engine::ledger::Role;

pub(super) const ROUTES: &[Route] = &[
    Route {
        path: "/me",
        name: "who_am_i",
        about: "Who the token says that you are",
        gives: &[(StatusCode::OK, of::<reply::PrincipalLine>)],
        answer: |call| {
            Box::pin(async move { Ok(call.answer(&Envelope::ok(reply::PrincipalLine::of(&call.by)))) })
        },
        ..GET
    },
    Route {
        path: "/config",
        name: "configuration",
        about: "The configuration in effect; what may hold credentials is a digest. What is switched by command is in the registry",
        gives: &[(StatusCode::OK, of::<reply::Configuration<'_>>)],
        codes: &[&[Code::PersonRequired]],
        answer: |call| {
            Box::pin(async {
                call.person().await?;
                look(call, |call, hall| Ok(call.answer(&configuration(hall)))).await
            })
        },
        ..GET
    },
    Route {
        path: "/roots",
        name: "list_roots",
        about: "Every directory that is searched, highest precedence first",
        gives: &[(StatusCode::OK, of::<reply::Roots>)],
        answer: |call| Box::pin(look(call, |call, hall| Ok(call.answer(&roots(hall))))),
        ..GET
    },
    Route {
        path: "/doctor",
        name: "doctor",
        about: "One look at everything, with what to do about it",
        gives: &[(StatusCode::OK, of::<reply::Doctor>)],
        answer: |call| Box::pin(looked_over(call)),
        ..GET
    },
    Route {
        path: "/reload",
        name: "reload",
        about: "Look for skills again, where one was just written",
        role: Role::Viewer,
        gives: &[(StatusCode::OK, of::<reply::Reload<'_>>)],
        codes: &[&[Code::ReloadFailed]],
        answer: |call| Box::pin(reloaded(call)),
        ..POST
    },
];

async fn looked_over(call: Call) -> Result<Answer, Refusal> {
    let hall = call.premises.hall();
    let probes = call.premises.workshop(&hall).backends.probe().await;
    Ok(call.answer(&doctor(&hall, &probes, Vec::new())))
}

async fn reloaded(call: Call) -> Result<Answer, Refusal> {
    let failed = |error| Refusal::new(Code::ReloadFailed, format!("what was known stays: {error}"));
    call.premises.refresh().await.map_err(failed)?;
    look(call, |call, hall| Ok(call.answer(&reload(hall)))).await
}
