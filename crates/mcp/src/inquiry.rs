//! What a tool asks a person in the midst of a run, passed on to the client's person where the client can ask.
//!
//! It is a request in the ledger like every other: whoever answers first is heard, and the run finds out by itself what they said.

use guild_engine::ledger::via;
use guild_engine::{Code, Principal, Refusal, Shown, answer, deny, dismiss, request as waiting};
use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ElicitRequestParams, ElicitResult, ElicitationAction,
};
use rmcp::service::RequestContext;
use serde_json::Map;

use crate::approval::{PATIENCE, dialogue, sealed};
use crate::outcome::refused;
use crate::server::Server;

/// A result that asks the client to ask, and to come back with the answer.
pub(crate) async fn required(server: &Server, call: &CallToolRequestParams, asked: &str) -> CallToolResponse {
    match form(server, asked).await {
        Ok(params) => sealed(server, call, asked, params),
        Err(refusal) => refused(refusal).into(),
    }
}

/// Asks a client that has shaken hands, while the run waits. What cannot be asked there waits for a person elsewhere.
pub(crate) fn ask(server: &Server, context: &RequestContext<RoleServer>, asked: String) {
    let (server, peer) = (server.clone(), context.peer.clone());
    tokio::spawn(async move {
        let Ok(params) = form(&server, &asked).await else { return };
        if let Ok(answer) = peer.create_elicitation_with_timeout(params, Some(PATIENCE)).await {
            // What does not fit, or comes too late, changes nothing: the request waits on, or was answered.
            decide(&server, &asked, Some(&answer)).await.ok();
        }
    });
}

/// Writes down what a client's person has said. Values that do not fit are refused, and the request waits on.
pub(crate) async fn decide(server: &Server, asked: &str, said: Option<&ElicitResult>) -> Result<(), Refusal> {
    let (books, now) = (&server.premises().books, server.premises().now());
    let mut by = Principal::person(via::ELICITATION);
    server.agent().clone_into(&mut by.agent);
    let decided = match said.map(|said| (&said.action, said.content.as_ref())) {
        Some((ElicitationAction::Accept, content)) => {
            let values = content.and_then(|content| content.as_object().cloned()).unwrap_or_else(Map::new);
            answer(books, now, asked, &values, by).await
        }
        Some((ElicitationAction::Decline, _)) => deny(books, now, asked, by).await,
        _ => dismiss(books, now, asked, by).await,
    };
    match decided.code {
        Code::Ok | Code::AlreadyDecided | Code::RequestExpired => Ok(()),
        code => Err(Refusal::new(code, decided.message)),
    }
}

async fn form(server: &Server, asked: &str) -> Result<ElicitRequestParams, Refusal> {
    let premises = server.premises();
    let line = waiting(&premises.books, premises.now(), asked).await?;
    let asks = Shown::read(&line.shown).and_then(|shown| shown.asks);
    let asks = asks.ok_or_else(|| Refusal::new(Code::Internal, format!("{asked} asks for no values")))?;
    let requested_schema = serde_json::from_value(asks.schema).map_err(|error| {
        Refusal::new(Code::ToolInputRequired, format!("the form cannot be shown: {error}"))
    })?;
    let message = dialogue("A tool that a skill calls asks you something.", &line);
    Ok(ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema })
}
