//! The site: what is mounted, behind the checks that every request passes.
//!
//! In this order: is it meant for this server, is its caller let in, do they ask too often or too much at once, does all of it
//! arrive in time. Only then does what is mounted see it, with its caller as one of the request's extensions.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, HttpBody as _, to_bytes};
use axum::extract::{Request, State};
use axum::http::HeaderMap;
use axum::http::header::{AUTHORIZATION, CACHE_CONTROL, HeaderValue, X_CONTENT_TYPE_OPTIONS};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use guild_engine::{Caller, Code, Premises, Refusal, token_caller};
use tokio::time::{Instant, sleep, timeout};

use crate::answer::{healthy, nowhere, ready, refused};
use crate::crowd::{Crowd, Held};
use crate::journal::{note, sign};
use crate::metrics::Metrics;
use crate::names::Names;
use crate::rate::{Rate, STRANGERS};
use crate::settings::{Limits, Settings};

/// Whether the server is there, which anybody on the machine may ask.
const HEALTH: &str = "/health";
/// Whether it can do its work, which anybody on the machine may ask too.
const READY: &str = "/ready";
/// What Prometheus reads, with a token.
const METRICS: &str = "/metrics";

/// How long after its end a token may go on reading what was under way.
const RECHECK: Duration = Duration::from_secs(5);

/// What is served.
pub struct Site {
    premises: Arc<Premises>,
    mounted: Router,
}

/// What every request is measured by.
struct Front {
    premises: Arc<Premises>,
    names: Names,
    rate: Rate,
    crowd: Crowd,
    limits: Limits,
}

impl Site {
    /// A site where nothing is mounted; the premises know who is let in.
    pub fn new(premises: Arc<Premises>) -> Self {
        Self { premises, mounted: Router::new() }
    }

    /// Mounts something. It finds the caller's [`guild_engine::Principal`] among the request's extensions.
    #[must_use]
    pub fn mount<F, A>(self, path: &str, answer: F) -> Self
    where
        F: Fn(Request) -> A + Clone + Send + Sync + 'static,
        A: Future<Output: IntoResponse> + Send + 'static,
    {
        let answer = any(move |request: Request| answer(request));
        Self { mounted: self.mounted.route(path, answer), ..self }
    }

    /// Adds what is routed elsewhere. It finds its caller as what is mounted does.
    #[must_use]
    pub fn merge(self, router: Router) -> Self {
        Self { mounted: self.mounted.merge(router), ..self }
    }

    /// Everything behind its checks, for a server at this address.
    pub(crate) fn router(self, address: SocketAddr, settings: &Settings) -> Router {
        let (premises, metrics) = (Arc::clone(&self.premises), Arc::new(Metrics::default()));
        let told = (Arc::clone(&metrics), Arc::clone(&premises));
        let told = get(async move || told.0.told(told.1).await.unwrap_or_else(refused));
        let front = Arc::new(Front {
            premises: self.premises,
            names: Names::of(address, &settings.hosts, &settings.origins),
            rate: Rate::new(settings.limits.rate),
            crowd: Crowd::new(settings.limits.requests),
            limits: settings.limits.clone(),
        });
        let guarded = self.mounted.route(METRICS, told).fallback(nowhere).layer(from_fn(sign));
        let guarded = guarded.layer(from_fn_with_state(Arc::clone(&front), let_in));
        let able = get(move || ready(Arc::clone(&premises)));
        let all = Router::new().route(HEALTH, get(healthy)).route(READY, able).merge(guarded);
        all.layer(from_fn_with_state(front, at_the_door)).layer(from_fn_with_state(metrics, note))
    }
}

/// The first check, and what every answer says to browsers.
async fn at_the_door(State(front): State<Arc<Front>>, request: Request, next: Next) -> Response {
    let mut response = match front.names.check(request.uri(), request.headers()) {
        Ok(()) => next.run(request).await,
        Err(refusal) => refused(refusal),
    };
    let headers = response.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

async fn let_in(State(front): State<Arc<Front>>, request: Request, next: Next) -> Response {
    let token = bearer(request.headers()).unwrap_or_default().to_owned();
    match front.admit(request).await {
        Ok((request, place)) => {
            let (parts, body) = next.run(request).await.into_parts();
            // An answer that says how long it is has been given already.
            if body.size_hint().exact().is_some() {
                return Response::from_parts(parts, body);
            }
            Response::from_parts(parts, Body::new(Held::new(body, place, shut_out(front, token))))
        }
        Err(refusal) => refused(refusal),
    }
}

/// Is ready when a token lets nobody in any more, while an answer is still being given.
async fn shut_out(front: Arc<Front>, token: String) {
    loop {
        sleep(front.limits.patience.min(RECHECK)).await;
        let caller = token_caller(&front.premises.books, front.premises.now(), &token).await;
        if matches!(caller, Ok(None)) {
            return;
        }
    }
}

impl Front {
    /// The request with its caller and all of its body, and the place that it takes.
    async fn admit(&self, request: Request) -> Result<(Request, crate::crowd::Place), Refusal> {
        let caller = self.caller(request.headers()).await?;
        if !self.rate.take(&caller.token, Instant::now()) {
            return Err(too_often());
        }
        let place = self.crowd.enter(&caller.token).ok_or_else(|| {
            let message =
                format!("{} requests of this token are under way; wait for one to end", self.limits.requests);
            Refusal::new(Code::ServerBusy, message)
        })?;
        let (mut parts, body) = request.into_parts();
        let body = self.whole(body).await?;
        parts.extensions.insert(caller.principal);
        Ok((Request::from_parts(parts, body), place))
    }

    async fn caller(&self, headers: &HeaderMap) -> Result<Caller, Refusal> {
        let found = match bearer(headers) {
            Some(token) => token_caller(&self.premises.books, self.premises.now(), token).await?,
            None => None,
        };
        found.ok_or_else(|| {
            if !self.rate.take(STRANGERS, Instant::now()) {
                return too_often();
            }
            let message = "send `Authorization: Bearer TOKEN` with a token that counts; `guild token create --agent NAME` makes one";
            Refusal::new(Code::NotAuthenticated, message)
        })
    }

    /// A body that has arrived, of no more than the size and the time that it may take.
    async fn whole(&self, body: Body) -> Result<Body, Refusal> {
        let Limits { body: most, patience, .. } = self.limits;
        let too_large = || Refusal::new(Code::RequestTooLarge, format!("a request has at most {most} bytes"));
        // What announces too much is not even read.
        if body.size_hint().lower() > u64::try_from(most).unwrap_or(u64::MAX) {
            return Err(too_large());
        }
        match timeout(patience, to_bytes(body, most)).await {
            Ok(Ok(bytes)) => Ok(Body::from(bytes)),
            Ok(Err(_)) => Err(too_large()),
            Err(_) => {
                let message = format!("a request arrives within {} s", patience.as_secs());
                Err(Refusal::new(Code::RequestTooSlow, message))
            }
        }
    }
}

/// The token that a request brings.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut given = headers.get_all(AUTHORIZATION).iter();
    let (scheme, token) = given.next()?.to_str().ok()?.split_once(' ')?;
    (scheme.eq_ignore_ascii_case("bearer") && given.next().is_none()).then_some(token.trim())
}

fn too_often() -> Refusal {
    Refusal::new(Code::RateLimited, "too many requests in a short time; wait a second")
}
