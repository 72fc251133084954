//! What a tool of somebody else asks a person in the midst of a call: a request like any other, answered with values.
//!
//! The values are held to the schema that came with the question. They go from whoever answers to the call that waits, encrypted and
//! once; the books keep a keyed digest of them.

mod field;
mod handover;

use std::time::Duration;

use guild_ledger::receipt::{Entry, Kind, SkillRef};
use guild_ledger::{Answer, Matter, Principal, Request, RequestId, State};
use guild_manifest::{Digest, canonical};
use serde_json::{Map, Value, json};

use crate::approvals::{Asks, Shown};
use crate::ports::{Inquirer, Pending, Said};
use crate::run::Stage;
use crate::schema::Validator;
use crate::workshop::Workshop;
use crate::{Books, Code, Refusal};

pub use field::{AskedField, FieldKind, asked_fields, typed_answers};

/// The action of requests that are answered with values.
pub const ANSWER: &str = "answer";
/// What the receipt says of a question that was put away without a word.
const DISMISSED: &str = "dismissed";
/// How long a person may take where nobody says otherwise.
pub const PATIENCE: Duration = Duration::from_secs(600);

/// Asks for the tool of one call.
pub(crate) struct Asking<'a> {
    pub workshop: &'a Workshop<'a>,
    pub principal: &'a Principal,
    /// The skill that calls the tool.
    pub skill: &'a str,
    /// The tool, as `provider:tool`.
    pub tool: String,
    pub workspace: &'a str,
    pub on_stage: &'a (dyn Fn(Stage<'_>) + Send + Sync),
    /// How long a person may take; nobody is asked where this is nothing.
    pub patience: Option<Duration>,
}

impl Inquirer for Asking<'_> {
    fn ask<'a>(&'a self, message: &'a str, schema: &'a Value) -> Pending<'a, Said> {
        // Whatever is in the way, the tool learns that nobody has answered.
        Box::pin(async move { self.answer(message, schema).await.unwrap_or(Said::Nothing) })
    }
}

impl Asking<'_> {
    async fn answer(&self, message: &str, schema: &Value) -> Option<Said> {
        let patience = self.patience?;
        Validator::new(schema).ok()?;
        let books = self.workshop.books;
        handover::sweep(books, PATIENCE);
        let request = self.request(message, schema, patience).await?;
        (self.on_stage)(Stage::Asks { request: &request.to_string() });
        let deadline = self.workshop.now().after(patience);
        let found = books.ledger.wait(request, deadline, || self.workshop.now()).await.ok()??;
        let State::Decided { receipt, .. } = found.state else { return None };
        (self.on_stage)(Stage::Runs);
        let entry = &receipt.receipt.entry;
        match (entry.code.as_str(), entry.note.as_deref()) {
            ("approved", Some(digest)) => handover::take(books, request, digest).map(Said::Accepted),
            ("approved", None) => None,
            (_, Some(DISMISSED)) => Some(Said::Dismissed),
            _ => Some(Said::Declined),
        }
    }

    /// Leaves the question; the same one twice is two.
    async fn request(&self, message: &str, schema: &Value, patience: Duration) -> Option<RequestId> {
        let Self { workshop, principal, skill, tool, workspace, .. } = self;
        let unique: [u8; 16] = guild_sandbox::random_bytes().ok()?;
        let asks = Asks { tool: tool.clone(), message: message.to_owned(), schema: schema.clone() };
        let plan = json!({"version": 1, "asks": asks, "unique": unique});
        let matter = Matter {
            action: ANSWER.to_owned(),
            agent: principal.agent.clone(),
            skill: (*skill).to_owned(),
            security_hash: None,
            workspace: (*workspace).to_owned(),
            plan: Digest::of(canonical::text_of(&plan).as_bytes()),
            shown: Shown { asks: Some(asks), ..Shown::default() }.to_value(),
        };
        let entry = Entry {
            skill: Some(SkillRef { name: (*skill).to_owned(), security_hash: None }),
            ..Entry::new(Kind::Asked, Code::ToolInputRequired.as_str(), (*principal).clone())
        };
        let now = workshop.now();
        let asked = workshop.books.ledger.ask(now, matter, now.after(patience), entry).await;
        asked.ok().map(|(request, _)| request.id)
    }
}

/// What comes with an answer.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Given<'a> {
    /// Nothing but the word.
    Word,
    /// Values.
    Values(&'a Map<String, Value>),
    /// Not even a word: the question was put away.
    Silence,
}

/// Hands over what a person answers to the call that waits, and gives what the receipt says of it; nothing where the request wants no
/// values.
pub(crate) fn hand_over(
    books: &Books,
    request: &Request,
    answer: Answer,
    given: Given<'_>,
) -> Result<Option<String>, Refusal> {
    let (id, asks) = (request.id, Shown::read(&request.matter.shown).and_then(|shown| shown.asks));
    let (Some(asks), true) = (asks, request.matter.action == ANSWER) else {
        let message = format!("{id} is about something that takes no values");
        return if matches!(given, Given::Word) { Ok(None) } else { Err(Refusal::new(Code::Usage, message)) };
    };
    if answer == Answer::Deny {
        return Ok(matches!(given, Given::Silence).then(|| DISMISSED.to_owned()));
    }
    let Given::Values(values) = given else {
        let message = format!("{id} asks for values: `guild approve {id} --param NAME=VALUE` gives them");
        return Err(Refusal::new(Code::InvalidParams, message));
    };
    let value = Value::Object(values.clone());
    let validator = Validator::new(&asks.schema).map_err(|error| Refusal::new(Code::Internal, error))?;
    let errors = validator.errors(&value);
    if !errors.is_empty() {
        let told: Vec<String> = errors.into_iter().map(|(path, message)| told(&path, &message)).collect();
        let message = format!("the values are not what was asked for: {}", told.join("; "));
        return Err(Refusal::new(Code::InvalidParams, message));
    }
    let digest = books.ledger.keyed_digest(&format!("answer {id}"), canonical::text_of(&value).as_bytes());
    handover::put(books, (id, &digest), values)?;
    Ok(Some(digest))
}

fn told(path: &str, message: &str) -> String {
    match path.strip_prefix('/') {
        Some(name) => format!("`{name}`: {message}"),
        None => message.to_owned(),
    }
}
