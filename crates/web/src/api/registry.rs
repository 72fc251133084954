//! The registry's view: what the plugins that a person has switched on bring, merged.

use axum::http::StatusCode;
use guild_engine::{Code, registry, reply};

use super::call::look;
use super::route::{GET, Route, of};
use super::skills::AGENT;

pub(super) const ROUTES: &[Route] = &[Route {
    path: "/registry",
    name: "merged_registry",
    about: "Tools, prompt sections, components, queries and actions of what is on, for everybody or for one agent",
    query: &[AGENT],
    gives: &[(StatusCode::OK, of::<reply::Registry>)],
    codes: &[&[Code::ToolConflict]],
    answer: |call| Box::pin(look(call, |call, hall| Ok(call.answer(&registry(hall, call.view()))))),
    ..GET
}];
