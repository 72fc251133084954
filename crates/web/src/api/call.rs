//! A request as a route gets it: who asks, the parts of the address, and the body, each checked before anything is done.

use std::sync::Arc;

use axum::body::{Bytes, to_bytes};
use axum::extract::Request;
use axum::http::header::{ACCEPT, CONTENT_TYPE, IF_MATCH};
use axum::http::{HeaderMap, HeaderName};
use guild_engine::{Code, Envelope, Hall, Premises, Principal, Refusal, held_skill, may_look};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::query::{Query, invalid, parts};
use super::respond::Answer;
use super::route::Route;

/// One request.
pub(crate) struct Call {
    pub premises: Arc<Premises>,
    /// Who asks.
    pub by: Principal,
    pub query: Query,
    pub headers: HeaderMap,
    pub route: &'static Route,
    parts: Vec<String>,
    body: Bytes,
}

impl Call {
    /// Reads a request; `mounted` is the whole path that it was routed by.
    pub(crate) async fn read(
        premises: Arc<Premises>,
        route: &'static Route,
        mounted: &str,
        request: Request,
    ) -> Result<Self, Refusal> {
        let (head, body) = request.into_parts();
        let nobody = || Refusal::new(Code::NotAuthenticated, "nobody has said who calls");
        let by = head.extensions.get::<Principal>().cloned().ok_or_else(nobody)?;
        let parts = parts(mounted, head.uri.path())?;
        let query = Query::read(head.uri.query(), route.query)?;
        // How much it may be was looked at before it was let in.
        let body = to_bytes(body, usize::MAX).await;
        let body = body.map_err(|error| Refusal::new(Code::RequestMalformed, error.to_string()))?;
        Ok(Self { premises, by, query, headers: head.headers, route, parts, body })
    }

    /// The first name in its path.
    pub(crate) fn name(&self) -> &str {
        self.part(0)
    }

    /// A part of its path, by the place of its name there.
    pub(crate) fn part(&self, at: usize) -> &str {
        self.parts.get(at).map(String::as_str).unwrap_or_default()
    }

    /// The agent that asks, if it is one.
    pub(crate) fn agent(&self) -> Option<&str> {
        self.by.is_agent().then_some(self.by.agent.as_str())
    }

    /// Whose view is asked for: an agent has its own, a person that of whom they name.
    pub(crate) fn view(&self) -> Option<&str> {
        self.agent().or_else(|| self.query.text("agent"))
    }

    /// Lets an agent near a skill only where it may have it.
    pub(crate) fn may_see(&self, hall: &Hall, skill: &str) -> Result<(), Refusal> {
        if self.by.is_agent() { held_skill(hall, skill, &self.by).map(drop) } else { Ok(()) }
    }

    /// Lets only people pass, of whatever role.
    pub(crate) async fn person(&self) -> Result<(), Refusal> {
        may_look(&self.premises.books, self.premises.now(), &self.by).await
    }

    /// Whether whoever asks wants events.
    pub(crate) fn wants_events(&self) -> bool {
        self.header(&ACCEPT).is_some_and(|accepted| accepted.contains("text/event-stream"))
    }

    /// The value of a header, where it is text.
    pub(crate) fn header(&self, name: &HeaderName) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The digest that a change is meant for, as `If-Match` says.
    pub(crate) fn expected(&self) -> Result<Option<String>, Refusal> {
        let Some(tag) = self.headers.get(IF_MATCH) else { return Ok(None) };
        let tag = tag.to_str().ok().and_then(|tag| tag.trim().strip_prefix('"')?.strip_suffix('"'));
        let named = tag.map(|tag| tag.split('.').next().unwrap_or_default().to_owned());
        let unclear =
            || invalid("`If-Match` names one state, as `ETag` or `digest` said it: \"sha256:…\"".to_owned());
        named.map(Some).ok_or_else(unclear)
    }

    /// What its body says.
    pub(crate) fn body<T: DeserializeOwned>(&self) -> Result<T, Refusal> {
        let kind = self.header(&CONTENT_TYPE).unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default().trim();
        if !kind.eq_ignore_ascii_case("application/json") {
            let message = "send a body of JSON, and say so: `Content-Type: application/json`";
            return Err(Refusal::new(Code::MediaTypeUnsupported, message));
        }
        let malformed = |error: serde_json::Error| {
            Refusal::new(Code::RequestMalformed, format!("the body is no JSON: {error}"))
        };
        let value: Value = serde_json::from_slice(&self.body).map_err(malformed)?;
        if holds_nul(&value) {
            return Err(invalid("no text holds the character NUL".to_owned()));
        }
        serde_json::from_value(value)
            .map_err(|error| invalid(format!("the body is not what this takes: {error}")))
    }

    /// An envelope as its answer.
    pub(crate) fn answer<T: Serialize>(&self, envelope: &Envelope<T>) -> Answer {
        Answer::of(self.route, envelope)
    }
}

/// Does what takes its time beside the thread that serves everybody.
pub(crate) async fn beside<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Refusal> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| Refusal::new(Code::Internal, format!("the work ended before its time: {error}")))
}

/// Looks at what there is, beside the thread that serves everybody.
pub(crate) async fn look(
    call: Call,
    work: impl FnOnce(&Call, &Hall) -> Result<Answer, Refusal> + Send + 'static,
) -> Result<Answer, Refusal> {
    let premises = Arc::clone(&call.premises);
    premises.beside(move |_, hall| work(&call, hall)).await?
}

fn holds_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(values) => values.iter().any(holds_nul),
        Value::Object(fields) => fields.iter().any(|(name, value)| name.contains('\0') || holds_nul(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}
