//! The API: every operation over HTTP, with the envelopes and codes of the command line.
//!
//! One table of routes makes both the router and the OpenAPI document. It decides nothing: who may do what is the engine's to say,
//! and what an agent asks for waits for a person here as everywhere.

mod agents;
mod approvals;
mod authoring;
mod call;
mod changes;
mod document;
mod events;
mod grants;
mod house;
mod inspecting;
mod plugins;
mod query;
mod receipts;
mod registry;
mod respond;
mod route;
mod runs;
mod skills;
mod sources;
mod tools;

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::response::{IntoResponse as _, Response};
use axum::routing::{MethodFilter, get, on};
use guild_engine::{Code, Premises, Refusal};

use crate::answer::refused;
use call::Call;
use route::{Method, Route, TOP};

pub use document::document;

/// Where the document is, below the top.
const DOCUMENT: &str = "/openapi.json";
/// Where others look for what is here, without a version: the lists and single entries of these.
const ALIASES: [&str; 3] = ["/skills", "/skills/{name}", "/tools"];

/// All routes, by what they are about.
const TABLES: &[&[Route]] = &[
    skills::ROUTES,
    authoring::ROUTES,
    inspecting::ROUTES,
    plugins::ROUTES,
    tools::ROUTES,
    registry::ROUTES,
    agents::ROUTES,
    runs::ROUTES,
    approvals::ROUTES,
    grants::ROUTES,
    receipts::ROUTES,
    changes::ROUTES,
    sources::ROUTES,
    house::ROUTES,
];

/// The API of these premises.
pub fn router(premises: &Arc<Premises>) -> Router {
    let mut router = Router::new().route(&format!("{TOP}{DOCUMENT}"), get(described));
    for route in TABLES.iter().copied().flatten() {
        router = mounted(router, premises, route, format!("{TOP}{}", route.path));
        if ALIASES.contains(&route.path) {
            router = mounted(router, premises, route, format!("/api{}", route.path));
        }
    }
    router.method_not_allowed_fallback(wrong_method)
}

fn mounted(router: Router, premises: &Arc<Premises>, route: &'static Route, path: String) -> Router {
    let (premises, mounted) = (Arc::clone(premises), Arc::<str>::from(path.as_str()));
    let filter = match route.method {
        Method::Get => MethodFilter::GET,
        Method::Post => MethodFilter::POST,
        Method::Put => MethodFilter::PUT,
        Method::Delete => MethodFilter::DELETE,
    };
    router.route(&path, on(filter, move |request: Request| answered(premises, route, mounted, request)))
}

async fn answered(
    premises: Arc<Premises>,
    route: &'static Route,
    mounted: Arc<str>,
    request: Request,
) -> Response {
    let headers = request.headers().clone();
    let call = match Call::read(premises, route, &mounted, request).await {
        Ok(call) => call,
        Err(refusal) => return refused(refusal),
    };
    match (route.answer)(call).await {
        Ok(answer) => answer.respond(route, &headers),
        Err(refusal) => refused(refusal),
    }
}

async fn described() -> Response {
    let text = serde_json::to_string(&document()).unwrap_or_default();
    ([(axum::http::header::CONTENT_TYPE, "application/json")], text).into_response()
}

async fn wrong_method() -> Response {
    let message = "what is here cannot be asked in this way; `Allow` says in which it can";
    refused(Refusal::new(Code::MethodNotAllowed, message))
}
