//! What waits for a person, and their answer. No agent ever decides, whatever its token says.

use axum::http::StatusCode;
use guild_engine::ledger::Role;
use guild_engine::{
    Code, Decision, Envelope, Lifetime, Refusal, answer as fill_in, decide, reply, request, requests,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::authoring::SWITCHING;
use super::call::Call;
use super::query::invalid;
use super::respond::Answer;
use super::route::{DECIDING, GET, POST, Route, of};
use super::sources::INSTALLING;

const ANSWERED: &[Code] = &[Code::RequestNotFound, Code::RequestExpired, Code::AlreadyDecided];
const DONE: &[Code] = &[
    Code::DenialStands,
    Code::SkillNotFound,
    Code::SkillAmbiguous,
    Code::AlreadyExists,
    Code::InvalidName,
    Code::DraftRejected,
    Code::WriteFailed,
    Code::NotInstalled,
    Code::LocallyEdited,
    Code::InvalidParams,
    Code::SecretUnreadable,
];

pub(super) const ROUTES: &[Route] = &[
    Route {
        path: "/approvals",
        name: "list_approvals",
        about: "What waits for a person, the oldest first; an agent sees its own",
        gives: &[(StatusCode::OK, of::<reply::Requests>)],
        answer: |call| Box::pin(pending(call)),
        ..GET
    },
    Route {
        path: "/approvals/{id}",
        name: "show_approval",
        about: "One request that waits: what would be done, by whom, with what, and what changed since the last approval",
        gives: &[(StatusCode::OK, of::<reply::RequestLine>)],
        codes: &[ANSWERED],
        answer: |call| Box::pin(one(call)),
        ..GET
    },
    Route {
        path: "/approvals/{id}",
        name: "decide_approval",
        about: "Answer a request; what was asked for is done where it is no run: installing, switching, writing. That takes an admin",
        role: Role::Operator,
        body: Some(of::<Said>),
        gives: &[(StatusCode::OK, of::<reply::Decided>)],
        codes: &[ANSWERED, DECIDING, DONE, SWITCHING, INSTALLING],
        answer: |call| Box::pin(decided(call)),
        ..POST
    },
];

/// A person's answer.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Said {
    /// What they say.
    decision: Word,
    /// How long `always` holds, such as `30d`; else until it is used or revoked.
    #[serde(rename = "for")]
    lifetime: Option<String>,
    /// The values that a tool asks for in the midst of a call, where the request's action is `answer`; with `once`.
    values: Option<Map<String, Value>>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Word {
    /// Exactly what was asked, one time.
    Once,
    /// Every run of the skill as it is now, by this agent, in this workspace.
    Always,
    /// No, until the skill changes or a person lifts it.
    Deny,
}

async fn pending(call: Call) -> Result<Answer, Refusal> {
    let mut waiting = requests(&call.premises.books, call.premises.now()).await;
    if let Some(agent) = call.agent() {
        waiting.data.requests.retain(|line| line.agent == agent);
        waiting.data.count = waiting.data.requests.len();
    }
    Ok(call.answer(&waiting))
}

async fn one(call: Call) -> Result<Answer, Refusal> {
    let line = request(&call.premises.books, call.premises.now(), call.name()).await?;
    if call.agent().is_some_and(|agent| agent != line.agent) {
        let message = format!("there is no request `{}` of this agent", call.name());
        return Err(Refusal::new(Code::RequestNotFound, message));
    }
    Ok(call.answer(&Envelope::ok(line)))
}

async fn decided(call: Call) -> Result<Answer, Refusal> {
    let Said { decision, lifetime, values } = call.body()?;
    let lifetime = lifetime.map(|text| text.parse::<Lifetime>()).transpose();
    let lifetime = lifetime.map_err(|error| invalid(error.to_string()))?.map(|lifetime| lifetime.0);
    if let (Some(values), Word::Once) = (&values, decision) {
        let premises = &call.premises;
        let decided = fill_in(&premises.books, premises.now(), call.name(), values, call.by.clone()).await;
        return Ok(call.answer(&decided));
    }
    let answer = match decision {
        Word::Once => Some((Decision::Once, lifetime)),
        Word::Always => Some((Decision::Always, lifetime)),
        Word::Deny => None,
    };
    Ok(call.answer(&decide(&call.premises, call.name(), answer, call.by.clone()).await))
}
