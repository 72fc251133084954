//! The tools that manage skills and plugins, for agents whose configuration says `mcp.tools = "all"`.
//!
//! Looking is free. What changes something is a request that an admin answers elsewhere: it is never asked through the client, since
//! nobody there can be shown to be one.

mod create;
mod install;
mod list;
mod plugins;
mod query;
mod reload;
mod toggle;
mod uninstall;

use guild_engine::{Envelope, Status, Wish, wish};
use rmcp::model::CallToolResult;
use serde::Serialize;

use super::Entry;
use crate::outcome;
use crate::server::Server;

/// All of them, in the order in which they are listed.
pub(super) const TOOLS: &[Entry] = &[
    list::TOOL,
    reload::TOOL,
    create::TOOL,
    install::TOOL,
    toggle::TOOL,
    uninstall::TOOL,
    plugins::TOOL,
    query::TOOL,
];

/// Leaves a wish for an admin.
async fn wished(server: &Server, wanted: Wish) -> CallToolResult {
    let (hall, principal) = (server.hall(), server.principal());
    let envelope = wish(&server.premises().workshop(&hall), &principal, wanted).await;
    let request = envelope.data.request.clone();
    left_to_wait(&envelope, request.as_deref())
}

/// What a model is told of what an admin has to answer; of what cannot be done at all, why.
fn left_to_wait<T: Serialize>(envelope: &Envelope<T>, request: Option<&str>) -> CallToolResult {
    let text = match (envelope.status, request) {
        (Status::Error, Some(request)) => format!(
            "{}. Tell the user; it is done as soon as {request} is approved.",
            outcome::said(envelope.code, &envelope.message)
        ),
        _ => String::new(),
    };
    outcome::of(envelope, text)
}
