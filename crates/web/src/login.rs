//! The way in by a link, and the way out again.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::{HeaderName, LOCATION, SET_COOKIE};
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use guild_engine::{Code, Refusal};
use tokio::time::Instant;

use crate::front::Front;
use crate::session::Session;
use crate::{form, page};

/// What anybody may ask: to be let in.
pub(crate) fn way_in(front: &Arc<Front>) -> Router {
    Router::new().route("/login", get(enter)).with_state(Arc::clone(front))
}

/// What somebody with a session may ask: to be let in no more.
pub(crate) fn way_out(front: &Arc<Front>) -> Router {
    Router::new().route("/logout", post(leave)).with_state(Arc::clone(front))
}

async fn enter(State(front): State<Arc<Front>>, request: Request) -> Response {
    if only_looks(&request) {
        return StatusCode::NO_CONTENT.into_response();
    }
    let link = form::field(request.uri().query().unwrap_or_default().as_bytes(), "link").unwrap_or_default();
    let entered = match (&front.sessions, front.bear_strangers()) {
        (_, Err(refusal)) => Err(refusal),
        (Some(sessions), Ok(())) => sessions.enter(front.premises.now(), Instant::now(), &link),
        (None, Ok(())) => Ok(None),
    };
    match entered {
        Ok(Some(cookie)) => away("/", Some(cookie)),
        Ok(None) => {
            let message = "this link was used before, or its time is up; `guild login` makes another";
            page::refused(Refusal::new(Code::NotAuthenticated, message))
        }
        Err(refusal) => page::refused(refusal),
    }
}

/// Whether a request is nobody's visit: a program that looks at a link, or a browser that guesses where somebody will go.
fn only_looks(request: &Request) -> bool {
    let purpose = request.headers().get("sec-purpose").and_then(|purpose| purpose.to_str().ok());
    *request.method() == Method::HEAD || purpose.is_some_and(|purpose| purpose.contains("prefetch"))
}

async fn leave(State(front): State<Arc<Front>>, request: Request) -> Response {
    let session = request.extensions().get::<Session>();
    let cookie = front.sessions.as_ref().zip(session).map(|(sessions, session)| sessions.leave(session));
    away("/", cookie)
}

/// Sends the browser elsewhere, with a cookie.
fn away(to: &'static str, cookie: Option<String>) -> Response {
    let cookie: Vec<(HeaderName, String)> = cookie.into_iter().map(|cookie| (SET_COOKIE, cookie)).collect();
    let cookie = axum::response::AppendHeaders(cookie);
    (StatusCode::SEE_OTHER, [(LOCATION, to)], cookie).into_response()
}
