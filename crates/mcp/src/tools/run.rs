//! `skill_run`

use std::future::Future;
use std::sync::Arc;

use guild_engine::containers::Chunk;
use guild_engine::{
    Code, Envelope, Given, Invocation, Stage, Status, ToolRequest, Workshop, query_data, reply, run,
};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, JsonObject, ProgressNotificationParam, ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::Entry;
use crate::approval::{self, Asked, Way};
use crate::running::{Event, Running};
use crate::sampling::Sampling;
use crate::server::Server;
use crate::{arguments, inquiry, outcome, resources};

pub(super) const TOOL: Entry = Entry {
    name: "skill_run",
    description: "Run a skill in a container; input: its parameters. A person may have to approve it",
    input: || {
        json!({
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "input": {"type": "object"},
                "arguments": {"type": "array", "items": {"type": "string"}},
            },
            "required": ["name"],
        })
    },
    annotations: || ToolAnnotations::new().read_only(false).destructive(false).open_world(true),
    call: |server, request, context| Box::pin(called(server, request, context)),
};

/// What a skill is run with.
#[derive(Deserialize)]
pub(super) struct Arguments {
    pub(super) name: String,
    #[serde(default)]
    pub(super) input: JsonObject,
    #[serde(default)]
    pub(super) arguments: Vec<String>,
}

impl Arguments {
    /// A skill with words alone.
    pub(super) fn of(name: String, words: String) -> Self {
        Self { name, input: JsonObject::new(), arguments: vec![words] }
    }
}

async fn called(
    server: &Server,
    request: CallToolRequestParams,
    context: RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    match arguments::read(&request) {
        Ok(asked) => carried_out(server, request, context, Wanted::Skill(asked)).await,
        Err(reason) => Ok(outcome::misused(&reason).into()),
    }
}

/// Something that runs, and that a person may have to approve.
pub(super) enum Wanted {
    /// A skill.
    Skill(Arguments),
    /// A question about data.
    Query {
        /// Its type.
        kind: String,
        /// What is asked.
        input: JsonObject,
    },
}

/// Has it run, and asks for approval where that is needed and the client can ask.
pub(super) async fn carried_out(
    server: &Server,
    request: CallToolRequestParams,
    context: RequestContext<RoleServer>,
    asked: Wanted,
) -> Result<CallToolResponse, ErrorData> {
    let asked = Arc::new(asked);
    let call = Call { server, request: &request, context: &context };
    // The answer to a question of an earlier round comes with its request.
    let mut resumed = None;
    if let Some(state) = &request.request_state {
        match approval::answered(server, &request, state).await {
            Ok(answered) => resumed = answered,
            Err(response) => return Ok(response),
        }
    }
    let running = resumed.unwrap_or_else(|| start(server, &asked, &context));
    let envelope = match call.follow(running).await? {
        Followed::Ended(envelope) => *envelope,
        Followed::Left(response) => return Ok(*response),
    };
    let Some(question) = Asked::of(&envelope) else { return Ok(told(&envelope).into()) };
    match Way::of(&context) {
        Way::Return => Ok(approval::required(server, &request, &question).await),
        Way::Request => {
            let answer = until_cancelled(&context, approval::ask(server, &context, &question)).await;
            match answer.ok_or_else(|| cut_off(server))? {
                Ok(()) => match call.follow(start(server, &asked, &context)).await? {
                    Followed::Ended(envelope) => Ok(told(&envelope).into()),
                    Followed::Left(response) => Ok(*response),
                },
                Err(refused) => Ok(refused.into()),
            }
        }
        Way::None => Ok(approval::left_to_wait(&envelope, &question).into()),
    }
}

/// One call of a client.
struct Call<'a> {
    server: &'a Server,
    request: &'a CallToolRequestParams,
    context: &'a RequestContext<RoleServer>,
}

/// How far a run was followed.
enum Followed {
    /// To its end.
    Ended(Box<Envelope<reply::Run>>),
    /// To a question of its tool, with which the client is sent to a person.
    Left(Box<CallToolResponse>),
}

impl Call<'_> {
    /// Follows a run to its end, or to a question that the client has to come back with an answer to.
    async fn follow(&self, mut running: Running) -> Result<Followed, ErrorData> {
        loop {
            let Some(event) = until_cancelled(self.context, running.next()).await else {
                self.server.cut_off(running).await;
                return Err(cut_off(self.server));
            };
            match event {
                Event::Ended(envelope) => return Ok(Followed::Ended(envelope)),
                Event::Asks(asked) => match Way::of(self.context) {
                    Way::Return => {
                        let response = inquiry::required(self.server, self.request, &asked).await;
                        if matches!(response, CallToolResponse::InputRequired(_)) {
                            self.server.parked().park(asked, running);
                        }
                        return Ok(Followed::Left(Box::new(response)));
                    }
                    Way::Request => inquiry::ask(self.server, self.context, asked),
                    // It waits for whoever answers elsewhere.
                    Way::None => {}
                },
            }
        }
    }
}

/// Begins to run it, apart from the request that it is asked by.
fn start(server: &Server, asked: &Arc<Wanted>, context: &RequestContext<RoleServer>) -> Running {
    let (server, asked, context) = (server.clone(), Arc::clone(asked), context.clone());
    Running::start(|asks| async move { attempt(&server, &asked, (&context, asks)).await })
}

/// Runs it as far as it goes: to its end, or to the question.
async fn attempt(
    server: &Server,
    asked: &Wanted,
    (context, asks): (&RequestContext<RoleServer>, mpsc::UnboundedSender<String>),
) -> Envelope<reply::Run> {
    let (hall, principal) = (server.premises().hall_to_run().await, server.principal());
    let workshop = server.premises().workshop(&hall);
    let sampling = Sampling::behind(workshop.subagents, context);
    let workshop = Workshop { subagents: sampling.runner(), ..workshop };
    let progress = Progress::start(context);
    let (written, staged) = (progress.clone(), progress.clone());
    let mut on_output = move |chunk: &Chunk| written.say(chunk);
    let on_stage = move |stage: Stage<'_>| {
        if let Stage::Asks { request } = stage {
            asks.send(request.to_owned()).ok();
        }
        staged.reach(stage);
    };
    let given = |input: &JsonObject| Given { values: input.clone(), texts: Vec::new() };
    let asked = match asked {
        Wanted::Skill(asked) => asked,
        Wanted::Query { kind, input } => {
            let given = given(input);
            let request = ToolRequest { on_stage: &on_stage, ..ToolRequest::new("", &given, &principal) };
            return query_data(&workshop, kind, request).await;
        }
    };
    let given = given(&asked.input);
    let invocation = Invocation {
        arguments: &asked.arguments,
        owner: server.agent(),
        on_stage: &on_stage,
        ..Invocation::new(&asked.name, &principal, &given, &mut on_output)
    };
    run(&workshop, invocation).await
}

/// Does it, unless the client takes the request back first.
async fn until_cancelled<T>(
    context: &RequestContext<RoleServer>,
    work: impl Future<Output = T>,
) -> Option<T> {
    tokio::select! {
        done = work => Some(done),
        () = context.ct.cancelled() => None,
    }
}

fn cut_off(server: &Server) -> ErrorData {
    server.note_cut_off();
    ErrorData::internal_error("the request was cancelled", None)
}

/// What came of it; what is too long for a model is a resource, with a link.
fn told(envelope: &Envelope<reply::Run>) -> rmcp::model::CallToolResult {
    let data = &envelope.data;
    let text = match (envelope.status, envelope.code) {
        (Status::Ok, _) => shown(data),
        (Status::Error, Code::ScriptFailed) => {
            format!("{}\n{}", outcome::said(envelope.code, &envelope.message), shown(data))
        }
        (Status::Error, _) => String::new(),
    };
    if data.stdout.len() + data.stderr.len() + text.len() <= outcome::MOST_CHARACTERS {
        return outcome::of(envelope, text);
    }
    resources::shortened(envelope, &text)
}

/// What a model reads of a run.
fn shown(data: &reply::Run) -> String {
    let output = match &data.output {
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
        None => data.stdout.clone(),
    };
    let mut text = output;
    if !data.stderr.is_empty() {
        text = format!("{text}\n[stderr]\n{}", data.stderr);
    }
    for set in &data.changes {
        let line =
            format!("its changes to {} wait for a person: `guild changes show {}`", set.directory, set.id);
        text = format!("{text}\n[{line}]");
    }
    text
}

/// Tells the client how far a run is, where it has asked for that.
#[derive(Clone)]
struct Progress {
    said: Option<mpsc::UnboundedSender<String>>,
}

impl Progress {
    fn start(context: &RequestContext<RoleServer>) -> Self {
        let Some(token) = context.meta.get_progress_token() else { return Self { said: None } };
        let (said, mut heard) = mpsc::unbounded_channel::<String>();
        let peer = context.peer.clone();
        tokio::spawn(async move {
            let mut count = 0.0;
            while let Some(message) = heard.recv().await {
                count += 1.0;
                let note = ProgressNotificationParam::new(token.clone(), count).with_message(message);
                if peer.notify_progress(note).await.is_err() {
                    break;
                }
            }
        });
        Self { said: Some(said) }
    }

    fn say(&self, chunk: &Chunk) {
        if let Some(said) = &self.said {
            said.send(String::from_utf8_lossy(&chunk.bytes).into_owned()).ok();
        }
    }

    fn reach(&self, stage: Stage<'_>) {
        if let Some(said) = &self.said {
            let message = match stage {
                Stage::Waits { request } | Stage::Asks { request } => {
                    format!("waits for a person: {request}")
                }
                Stage::Runs => "runs".to_owned(),
            };
            said.send(message).ok();
        }
    }
}
