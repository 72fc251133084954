//! A visit: who looks at a page, what they asked for, and how they are answered.

use std::sync::Arc;

use axum::body::to_bytes;
use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;
use axum::http::header::LOCATION;
use axum::response::{IntoResponse as _, Response};
use guild_engine::{Code, Envelope, Hall, Premises, Principal, Refusal, Status, requests};

use super::frame::{self, Frame, Tab};
use super::html::{Html, Url, put};
use crate::answer;
use crate::form;
use crate::front::Front;
use crate::session::{CSRF_FIELD, Notice, Session};

/// What says that only the inside of a page is wanted, without its frame.
const PIECE: &str = "x-piece";
/// More than any form of a page has.
const MOST_BYTES: usize = 4 << 20;

/// Somebody looks, or asks for a change.
pub(crate) struct Visit {
    front: Arc<Front>,
    /// Who.
    pub(crate) by: Principal,
    session: Option<Session>,
    fields: Vec<(String, String)>,
    is_piece: bool,
}

impl FromRequest<Arc<Front>> for Visit {
    type Rejection = Response;

    async fn from_request(request: Request, front: &Arc<Front>) -> Result<Self, Response> {
        let (parts, body) = request.into_parts();
        let by = parts.extensions.get::<Principal>().cloned();
        let by = by.filter(|by| !by.is_agent()).ok_or_else(|| {
            let message = "the page is for people; agents have MCP at `/mcp`";
            frame::refused(&Refusal::new(Code::PersonRequired, message), None)
        })?;
        let mut fields: Vec<(String, String)> =
            form::fields(parts.uri.query().unwrap_or_default().as_bytes()).collect();
        if !parts.method.is_safe() {
            let body = to_bytes(body, MOST_BYTES).await.unwrap_or_default();
            fields.extend(form::fields(&body));
        }
        Ok(Self {
            front: Arc::clone(front),
            by,
            session: parts.extensions.get::<Session>().cloned(),
            fields,
            is_piece: parts.headers.contains_key(PIECE),
        })
    }
}

impl Visit {
    /// What is served.
    pub(crate) fn premises(&self) -> &Arc<Premises> {
        &self.front.premises
    }

    /// What is served, for work on another thread.
    pub(crate) fn shared(&self) -> Arc<Premises> {
        Arc::clone(&self.front.premises)
    }

    /// What there is.
    pub(crate) fn hall(&self) -> Arc<Hall> {
        self.front.premises.hall()
    }

    /// Computes something that takes a while, beside everybody else's requests.
    pub(crate) async fn beside<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Premises, &Hall) -> T + Send + 'static,
    ) -> Result<T, Refusal> {
        self.front.premises.beside(work).await
    }

    /// A field of the query or the form, unless it is empty.
    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        let found = self.fields.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }

    /// Every field, in order.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (&str, &str)> {
        self.fields.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Every value of a field.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.fields.iter().filter(move |(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The page that a list of several is on, from one.
    pub(crate) fn page_number(&self) -> usize {
        self.field("page").and_then(|page| page.parse().ok()).filter(|page| *page > 0).unwrap_or(1)
    }

    /// The beginning of a form, which the server knows again as its own.
    pub(crate) fn form(&self, action: &Url) -> Html {
        let mut out = Html::default();
        let csrf = self.session.as_ref().map(|session| session.csrf.as_str());
        put!(out; "<form method=\"post\" action=\"" {action} "\"><input type=\"hidden\" name=\"" {CSRF_FIELD} "\" value=\"" {csrf} "\">");
        out
    }

    /// A view in its frame, or alone where the page only wants to renew it.
    pub(crate) async fn view(&self, tab: Tab, title: &str, body: Html) -> Response {
        if self.is_piece {
            return frame::piece(body);
        }
        let premises = self.premises();
        let waiting = requests(&premises.books, premises.now()).await.data.count;
        let hall = self.hall();
        let told = self.front.sessions.as_ref().zip(self.session.as_ref());
        let notice = told.and_then(|(sessions, session)| sessions.told(session));
        let leave = self.form(&Url::of(&["logout"]));
        let workspace = hall.machine.workspace().to_string_lossy().into_owned();
        frame::page(Frame { tab, title, body, waiting, notice, leave, workspace })
    }

    /// Why there is nothing to see.
    pub(crate) async fn refuse(&self, tab: Tab, refusal: Refusal) -> Response {
        let mut body = Html::default();
        put!(body; "<h1>Not here</h1><p class=\"notice bad\">" {refusal.message} "</p><p class=\"dim\"><code>"
            {refusal.code.as_str()} "</code></p>");
        let mut response = self.view(tab, "Not here", body).await;
        *response.status_mut() = answer::status(refusal.code);
        response
    }

    /// Says what came of a change, on the page that it leads to.
    pub(crate) fn done<T>(&self, envelope: &Envelope<T>, good: &str, to: &Url) -> Response {
        let is_good = envelope.status == Status::Ok;
        let text = match (is_good, good.is_empty()) {
            (true, false) => good.to_owned(),
            (true, true) => envelope.message.clone(),
            (false, _) => format!("{} ({})", envelope.message, envelope.code.as_str()),
        };
        self.told(is_good, text, to)
    }

    /// Says something on the page that it leads to.
    pub(crate) fn told(&self, is_good: bool, text: String, to: &Url) -> Response {
        if let (Some(sessions), Some(session)) = (&self.front.sessions, &self.session) {
            sessions.tell(session, Notice { is_good, text });
        }
        (StatusCode::SEE_OTHER, [(LOCATION, to.as_str().to_owned())]).into_response()
    }
}
