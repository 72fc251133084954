//! A person's approval, asked through the client where it can ask, else left to wait for a person elsewhere.
//!
//! In every case the question is a request in the ledger, answered there once: an answer that is repeated, forged or meant for another
//! call finds nothing to decide. Whoever answers through a client allows one run and no more.

use std::collections::BTreeMap;
use std::time::Duration;

use guild_engine::ledger::{State, via};
use guild_engine::{Code, Decision, Envelope, Principal, Refusal, approve, deny, reply, request as waiting};
use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ElicitRequest, ElicitRequestParams,
    ElicitResult, ElicitationAction, ElicitationSchema, EnumSchema, InputRequest, InputRequiredResult,
    ProtocolVersion, SealOptions,
};
use rmcp::service::RequestContext;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::inquiry;
use crate::outcome::{self, refused};
use crate::running::Running;
use crate::server::Server;

/// How long a person may take.
pub(crate) const PATIENCE: Duration = Duration::from_secs(600);
/// The name of the question in a result that asks for input.
const KEY: &str = "approval";
/// The one field of the form, and what can be chosen there; nothing is chosen beforehand.
const FIELD: &str = "decision";
const ONCE: &str = "run it once";
const NO: &str = "do not run it";
const NEVER: &str = "never run this version";

/// A question that waits in the ledger.
pub(crate) struct Asked {
    request: String,
}

/// How this client can be asked.
pub(crate) enum Way {
    /// By a result that asks for input, to which the client comes back.
    Return,
    /// By a request to the client, while its own waits.
    Request,
    /// Not at all.
    None,
}

/// What a client carries from one round to the next.
#[derive(Serialize, Deserialize)]
struct Round {
    request: String,
}

impl Asked {
    /// The question that a run has ended with, if it has.
    pub(crate) fn of(envelope: &Envelope<reply::Run>) -> Option<Self> {
        let is_question = matches!(envelope.code, Code::ApprovalRequired | Code::SecurityHashMismatch);
        let request = envelope.data.request.clone().filter(|_| is_question)?;
        Some(Self { request })
    }
}

impl Way {
    /// What the client has said of itself, with this very request where the protocol wants that.
    pub(crate) fn of(context: &RequestContext<RoleServer>) -> Self {
        let capabilities = context.client_capabilities();
        let elicitation = capabilities.and_then(|capabilities| capabilities.elicitation);
        let has_forms = elicitation.is_some_and(|ways| ways.form.is_some() || ways.url.is_none());
        let is_stateless =
            context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
        match (has_forms, is_stateless) {
            (false, _) => Self::None,
            (true, true) => Self::Return,
            (true, false) => Self::Request,
        }
    }
}

/// A result that asks the client to ask, and to come back with the answer.
pub(crate) async fn required(
    server: &Server,
    call: &CallToolRequestParams,
    asked: &Asked,
) -> CallToolResponse {
    match form(server, &asked.request).await {
        Ok(params) => sealed(server, call, &asked.request, params),
        Err(refusal) => refused(refusal).into(),
    }
}

/// The same for any question, with what the client has to bring back.
pub(crate) fn sealed(
    server: &Server,
    call: &CallToolRequestParams,
    request: &str,
    params: ElicitRequestParams,
) -> CallToolResponse {
    let state = Round { request: request.to_owned() };
    let bound = binding(server, call);
    let options = SealOptions::new().associated_data(&bound).ttl(PATIENCE);
    match server.states().seal_json_with(&state, &options) {
        Ok(sealed) => {
            let question = InputRequest::Elicitation(ElicitRequest::new(params));
            InputRequiredResult::new(Some(BTreeMap::from([(KEY.to_owned(), question)])), Some(sealed)).into()
        }
        Err(error) => refused(Refusal::new(Code::Internal, error.to_string())).into(),
    }
}

/// Takes the answer that a client has come back with, and gives the run that waits for it where one does.
pub(crate) async fn answered(
    server: &Server,
    call: &CallToolRequestParams,
    sealed: &str,
) -> Result<Option<Running>, CallToolResponse> {
    let bound = binding(server, call);
    let opened = server.states().open_json_with::<Round>(sealed, &bound);
    let foreign = |_| {
        let message = "the answer belongs to no question of this server, or to another call, or comes too late; call again";
        refused(Refusal::new(Code::NotConfirmed, message))
    };
    let state = opened.map_err(foreign).map_err(CallToolResponse::from)?;
    let answer = call.input_responses.as_ref().and_then(|responses| responses.get(KEY));
    let answer = answer.and_then(|answer| serde_json::from_value::<ElicitResult>(answer.clone()).ok());
    if let Some(running) = server.parked().resume(&state.request) {
        if inquiry::decide(server, &state.request, answer.as_ref()).await.is_ok() {
            return Ok(Some(running));
        }
        // What does not fit is asked again.
        server.parked().park(state.request.clone(), running);
        return Err(inquiry::required(server, call, &state.request).await);
    }
    decide(server, &state.request, answer.as_ref()).await.map(|()| None).map_err(Into::into)
}

/// Asks the client while its call waits. Whoever answers first is heard: the person may also answer on the page or at a terminal, and
/// the run finds out what they said.
pub(crate) async fn ask(
    server: &Server,
    context: &RequestContext<RoleServer>,
    asked: &Asked,
) -> Result<(), CallToolResult> {
    let params = form(server, &asked.request).await.map_err(refused)?;
    tokio::select! {
        answer = context.peer.create_elicitation_with_timeout(params, Some(PATIENCE)) => {
            decide(server, &asked.request, answer.ok().as_ref()).await
        }
        () = answered_elsewhere(server, &asked.request) => Ok(()),
    }
}

/// Is ready when a request was answered in another way than by this client; never where that cannot be told.
async fn answered_elsewhere(server: &Server, request: &str) {
    let premises = server.premises();
    let deadline = premises.now().after(PATIENCE);
    if let Ok(id) = request.parse()
        && let Ok(Some(found)) = premises.books.ledger.wait(id, deadline, || premises.now()).await
        && matches!(found.state, State::Decided { .. })
    {
        return;
    }
    std::future::pending::<()>().await;
}

/// What the model is told where nobody can be asked through its client.
pub(crate) fn left_to_wait(envelope: &Envelope<reply::Run>, asked: &Asked) -> CallToolResult {
    let text = format!(
        "{}: {}. Tell the user, and call again with the same arguments once they have answered `guild approve {}`.",
        envelope.code.as_str(),
        envelope.message,
        asked.request
    );
    outcome::of(envelope, text)
}

/// What a call is, so that an answer to one is of no use to another.
fn binding(server: &Server, call: &CallToolRequestParams) -> Vec<u8> {
    let arguments = Value::Object(call.arguments.clone().unwrap_or_default());
    json!([server.agent(), call.name, arguments]).to_string().into_bytes()
}

async fn form(server: &Server, request: &str) -> Result<ElicitRequestParams, Refusal> {
    let premises = server.premises();
    let line = waiting(&premises.books, premises.now(), request).await?;
    let choices = EnumSchema::builder(vec![ONCE.to_owned(), NO.to_owned(), NEVER.to_owned()]);
    let schema = ElicitationSchema::builder().required_enum_schema(FIELD, choices.build()).build();
    let requested_schema = schema.map_err(|error| Refusal::new(Code::Internal, error))?;
    let message = dialogue("An agent asks to run a skill.", &line);
    Ok(ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema })
}

/// What a person reads in their client's dialogue.
pub(crate) fn dialogue(title: &str, line: &reply::RequestLine) -> String {
    let told = line.told();
    let lines: Vec<String> = told.iter().map(|told| format!("{:<10}  {}", told.label, told.text)).collect();
    format!("{title}\n\n{}", lines.join("\n"))
}

/// Writes down what the person has said; saying nothing, or no, leaves the request to wait.
async fn decide(server: &Server, request: &str, answer: Option<&ElicitResult>) -> Result<(), CallToolResult> {
    let chosen = answer.filter(|answer| answer.action == ElicitationAction::Accept);
    let chosen = chosen.and_then(|answer| answer.content.as_ref()?.get(FIELD)?.as_str());
    let (books, now) = (&server.premises().books, server.premises().now());
    let mut by = Principal::person(via::ELICITATION);
    server.agent().clone_into(&mut by.agent);
    let decided = match chosen {
        Some(ONCE) => approve(books, now, request, (Decision::Once, None), by).await,
        Some(NEVER) => deny(books, now, request, by).await,
        _ => {
            let message = format!("the person did not approve it; `guild approve {request}` still can");
            return Err(refused(Refusal::new(Code::NotConfirmed, message)));
        }
    };
    match (decided.code, chosen) {
        (Code::Ok, Some(ONCE)) => Ok(()),
        (Code::Ok, _) => {
            let message = "the person has denied the skill in this state";
            Err(refused(Refusal::new(Code::ApprovalDenied, message)))
        }
        (code, _) => Err(refused(Refusal::new(code, decided.message))),
    }
}
