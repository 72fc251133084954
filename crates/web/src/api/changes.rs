//! What skills wrote to copies of the workspace: shown to people, and applied or dropped by them.

use axum::http::StatusCode;
use guild_engine::ledger::Role;
use guild_engine::{
    ApplyRequest, Code, Refusal, changes_apply, changes_drop, changes_list, changes_show, reply,
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::call::{Call, beside};
use super::respond::Answer;
use super::route::{DECIDING, GET, POST, Route, of};

const SETS: &[Code] = &[Code::ChangesNotFound, Code::ChangesUnusable, Code::NoHome];

pub(super) const ROUTES: &[Route] = &[
    Route {
        path: "/changes",
        name: "list_changes",
        about: "The changes that wait for a decision",
        gives: &[(StatusCode::OK, of::<reply::ChangesList>)],
        codes: &[SETS, &[Code::PersonRequired]],
        answer: |call| Box::pin(looked(call, false)),
        ..GET
    },
    Route {
        path: "/changes/{id}",
        name: "show_changes",
        about: "One change set, with what it does to each file",
        gives: &[(StatusCode::OK, of::<reply::ChangesShow>)],
        codes: &[SETS, &[Code::PersonRequired]],
        answer: |call| Box::pin(looked(call, true)),
        ..GET
    },
    Route {
        path: "/changes/{id}/apply",
        name: "apply_changes",
        about: "Apply a change set to its directory, wholly or not at all",
        role: Role::Operator,
        body: Some(of::<Confirmed>),
        gives: &[(StatusCode::OK, of::<reply::ChangesDecided>)],
        codes: &[SETS, DECIDING, &[Code::ChangesSensitive, Code::WorkspaceConflict]],
        answer: |call| Box::pin(applied(call)),
        ..POST
    },
    Route {
        path: "/changes/{id}/drop",
        name: "drop_changes",
        about: "Forget a change set; its directory stays as it is",
        role: Role::Operator,
        gives: &[(StatusCode::OK, of::<reply::ChangesDecided>)],
        codes: &[SETS, DECIDING],
        answer: |call| Box::pin(dropped(call)),
        ..POST
    },
];

/// What a person has confirmed on its own.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Confirmed {
    /// Whether they have looked at the files that decide what agents and machines do.
    #[serde(default)]
    sensitive: bool,
}

async fn looked(call: Call, is_one: bool) -> Result<Answer, Refusal> {
    call.person().await?;
    let hall = call.premises.hall();
    beside(move || {
        let places = call.premises.workshop(&hall).places;
        if is_one {
            call.answer(&changes_show(places, call.name()))
        } else {
            call.answer(&changes_list(places))
        }
    })
    .await
}

async fn applied(call: Call) -> Result<Answer, Refusal> {
    let Confirmed { sensitive } = call.body()?;
    let hall = call.premises.hall();
    let places = call.premises.workshop(&hall).places;
    let request = ApplyRequest { id: call.name(), sensitive };
    let (books, now) = (&call.premises.books, call.premises.now());
    Ok(call.answer(&changes_apply(places, books, now, request, call.by.clone()).await))
}

async fn dropped(call: Call) -> Result<Answer, Refusal> {
    let hall = call.premises.hall();
    let places = call.premises.workshop(&hall).places;
    let (books, now) = (&call.premises.books, call.premises.now());
    Ok(call.answer(&changes_drop(places, books, now, call.name(), call.by.clone()).await))
}
