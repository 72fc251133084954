//! One line for each request: how it was asked, where, with what result, how long it took, and by which agent.
//!
//! Never a token, never a value: what stands in an address or a body is nobody's business but that of whoever answers.

use std::sync::Arc;

use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::Response;
use guild_engine::Principal;
use tokio::time::Instant;

use crate::metrics::Metrics;

/// What a request without a route is called.
const NOWHERE: &str = "none";

/// Who asked, on the way out.
#[derive(Debug, Clone)]
struct Asked(Principal);

/// Lets the answer say who asked.
pub(crate) async fn sign(request: Request, next: Next) -> Response {
    let by = request.extensions().get::<Principal>().cloned();
    let mut response = next.run(request).await;
    if let Some(by) = by {
        response.extensions_mut().insert(Asked(by));
    }
    response
}

/// Counts a request, and writes it down.
pub(crate) async fn note(State(metrics): State<Arc<Metrics>>, request: Request, next: Next) -> Response {
    let begun = Instant::now();
    let method = known(request.method().as_str());
    let route = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned());
    let response = next.run(request).await;
    let (took, status) = (begun.elapsed(), response.status().as_u16());
    let route = route.as_deref().unwrap_or(NOWHERE);
    metrics.count(method, route, status, took);
    let asked = response.extensions().get::<Asked>().map(|Asked(by)| by);
    tracing::info!(
        method,
        route,
        status,
        duration_ms = u64::try_from(took.as_micros()).unwrap_or(u64::MAX) as f64 / 1_000.0,
        caller = asked.map_or("", |by| by.kind.as_str()),
        agent = asked.map_or("", |by| by.agent.as_str()),
        "request"
    );
    response
}

/// A method's name; those that nobody knows are one, lest strangers fill the memory with them.
fn known(method: &str) -> &'static str {
    const KNOWN: [&str; 8] = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"];
    KNOWN.iter().find(|known| **known == method).copied().unwrap_or("OTHER")
}
