//! The checks that every request passes before what is mounted sees it.
//!
//! In this order: is it meant for this server, is its caller let in, do they ask too often or too much at once, does all of it
//! arrive in time, and, where a browser asks for a change, has the server's own page sent it. Only then does what is mounted see
//! it, with its caller as one of the request's extensions.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody as _, to_bytes};
use axum::extract::{Request, State};
use axum::http::HeaderMap;
use axum::http::header::{AUTHORIZATION, CACHE_CONTROL, HeaderValue, X_CONTENT_TYPE_OPTIONS};
use axum::middleware::Next;
use axum::response::Response;
use guild_engine::{Code, LoginKey, Premises, Principal, Refusal, token_caller};
use tokio::time::{Instant, sleep, timeout};

use crate::answer::refused;
use crate::crowd::{Crowd, Held, Place};
use crate::live::Live;
use crate::names::Names;
use crate::page;
use crate::rate::{Rate, STRANGERS};
use crate::session::{Session, Sessions};
use crate::settings::{Limits, Settings};

/// How long after its end a token or a session may go on reading what was under way.
const RECHECK: Duration = Duration::from_secs(5);

/// What every request is measured by.
pub(crate) struct Front {
    pub(crate) premises: Arc<Premises>,
    /// Those who came by a link, where there are links.
    pub(crate) sessions: Option<Sessions>,
    /// Who is told when something happens.
    pub(crate) live: Arc<Live>,
    names: Names,
    rate: Rate,
    crowd: Crowd,
    limits: Limits,
}

/// By what a caller is let in.
#[derive(Debug, Clone)]
enum Pass {
    Token(String),
    Session(Session),
}

/// Somebody who is let in.
struct Guest {
    pass: Pass,
    /// Whom limits are counted for.
    name: String,
    principal: Principal,
}

/// The first check, and what every answer says to browsers.
pub(crate) async fn at_the_door(State(front): State<Arc<Front>>, request: Request, next: Next) -> Response {
    let mut response = match front.names.check(request.uri(), request.headers()) {
        Ok(()) => next.run(request).await,
        Err(refusal) => refused(refusal),
    };
    let headers = response.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

/// All other checks.
pub(crate) async fn let_in(State(front): State<Arc<Front>>, request: Request, next: Next) -> Response {
    let wants_page = page::is_wanted(&request);
    match front.admit(request).await {
        Ok((request, pass, place)) => {
            let (parts, body) = next.run(request).await.into_parts();
            // An answer that says how long it is has been given already.
            if body.size_hint().exact().is_some() {
                return Response::from_parts(parts, body);
            }
            Response::from_parts(parts, Body::new(Held::new(body, place, shut_out(front, pass))))
        }
        Err(refusal) if wants_page => page::refused(refusal),
        Err(refusal) => refused(refusal),
    }
}

/// Is ready when somebody is let in no more, while an answer is still being given.
async fn shut_out(front: Arc<Front>, pass: Pass) {
    loop {
        sleep(front.limits.patience.min(RECHECK)).await;
        let is_out = match (&pass, &front.sessions) {
            (Pass::Token(token), _) => {
                let caller = token_caller(&front.premises.books, front.premises.now(), token).await;
                matches!(caller, Ok(None))
            }
            (Pass::Session(session), Some(sessions)) => !sessions.is_open(session, Instant::now()),
            (Pass::Session(_), None) => true,
        };
        if is_out {
            return;
        }
    }
}

impl Front {
    /// For a server at this address.
    pub(crate) fn new(
        premises: Arc<Premises>,
        key: Option<LoginKey>,
        address: SocketAddr,
        settings: &Settings,
    ) -> Self {
        Self {
            premises,
            sessions: key.map(|key| Sessions::new(key, address.port())),
            live: Arc::default(),
            names: Names::of(address, &settings.hosts, &settings.origins),
            rate: Rate::new(settings.limits.rate),
            crowd: Crowd::new(settings.limits.requests),
            limits: settings.limits.clone(),
        }
    }

    /// Refuses strangers who ask too often.
    pub(crate) fn bear_strangers(&self) -> Result<(), Refusal> {
        if self.rate.take(STRANGERS, Instant::now()) { Ok(()) } else { Err(too_often()) }
    }

    /// The request with its caller and all of its body, and the place that it takes.
    async fn admit(&self, request: Request) -> Result<(Request, Pass, Place), Refusal> {
        let guest = self.guest(request.headers()).await?;
        if !self.rate.take(&guest.name, Instant::now()) {
            return Err(too_often());
        }
        let place = self.crowd.enter(&guest.name).ok_or_else(|| {
            let message = format!(
                "{} requests of this caller are under way; wait for one to end",
                self.limits.requests
            );
            Refusal::new(Code::ServerBusy, message)
        })?;
        let (mut parts, body) = request.into_parts();
        let body = self.whole(body).await?;
        if let Pass::Session(session) = &guest.pass {
            session.check(&parts.method, &parts.headers, &body)?;
            parts.extensions.insert(session.clone());
        }
        parts.extensions.insert(guest.principal);
        Ok((Request::from_parts(parts, Body::from(body)), guest.pass, place))
    }

    /// Who asks: by a token, where one is sent, else by a session.
    async fn guest(&self, headers: &HeaderMap) -> Result<Guest, Refusal> {
        if headers.contains_key(AUTHORIZATION) {
            let token = bearer(headers).unwrap_or_default();
            let caller = token_caller(&self.premises.books, self.premises.now(), token).await?;
            if let Some(caller) = caller {
                let pass = Pass::Token(token.to_owned());
                return Ok(Guest { pass, name: caller.token, principal: caller.principal });
            }
        } else if let Some(session) =
            self.sessions.as_ref().and_then(|sessions| sessions.find(headers, Instant::now()))
        {
            let (name, principal) = (session.name(), Session::principal());
            return Ok(Guest { pass: Pass::Session(session), name, principal });
        }
        self.bear_strangers()?;
        let message = "send `Authorization: Bearer TOKEN` with a token that counts; `guild token create --agent NAME` makes one";
        Err(Refusal::new(Code::NotAuthenticated, message))
    }

    /// A body that has arrived, of no more than the size and the time that it may take.
    async fn whole(&self, body: Body) -> Result<Bytes, Refusal> {
        let Limits { body: most, patience, .. } = self.limits;
        let too_large = || Refusal::new(Code::RequestTooLarge, format!("a request has at most {most} bytes"));
        // What announces too much is not even read.
        if body.size_hint().lower() > u64::try_from(most).unwrap_or(u64::MAX) {
            return Err(too_large());
        }
        match timeout(patience, to_bytes(body, most)).await {
            Ok(Ok(bytes)) => Ok(bytes),
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
