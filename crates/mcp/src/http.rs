//! Serving many agents over HTTP, both eras of the protocol at one address.
//!
//! Who calls, and that they may, is found among the request's extensions, where whoever listens has put it after its checks; there
//! is nothing here for a request without it. Each agent has sessions of its own: another's id leads nowhere.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fmt::Display;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use guild_engine::{Code, Principal, Refusal};
use http::header::{CONTENT_TYPE, HeaderValue};
use http::{Method, Request, Response, StatusCode};
use http_body::Body;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::server::Server;
use crate::watch::watch;

/// How long a session is kept that nothing is heard of: longer than a person is waited for.
const IDLE: Duration = Duration::from_secs(1_800);
/// Sessions of one agent at once.
const SESSIONS: usize = 256;
/// What names a session.
const SESSION: &str = "mcp-session-id";
/// What names the version of the protocol, and the first that has no sessions.
const VERSION: &str = "mcp-protocol-version";
const STATELESS: &str = "2026-07-28";

/// Serves every agent that is let in.
#[derive(Clone)]
pub struct Http {
    /// Shares everything but the agent with the servers of the agents.
    server: Server,
    agents: Arc<Mutex<BTreeMap<String, Desk>>>,
    ended: CancellationToken,
}

/// Where one agent is served.
#[derive(Clone)]
struct Desk {
    service: StreamableHttpService<Server, LocalSessionManager>,
    sessions: Arc<LocalSessionManager>,
}

impl Http {
    /// Serves the agents of these premises; `server` says everything but which agent.
    pub fn new(server: Server) -> Self {
        Self { server, agents: Arc::default(), ended: CancellationToken::new() }
    }

    /// Looks for changes for as long as it is polled, and tells those who listen.
    pub async fn watch(&self) {
        watch(self.server.clone()).await;
    }

    /// Ends what only listens; what works goes on.
    pub fn close(&self) {
        self.server.changes().over().cancel();
    }

    /// Cuts off what works.
    pub fn end(&self) {
        self.ended.cancel();
    }

    /// Answers a request.
    pub async fn answer<B>(&self, request: Request<B>) -> Response<BoxBody<Bytes, Infallible>>
    where
        B: Body + Send + 'static,
        B::Error: Display,
    {
        let agent = request.extensions().get::<Principal>().map(|caller| caller.agent.clone());
        let Some(agent) = agent else {
            let refusal = Refusal::new(Code::NotAuthenticated, "nobody has said who calls");
            return refused(StatusCode::UNAUTHORIZED, refusal);
        };
        let mut desk = self.desk(&agent);
        if opens_session(&request) && desk.sessions.sessions.read().await.len() >= SESSIONS {
            let message = format!("agent `{agent}` has {SESSIONS} sessions open; end one, or wait");
            return refused(StatusCode::SERVICE_UNAVAILABLE, Refusal::new(Code::ServerBusy, message));
        }
        // A stream that is asked for by itself only listens.
        if request.method() == Method::GET {
            desk.service.config.cancellation_token = self.server.changes().over().clone();
        }
        let ends_session = request.method() == Method::DELETE;
        let mut response = desk.service.handle(request).await;
        // Some clients take the end of a session for a failure where it is only accepted.
        if ends_session && response.status() == StatusCode::ACCEPTED {
            *response.status_mut() = StatusCode::NO_CONTENT;
        }
        response
    }

    fn desk(&self, agent: &str) -> Desk {
        let mut agents = self.agents.lock().unwrap_or_else(PoisonError::into_inner);
        agents.entry(agent.to_owned()).or_insert_with(|| self.open(agent)).clone()
    }

    fn open(&self, agent: &str) -> Desk {
        let (server, agent) = (self.server.clone(), Arc::<str>::from(agent));
        let mut sessions = LocalSessionManager::default();
        sessions.session_config.keep_alive = Some(IDLE);
        let sessions = Arc::new(sessions);
        // Whoever listens has looked at host and origin already.
        let config = StreamableHttpServerConfig::default()
            .with_cancellation_token(self.ended.clone())
            .disable_allowed_hosts();
        let service =
            StreamableHttpService::new(move || Ok(server.serving(&agent)), Arc::clone(&sessions), config);
        Desk { service, sessions }
    }
}

/// Whether a request would open a session: it belongs to none, and to no version without them.
fn opens_session<B>(request: &Request<B>) -> bool {
    let headers = request.headers();
    let is_stateless = headers.get(VERSION).is_some_and(|version| version.as_bytes() >= STATELESS.as_bytes());
    request.method() == Method::POST && !headers.contains_key(SESSION) && !is_stateless
}

fn refused(status: StatusCode, refusal: Refusal) -> Response<BoxBody<Bytes, Infallible>> {
    let envelope = refusal.into_envelope::<Map<String, Value>>();
    let text = serde_json::to_string(&envelope).unwrap_or_default();
    let mut response = Response::new(Full::new(Bytes::from(text)).boxed());
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
