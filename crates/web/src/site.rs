//! The site: what is mounted, behind the checks that every request passes.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::IntoResponse;
use axum::routing::{any, get};
use guild_engine::{LoginKey, Premises};

use crate::answer::{healthy, ready, refused};
use crate::front::{Front, at_the_door, let_in};
use crate::journal::{note, sign};
use crate::live::Live;
use crate::login;
use crate::metrics::Metrics;
use crate::page;
use crate::settings::Settings;

/// Whether the server is there, which anybody on the machine may ask.
const HEALTH: &str = "/health";
/// Whether it can do its work, which anybody on the machine may ask too.
const READY: &str = "/ready";
/// What Prometheus reads, with a token.
const METRICS: &str = "/metrics";

/// What is served.
pub struct Site {
    premises: Arc<Premises>,
    mounted: Router,
    key: Option<LoginKey>,
}

impl Site {
    /// A site where nothing is mounted; the premises know who is let in.
    pub fn new(premises: Arc<Premises>) -> Self {
        Self { premises, mounted: Router::new(), key: None }
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

    /// Lets the person at this machine in too, by links that this key has made.
    #[must_use]
    pub fn welcome(self, key: LoginKey) -> Self {
        Self { key: Some(key), ..self }
    }

    /// Everything behind its checks, for a server at this address, and those who listen to what happens.
    pub(crate) fn router(self, address: SocketAddr, settings: &Settings) -> (Router, Arc<Live>) {
        let (premises, metrics) = (Arc::clone(&self.premises), Arc::new(Metrics::default()));
        let told = (Arc::clone(&metrics), Arc::clone(&premises));
        let told = get(async move || told.0.told(told.1).await.unwrap_or_else(refused));
        let front = Arc::new(Front::new(self.premises, self.key, address, settings));
        let people = page::views(&front).merge(login::way_out(&front));
        let guarded =
            self.mounted.route(METRICS, told).merge(people).fallback(page::nowhere).layer(from_fn(sign));
        let guarded = guarded.layer(from_fn_with_state(Arc::clone(&front), let_in));
        let able = get(move || ready(Arc::clone(&premises)));
        let open = Router::new().route(HEALTH, get(healthy)).route(READY, able);
        let open = open.merge(login::way_in(&front)).merge(page::assets());
        let live = Arc::clone(&front.live);
        let all = open.merge(guarded).layer(from_fn_with_state(front, at_the_door));
        (all.layer(from_fn_with_state(metrics, note)), live)
    }
}
