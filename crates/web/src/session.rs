//! Sessions: a person's browser that has come by a login link, known by a cookie until it is idle for long or the server ends.
//!
//! Cookies and links are kept as digests alone. A cookie says who asks and proves nothing about the page that makes the browser ask:
//! whoever asks for a change by one also sends the session's token, which only the server's own page can know, and an origin.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use axum::http::header::{CONTENT_TYPE, COOKIE, ORIGIN};
use axum::http::{HeaderMap, Method};
use guild_engine::containers::random_bytes;
use guild_engine::ledger::Timestamp;
use guild_engine::manifest::Digest;
use guild_engine::{Code, LoginKey, Principal, Refusal};
use tokio::time::Instant;

use crate::form;

/// How the calls of a session come, as receipts name it.
const VIA: &str = "web";
/// Sessions at once; who comes then ends the one that was idle longest.
const MOST: usize = 32;
/// How long a session may be idle.
const IDLE: Duration = Duration::from_secs(12 * 60 * 60);
/// Where a script sends the session's token; a form has it as a field of the same name without `x-`.
pub(crate) const CSRF_HEADER: &str = "x-csrf-token";
/// The field of a form that holds the session's token.
pub(crate) const CSRF_FIELD: &str = "csrf-token";

/// Everybody who has come by a link.
#[derive(Debug)]
pub(crate) struct Sessions {
    key: LoginKey,
    cookie: String,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    /// Links that were used, until they would let nobody in anyway.
    used: HashMap<Digest, Instant>,
    open: HashMap<Digest, Open>,
}

/// A session that is open.
#[derive(Debug)]
struct Open {
    seen: Instant,
    /// What came of the last change, until a page has said so.
    notice: Option<Notice>,
}

/// What came of a change, for the page that comes next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Notice {
    pub is_good: bool,
    pub text: String,
}

impl Open {
    fn is_idle(&self, at: Instant) -> bool {
        at.duration_since(self.seen) >= IDLE
    }
}

/// A session, as what is mounted finds it among the request's extensions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// What a request for a change has to send back.
    pub csrf: String,
    id: Digest,
}

impl Session {
    /// Its name in counts.
    pub(crate) fn name(&self) -> String {
        format!("session {}", self.id)
    }

    /// Who it is: the person at this machine.
    pub(crate) fn principal() -> Principal {
        Principal::person(VIA)
    }

    /// Lets a request pass that changes nothing, or that the server's own page has sent.
    pub(crate) fn check(&self, method: &Method, headers: &HeaderMap, body: &[u8]) -> Result<(), Refusal> {
        if method.is_safe() {
            return Ok(());
        }
        let told = headers.get(CSRF_HEADER).and_then(|told| told.to_str().ok()).map(str::to_owned);
        let told = told.or_else(|| is_form(headers).then(|| form::field(body, CSRF_FIELD)).flatten());
        let is_right =
            told.is_some_and(|told| Digest::of(told.as_bytes()) == Digest::of(self.csrf.as_bytes()));
        // An origin that is there was found right at the door; every browser sends one with such a request.
        if is_right && headers.contains_key(ORIGIN) {
            return Ok(());
        }
        let message = "a session's request for a change comes from the server's own page, with an origin and the page's token; load the page again";
        Err(Refusal::new(Code::CsrfTokenInvalid, message))
    }
}

impl Sessions {
    /// None yet, for a server at this port.
    pub(crate) fn new(key: LoginKey, port: u16) -> Self {
        // Cookies know no ports, and another server of this machine has sessions of its own.
        Self { key, cookie: format!("guild_session_{port}"), inner: Mutex::default() }
    }

    /// Opens a session for somebody who brings a link; the cookie that says so. A link is used up by it.
    pub(crate) fn enter(&self, now: Timestamp, at: Instant, link: &str) -> Result<Option<String>, Refusal> {
        let Some(link) = self.key.knows(now, link) else { return Ok(None) };
        let secret = random_bytes::<32>().map_err(|error| Refusal::new(Code::Internal, error.to_string()))?;
        let secret: String = secret.iter().map(|byte| format!("{byte:02x}")).collect();
        let mut inner = self.lock();
        inner.used.retain(|_, used| at.duration_since(*used) < IDLE);
        if inner.used.insert(link, at).is_some() {
            return Ok(None);
        }
        inner.open.retain(|_, open| !open.is_idle(at));
        if inner.open.len() >= MOST {
            let idle = inner.open.iter().min_by_key(|(_, open)| open.seen).map(|(id, _)| *id);
            idle.and_then(|id| inner.open.remove(&id));
        }
        inner.open.insert(Digest::of(secret.as_bytes()), Open { seen: at, notice: None });
        Ok(Some(format!("{}={secret}; Path=/; HttpOnly; SameSite=Strict", self.cookie)))
    }

    /// The session that a request comes from, which is idle no more.
    pub(crate) fn find(&self, headers: &HeaderMap, at: Instant) -> Option<Session> {
        let secret = self.secret(headers)?;
        let id = Digest::of(secret.as_bytes());
        let mut inner = self.lock();
        inner.open.get_mut(&id).filter(|open| !open.is_idle(at))?.seen = at;
        Some(Session { csrf: Digest::of_parts([b"csrf".as_slice(), secret.as_bytes()]).to_hex(), id })
    }

    /// Whether a session lets its holder in still; asking keeps none open.
    pub(crate) fn is_open(&self, session: &Session, at: Instant) -> bool {
        self.lock().open.get(&session.id).is_some_and(|open| !open.is_idle(at))
    }

    /// Keeps a notice for the session's next page.
    pub(crate) fn tell(&self, session: &Session, notice: Notice) {
        if let Some(open) = self.lock().open.get_mut(&session.id) {
            open.notice = Some(notice);
        }
    }

    /// The notice that waits, which is told once.
    pub(crate) fn told(&self, session: &Session) -> Option<Notice> {
        self.lock().open.get_mut(&session.id)?.notice.take()
    }

    /// Ends a session; the cookie that takes the browser's away.
    pub(crate) fn leave(&self, session: &Session) -> String {
        self.lock().open.remove(&session.id);
        format!("{}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0", self.cookie)
    }

    fn secret<'a>(&self, headers: &'a HeaderMap) -> Option<&'a str> {
        let mut cookies = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
        cookies.find_map(|line| {
            line.split(';').find_map(|cookie| {
                let (name, value) = cookie.trim().split_once('=')?;
                (name == self.cookie).then_some(value)
            })
        })
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_form(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    kind.split(';')
        .next()
        .is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/x-www-form-urlencoded"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;
    use guild_engine::Places;

    fn sessions(home: &std::path::Path) -> Sessions {
        let places = Places { state: Some(home.to_owned()), ..Places::default() };
        Sessions::new(LoginKey::make(&places, "127.0.0.1:7878".parse().unwrap()).unwrap().unwrap(), 7878)
    }

    fn link(sessions: &Sessions, now: Timestamp) -> String {
        sessions.key.link(now).unwrap().split_once("link=").unwrap().1.to_owned()
    }

    fn with(cookie: &str) -> HeaderMap {
        let pair = cookie.split(';').next().unwrap();
        HeaderMap::from_iter([(COOKIE, HeaderValue::from_str(&format!("other=1; {pair}")).unwrap())])
    }

    #[test]
    fn a_link_opens_one_session_that_ends_when_it_is_left_or_idle() {
        let home = tempfile::tempdir().unwrap();
        let (sessions, now, at) = (sessions(home.path()), Timestamp::from_millis(0), Instant::now());
        let text = link(&sessions, now);
        let cookie = sessions.enter(now, at, &text).unwrap().unwrap();
        assert_eq!(sessions.enter(now, at, &text), Ok(None));
        assert_eq!(sessions.enter(now, at, "1.2.3"), Ok(None));
        let session = sessions.find(&with(&cookie), at).unwrap();
        assert_eq!(sessions.find(&with("guild_session_7878=0"), at), None);
        assert_eq!(sessions.find(&with(&cookie.replace("7878", "7879")), at), None);
        assert!(sessions.find(&with(&cookie), at + IDLE - Duration::from_secs(1)).is_some());
        assert!(sessions.is_open(&session, at + IDLE));
        assert_eq!(sessions.find(&with(&cookie), at + IDLE * 3), None);
        assert!(sessions.leave(&session).contains("Max-Age=0"));
        assert_eq!(sessions.find(&with(&cookie), at), None);
    }

    #[test]
    fn there_is_an_end_to_sessions_and_the_idlest_goes_first() {
        let home = tempfile::tempdir().unwrap();
        let (sessions, now, at) = (sessions(home.path()), Timestamp::from_millis(0), Instant::now());
        let enter = |after| sessions.enter(now, at + Duration::from_secs(after), &link(&sessions, now));
        let cookies: Vec<String> = (0..=MOST as u64).map(|after| enter(after).unwrap().unwrap()).collect();
        assert_eq!(sessions.find(&with(&cookies[0]), at), None);
        assert!(sessions.find(&with(&cookies[1]), at).is_some());
    }

    #[test]
    fn a_change_takes_the_token_and_an_origin() {
        let session = Session { csrf: "right".to_owned(), id: Digest::of(b"") };
        let check = |method: &Method, told: Option<&str>, origin: bool, body: &str| {
            let mut headers = HeaderMap::new();
            if let Some(told) = told {
                headers.insert(CSRF_HEADER, HeaderValue::from_str(told).unwrap());
            }
            if origin {
                headers.insert(ORIGIN, HeaderValue::from_static("http://guild.localhost:7878"));
            }
            let kind =
                if body.starts_with('{') { "application/json" } else { "application/x-www-form-urlencoded" };
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
            session.check(method, &headers, body.as_bytes()).is_ok()
        };
        assert!(check(&Method::GET, None, false, ""));
        assert!(check(&Method::POST, Some("right"), true, ""));
        assert!(check(&Method::POST, None, true, "a=b&csrf-token=right"));
        for (told, origin, body) in [
            (None, true, ""),
            (Some("wrong"), true, "csrf-token=right"),
            (Some("right"), false, ""),
            (None, false, "csrf-token=right"),
            (None, true, "csrf-token=wrong"),
            (None, true, "{\"csrf-token\": \"right\"}"),
        ] {
            assert!(!check(&Method::POST, told, origin, body), "{told:?} {origin} {body}");
            assert!(!check(&Method::DELETE, told, origin, body), "{told:?} {origin} {body}");
        }
    }
}
