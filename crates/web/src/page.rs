//! The page: what a person sees of their agents' skills, and decides.
//!
//! Markup is written by [`html`] alone, so that a skill's text stays text. No script and no style stands in a page, and nothing comes
//! from elsewhere; what a person decides is an operation of the engine, as it is at the command line.

mod html;

use axum::Router;
use axum::extract::Request;
use axum::http::header::{ACCEPT, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY};
use axum::http::{HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use guild_engine::Refusal;

use crate::answer;
use crate::session::Session;
use html::{Html, put};

/// What a browser may do with a page of ours: nothing that is not from here, and nothing that is written into it.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
    form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/// Whether a request comes from somebody who would read a page.
pub(crate) fn is_wanted(request: &Request) -> bool {
    let accepted = request.headers().get(ACCEPT).and_then(|accepted| accepted.to_str().ok());
    let is_page = accepted.is_some_and(|accepted| accepted.contains("text/html"));
    is_page && matches!(*request.method(), Method::GET | Method::HEAD | Method::POST)
}

/// What a browser is told that is not let in, or whose request was refused before anything saw it.
pub(crate) fn refused(refusal: Refusal) -> Response {
    let status = answer::status(refusal.code);
    let mut out = Html::default();
    put!(out; "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Guildhall</title>"
        "<main><h1>Guildhall</h1><p>" {refusal.message} "</p>"
        "<p>To get in, run <code>guild login</code> on this machine and open the link that it prints.</p></main></html>");
    answered(status, out)
}

/// The views, for whoever is let in.
pub(crate) fn views() -> Router {
    Router::new().route("/", get(home))
}

async fn home(request: Request) -> Response {
    let csrf = request.extensions().get::<Session>().map(|session| session.csrf.clone());
    let mut out = Html::default();
    put!(out; "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Guildhall</title><main><h1>Guildhall</h1>"
        "<form method=\"post\" action=\"/logout\"><input type=\"hidden\" name=\"csrf-token\" value=\"" {csrf} "\">"
        "<button>Log out</button></form></main></html>");
    answered(StatusCode::OK, out)
}

/// What everybody may have: how the page looks and moves.
pub(crate) fn assets() -> Router {
    Router::new()
}

fn answered(status: StatusCode, page: Html) -> Response {
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
        (CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY)),
        (REFERRER_POLICY, HeaderValue::from_static("same-origin")),
    ];
    (status, headers, page.into_string()).into_response()
}
