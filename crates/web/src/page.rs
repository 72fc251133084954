//! The page: what a person sees of their agents' skills, and decides.
//!
//! Markup is written by [`html`] alone, so that a skill's text stays text. No script and no style stands in a page, and nothing comes
//! from elsewhere; what a person decides is an operation of the engine, as it is at the command line.

mod agents;
mod answering;
mod approvals;
mod assets;
mod changes;
mod charts;
mod diff;
mod editor;
mod frame;
mod health;
mod html;
mod jobs;
mod markdown;
mod parts;
mod plugins;
mod runs;
mod skill;
mod skills;
mod sources;
mod updates;
mod visit;

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::Method;
use axum::http::header::{ACCEPT, CONTENT_TYPE};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use guild_engine::{Code, Refusal};

use crate::answer;
use crate::front::Front;
pub(crate) use assets::assets;
use html::{Html, put};

/// The views, for whoever is let in.
pub(crate) fn views(front: &Arc<Front>) -> Router {
    let views = Router::new()
        .route("/", get(approvals::list))
        .route("/approvals/{id}", post(approvals::decide))
        .route("/grants/{id}", post(approvals::end))
        .route("/skills", get(skills::view))
        .route("/skills/{name}", get(skill::view))
        .route("/skills/{name}/toggle", post(skill::switch))
        .route("/skills/{name}/run", post(jobs::start))
        .route("/jobs/{id}", get(jobs::show).post(jobs::cancel))
        .route("/editor", get(editor::open).post(editor::save))
        .route("/editor/check", post(editor::check))
        .route("/runs", get(runs::list))
        .route("/runs/{id}", get(runs::show))
        .route("/changes", get(changes::list))
        .route("/changes/{id}", get(changes::show).post(changes::decide))
        .route("/plugins", get(plugins::list))
        .route("/plugins/{name}", get(plugins::show).post(plugins::switch))
        .route("/sources", get(sources::list))
        .route("/sources/preview", post(sources::preview))
        .route("/sources/install", post(sources::install))
        .route("/sources/update", post(updates::view))
        .route("/sources/remove", post(sources::uninstall))
        .route("/agents", get(agents::view))
        .route("/doctor", get(health::view))
        .route("/live", get(live));
    views.with_state(Arc::clone(front))
}

/// What happens, as it happens.
async fn live(State(front): State<Arc<Front>>) -> Response {
    let body = front.live.listen(&front.premises);
    ([(CONTENT_TYPE, "text/event-stream")], body).into_response()
}

/// Whether a request comes from somebody who would read a page.
pub(crate) fn is_wanted(request: &Request) -> bool {
    let accepted = request.headers().get(ACCEPT).and_then(|accepted| accepted.to_str().ok());
    let is_page = accepted.is_some_and(|accepted| accepted.contains("text/html"));
    is_page && matches!(*request.method(), Method::GET | Method::HEAD | Method::POST)
}

/// The answer where nothing is, for whoever asks.
pub(crate) async fn nowhere(request: Request) -> Response {
    if is_wanted(&request) {
        return frame::refused(
            &Refusal::new(Code::RouteNotFound, "There is nothing at this address."),
            Some(way_home()),
        );
    }
    answer::nowhere().await
}

fn way_home() -> Html {
    let mut out = Html::default();
    out.markup("<p><a href=\"/\">To the approvals</a></p>");
    out
}

/// What a browser is told that is not let in, or whose request was refused before anything saw it.
pub(crate) fn refused(mut refusal: Refusal) -> Response {
    let mut help = Html::default();
    if refusal.code == Code::NotAuthenticated {
        if refusal.message.starts_with("send ") {
            refusal.message = "This page is for whoever sits at this machine.".to_owned();
        }
        put!(help; "<p>Run this in a terminal here, and open the link that it prints:</p><pre class=\"command\">guild login</pre>"
            "<p class=\"dim\">A link works once, and for ten minutes. Programs bring a token instead.</p>");
    }
    frame::refused(&refusal, Some(help))
}
