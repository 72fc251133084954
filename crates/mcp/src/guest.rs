//! A guest's tools, resources and prompts, shown beside our own in both eras.
//!
//! A guest asks the client by an answer that wants input. Where there is no handshake that answer goes to the client, with the
//! guest's state sealed and bound to the agent and the call; where there was one, the client is asked here, and the guest again.

#![expect(deprecated, reason = "earlier eras are served by what the last one has dropped")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use guild_engine::ports::{Guest, GuestAnswer, GuestCall, GuestError, GuestNote};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, ErrorCode,
    GetPromptRequestParams, GetPromptResponse, InputRequest, InputRequiredResult, InputResponses,
    LoggingLevel, LoggingMessageNotificationParam, ProgressNotificationParam, ProtocolVersion,
    ReadResourceRequestParams, ReadResourceResponse, SealOptions, ServerCapabilities,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;

use crate::server::Server;

/// How long a client may take to come back.
const PATIENCE: Duration = Duration::from_secs(600);
/// How often a client with a handshake is asked for one call.
const ROUNDS: usize = 16;

/// One request to a guest.
struct Asked<'a> {
    method: &'static str,
    name: &'a str,
    arguments: Map<String, Value>,
    responses: Option<&'a InputResponses>,
    state: Option<&'a str>,
}

/// What came of it.
enum Answered<T> {
    Done(T),
    Required(InputRequiredResult),
}

/// What the guest describes of a kind.
pub(crate) fn offered<T: DeserializeOwned>(server: &Server, what: &str) -> Vec<T> {
    let described = server.guest().map(|guest| guest.offers(what)).unwrap_or_default();
    described.into_iter().filter_map(|one| serde_json::from_value(one).ok()).collect()
}

/// What the server can do where there is a guest.
pub(crate) fn widened(server: &Server, mut capabilities: ServerCapabilities) -> ServerCapabilities {
    if server.guest().is_some() {
        capabilities.logging = Some(Map::new());
    }
    capabilities
}

/// Calls a guest's tool; nothing where it is none.
pub(crate) async fn tool(
    server: &Server,
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Option<Result<CallToolResponse, ErrorData>> {
    let asked = Asked {
        method: "tools/call",
        name: &request.name,
        arguments: request.arguments.clone().unwrap_or_default(),
        responses: request.input_responses.as_ref(),
        state: request.request_state.as_deref(),
    };
    Some(answer::<CallToolResult>(server, &asked, context).await?.map(|answered| match answered {
        Answered::Done(result) => result.into(),
        Answered::Required(required) => required.into(),
    }))
}

/// Reads a guest's resource; nothing where it is none.
pub(crate) async fn resource(
    server: &Server,
    request: &ReadResourceRequestParams,
    context: &RequestContext<RoleServer>,
) -> Option<Result<ReadResourceResponse, ErrorData>> {
    let asked = Asked {
        method: "resources/read",
        name: &request.uri,
        arguments: Map::new(),
        responses: request.input_responses.as_ref(),
        state: request.request_state.as_deref(),
    };
    Some(answer(server, &asked, context).await?.map(|answered| match answered {
        Answered::Done(result) => ReadResourceResponse::Complete(result),
        Answered::Required(required) => ReadResourceResponse::InputRequired(required),
    }))
}

/// Gets a guest's prompt; nothing where it is none.
pub(crate) async fn prompt(
    server: &Server,
    request: &GetPromptRequestParams,
    context: &RequestContext<RoleServer>,
) -> Option<Result<GetPromptResponse, ErrorData>> {
    let asked = Asked {
        method: "prompts/get",
        name: &request.name,
        arguments: request.arguments.clone().unwrap_or_default(),
        responses: request.input_responses.as_ref(),
        state: request.request_state.as_deref(),
    };
    Some(answer(server, &asked, context).await?.map(|answered| match answered {
        Answered::Done(result) => GetPromptResponse::Complete(result),
        Answered::Required(required) => GetPromptResponse::InputRequired(required),
    }))
}

async fn answer<T: DeserializeOwned>(
    server: &Server,
    asked: &Asked<'_>,
    context: &RequestContext<RoleServer>,
) -> Option<Result<Answered<T>, ErrorData>> {
    let guest = Arc::clone(server.guest()?);
    let bound = json!([server.agent(), asked.method, asked.name, asked.arguments]).to_string();
    let opened = asked.state.map(|state| server.states().open_json_with::<Value>(state, bound.as_bytes()));
    let foreign =
        || ErrorData::invalid_params("the state is none of this server's, or of another call", None);
    let Ok(mut state) = opened.transpose() else { return Some(Err(foreign())) };
    let mut answers: Map<String, Value> = asked.responses.cloned().unwrap_or_default().into_iter().collect();
    for _ in 0..ROUNDS {
        let round = Round { asked, answers: &answers, state: state.as_ref() };
        let (requests, next) = match round.play(server, &*guest, context).await? {
            Ok(GuestAnswer::Done(result)) => return Some(read(complete(result)).map(Answered::Done)),
            Ok(GuestAnswer::InputRequired { requests, state }) => (requests, state),
            Err(error) => return Some(Err(error)),
        };
        let is_stateless =
            context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
        let requests = match requests_of(requests, context) {
            Ok(requests) => requests,
            Err(error) => return Some(Err(error)),
        };
        if is_stateless {
            return Some(required(server, requests, next, bound.as_bytes()).map(Answered::Required));
        }
        for (key, request) in requests {
            match ask(context, request).await {
                Ok(answer) => answers.insert(key, answer),
                Err(error) => return Some(Err(error)),
            };
        }
        state = next;
    }
    Some(Err(ErrorData::internal_error("the guest asks and asks", None)))
}

/// One round with a guest.
struct Round<'a> {
    asked: &'a Asked<'a>,
    answers: &'a Map<String, Value>,
    state: Option<&'a Value>,
}

impl Round<'_> {
    /// Asks the guest, and passes on what it tells before its answer.
    async fn play(
        &self,
        server: &Server,
        guest: &dyn Guest,
        context: &RequestContext<RoleServer>,
    ) -> Option<Result<GuestAnswer, ErrorData>> {
        let (said, mut heard) = mpsc::unbounded_channel();
        let tell = move |note: GuestNote| drop(said.send(note));
        let capabilities = json!(context.client_capabilities());
        let call = GuestCall {
            method: self.asked.method,
            name: self.asked.name,
            arguments: &self.asked.arguments,
            answers: self.answers,
            state: self.state,
            capabilities: &capabilities,
            tell: &tell,
        };
        let mut answer = guest.answer(call);
        let answered = loop {
            tokio::select! {
                biased;
                note = heard.recv() => if let Some(note) = note { pass_on(server, context, note).await },
                answered = &mut answer => break answered,
            }
        };
        drop(answer);
        while let Ok(note) = heard.try_recv() {
            pass_on(server, context, note).await;
        }
        answered.map(|answered| {
            answered.map_err(|GuestError { code, message }| ErrorData::new(ErrorCode(code), message, None))
        })
    }
}

async fn pass_on(server: &Server, context: &RequestContext<RoleServer>, note: GuestNote) {
    let peer = &context.peer;
    match note {
        GuestNote::Progress { done, whole } => {
            if let Some(token) = context.meta.get_progress_token() {
                let note = ProgressNotificationParam::new(token, done).with_total(whole);
                peer.notify_progress(note).await.ok();
            }
        }
        GuestNote::Log(text) => {
            let is_stateless =
                context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
            if !is_stateless || context.meta.log_level().is_some() {
                let note = LoggingMessageNotificationParam::new(LoggingLevel::Info, text.into());
                peer.notify_logging_message(note).await.ok();
            }
        }
        GuestNote::PromptsChanged => server.changes().tell(Vec::new()).await,
    }
}

/// The questions as the protocol has them, if the client can be asked all of them.
fn requests_of(
    requests: Map<String, Value>,
    context: &RequestContext<RoleServer>,
) -> Result<BTreeMap<String, InputRequest>, ErrorData> {
    let can = context.client_capabilities().unwrap_or_default();
    let mut needed = ClientCapabilities::default();
    let mut read_requests = BTreeMap::new();
    for (key, request) in requests {
        let request: InputRequest = read(request)?;
        match &request {
            InputRequest::CreateMessage(_) if can.sampling.is_none() => {
                needed.sampling = Some(Default::default());
            }
            InputRequest::Elicitation(_) if can.elicitation.is_none() => {
                needed.elicitation = Some(Default::default());
            }
            InputRequest::ListRoots(_) if can.roots.is_none() => needed.roots = Some(Default::default()),
            _ => {}
        }
        read_requests.insert(key, request);
    }
    if needed == ClientCapabilities::default() {
        return Ok(read_requests);
    }
    Err(ErrorData::missing_required_client_capability(needed))
}

/// The answer that goes to a client without a handshake.
fn required(
    server: &Server,
    requests: BTreeMap<String, InputRequest>,
    state: Option<Value>,
    bound: &[u8],
) -> Result<InputRequiredResult, ErrorData> {
    let options = SealOptions::new().associated_data(bound).ttl(PATIENCE);
    let sealed = state.map(|state| server.states().seal_json_with(&state, &options)).transpose();
    let sealed = sealed.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    Ok(InputRequiredResult::new(Some(requests), sealed))
}

/// Asks a client that has shaken hands.
async fn ask(context: &RequestContext<RoleServer>, request: InputRequest) -> Result<Value, ErrorData> {
    let peer = &context.peer;
    match request {
        InputRequest::CreateMessage(request) => written(peer.create_message(request.params).await),
        InputRequest::Elicitation(request) => {
            written(peer.create_elicitation_with_timeout(request.params, Some(PATIENCE)).await)
        }
        InputRequest::ListRoots(_) => written(peer.list_roots().await),
        _ => Err(ErrorData::internal_error("the guest asks something that nobody knows", None)),
    }
}

fn written<T: Serialize, E: std::fmt::Display>(answer: Result<T, E>) -> Result<Value, ErrorData> {
    answer.map(|answer| json!(answer)).map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

/// What the protocol wants of every result, and a guest need not say.
fn complete(mut result: Value) -> Value {
    if let Value::Object(fields) = &mut result {
        fields.entry("resultType").or_insert_with(|| "complete".into());
        fields.entry("ttlMs").or_insert_with(|| 0.into());
        fields.entry("cacheScope").or_insert_with(|| "private".into());
    }
    result
}

fn read<T: DeserializeOwned>(value: Value) -> Result<T, ErrorData> {
    let misformed = |error: serde_json::Error| {
        ErrorData::internal_error(format!("the guest does not speak the protocol: {error}"), None)
    };
    serde_json::from_value(value).map_err(misformed)
}
