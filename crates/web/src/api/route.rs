//! A route: everything that is known of one operation at one path, for the router and for the document alike.

use std::future::Future;
use std::pin::Pin;

use axum::http::StatusCode;
use guild_engine::ledger::Role;
use guild_engine::{Code, Refusal};
use schemars::{JsonSchema, Schema, SchemaGenerator};

use super::call::Call;
use super::query::Param;
use super::respond::Answer;
use crate::answer::status;

/// Where the API is.
pub(crate) const TOP: &str = "/api/v1";

/// How something is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    Get,
    Post,
    Put,
    Delete,
}

/// The schema of a type, told to a generator.
pub(crate) type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

/// An answer on its way.
pub(crate) type Answering = Pin<Box<dyn Future<Output = Result<Answer, Refusal>> + Send>>;

/// One operation.
pub(crate) struct Route {
    pub method: Method,
    /// Below [`TOP`].
    pub path: &'static str,
    /// The operation's id in the document.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub about: &'static str,
    /// The least role of a person who may; it is told here and held to in the engine.
    pub role: Role,
    pub query: &'static [Param],
    /// The schema of its body, if it takes one.
    pub body: Option<SchemaOf>,
    /// What it gives where it goes well.
    pub gives: &'static [(StatusCode, SchemaOf)],
    /// Whether it also gives a stream of events to those who want one, or nothing else.
    pub events: Events,
    /// Whether it wants to know by `If-Match` which state is meant.
    pub guarded: bool,
    /// The codes that are its answer, whatever they are elsewhere: the status is 200.
    pub answers: &'static [&'static [Code]],
    /// The codes that it may end with, beside those of every route.
    pub codes: &'static [&'static [Code]],
    pub answer: fn(Call) -> Answering,
}

/// Whether a route gives events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Events {
    Never,
    /// To those who accept `text/event-stream`.
    Wanted,
    Always,
}

/// Codes of every route: they are answered before it is reached, or by any part of it.
pub(crate) const COMMON: &[Code] = &[
    Code::NotAuthenticated,
    Code::HostNotAllowed,
    Code::OriginNotAllowed,
    Code::RequestMalformed,
    Code::RequestInvalid,
    Code::RequestTooLarge,
    Code::RequestTooSlow,
    Code::RateLimited,
    Code::ServerBusy,
    Code::LedgerUnavailable,
    Code::LedgerNewer,
    Code::LedgerCut,
    Code::Internal,
];
/// Codes of what names a skill.
pub(crate) const NAMED: &[Code] = &[Code::SkillNotFound, Code::SkillAmbiguous, Code::ReadFailed];
/// Codes of what shows a skill to an agent.
pub(crate) const HELD: &[Code] = &[Code::SkillNotInvocable, Code::SecurityPreflightDenied];
/// Codes of what not everybody may do.
pub(crate) const DECIDING: &[Code] =
    &[Code::PersonRequired, Code::RoleInsufficient, Code::ApprovalWayForbidden];

/// What routes that only look have in common.
pub(crate) const GET: Route = Route {
    method: Method::Get,
    path: "",
    name: "",
    about: "",
    role: Role::Viewer,
    query: &[],
    body: None,
    gives: &[],
    events: Events::Never,
    guarded: false,
    answers: &[],
    codes: &[],
    answer: |_| Box::pin(async { Err(Refusal::new(Code::Internal, "nothing answers here")) }),
};

/// What routes that do something have in common.
pub(crate) const POST: Route = Route { method: Method::Post, role: Role::Admin, ..GET };

/// The schema of a type.
pub(crate) fn of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

impl Method {
    /// The word for it, in small letters.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::Post => "post",
            Self::Put => "put",
            Self::Delete => "delete",
        }
    }
}

impl Route {
    /// The names in its path, in order.
    pub(crate) fn parameters(&self) -> impl Iterator<Item = &'static str> {
        self.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
    }

    /// The status of a code here.
    pub(crate) fn status(&self, code: Code) -> StatusCode {
        if self.answers.iter().any(|codes| codes.contains(&code)) { StatusCode::OK } else { status(code) }
    }

    /// Every code that it may end with but `ok`, each once, in the order of the table.
    pub(crate) fn codes(&self) -> Vec<Code> {
        let body: &[Code] = if self.body.is_some() { &[Code::MediaTypeUnsupported] } else { &[] };
        let state: &[Code] =
            if self.guarded { &[Code::PreconditionRequired, Code::PreconditionFailed] } else { &[] };
        let all = [COMMON, body, state];
        let is_one =
            |code: &&Code| all.iter().chain(self.codes).chain(self.answers).any(|group| group.contains(code));
        Code::ALL.iter().filter(is_one).copied().collect()
    }
}
