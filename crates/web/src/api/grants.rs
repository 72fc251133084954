//! What people have allowed and denied, and taking it back.

use axum::http::StatusCode;
use guild_engine::ledger::Role;
use guild_engine::{Code, Refusal, grants_lift, grants_list, grants_revoke, reply};

use super::call::Call;
use super::respond::Answer;
use super::route::{DECIDING, GET, POST, Route, of};

const ENDING: &[Code] = &[Code::GrantNotFound, Code::AlreadyDecided];

pub(super) const ROUTES: &[Route] = &[
    Route {
        path: "/grants",
        name: "list_grants",
        about: "The grants and denials that hold, the oldest first; an agent sees its own",
        gives: &[(StatusCode::OK, of::<reply::Grants>)],
        answer: |call| Box::pin(listed(call)),
        ..GET
    },
    Route {
        path: "/grants/{id}/revoke",
        name: "revoke_grant",
        about: "Take a grant back; what it allowed is asked for again",
        role: Role::Operator,
        gives: &[(StatusCode::OK, of::<reply::Ended>)],
        codes: &[ENDING, DECIDING],
        answer: |call| Box::pin(ended(call, false)),
        ..POST
    },
    Route {
        path: "/grants/{id}/lift",
        name: "lift_denial",
        about: "Lift a denial; what it denied is asked for again",
        role: Role::Operator,
        gives: &[(StatusCode::OK, of::<reply::Ended>)],
        codes: &[ENDING, DECIDING],
        answer: |call| Box::pin(ended(call, true)),
        ..POST
    },
];

async fn listed(call: Call) -> Result<Answer, Refusal> {
    let mut grants = grants_list(&call.premises.books, call.premises.now()).await;
    if let Some(agent) = call.agent() {
        grants.data.grants.retain(|grant| grant.agent == agent);
        grants.data.count = grants.data.grants.len();
    }
    Ok(call.answer(&grants))
}

async fn ended(call: Call, is_denial: bool) -> Result<Answer, Refusal> {
    let (books, now, by) = (&call.premises.books, call.premises.now(), call.by.clone());
    let ended = if is_denial {
        grants_lift(books, now, call.name(), by).await
    } else {
        grants_revoke(books, now, call.name(), by).await
    };
    Ok(call.answer(&ended))
}
