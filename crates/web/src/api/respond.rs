//! An answer on its way out: the envelope as it is, the status of its code, and the tag by which it is known again.

use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH, LOCATION};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::Response;
use guild_engine::manifest::Digest;
use guild_engine::{Code, Envelope, Status};
use serde::Serialize;
use serde_json::Value;

use super::route::{Method, Route};

/// How many digits of a digest tell two answers apart.
const TAG: usize = 32;

/// What a route answers.
pub(crate) enum Answer {
    /// An envelope.
    Told(Told),
    /// Something else, as it is.
    Whole(Response),
}

/// An envelope as text.
pub(crate) struct Told {
    status: StatusCode,
    is_ok: bool,
    text: String,
    headers: HeaderMap,
    /// What is named in the tag before all else, so that a change can be meant for it.
    state: Option<String>,
}

impl Answer {
    /// An envelope, with the status that its code has at a route.
    pub(crate) fn of<T: Serialize>(route: &Route, envelope: &Envelope<T>) -> Self {
        match serde_json::to_string(envelope) {
            Ok(text) => Self::Told(Told {
                status: route.status(envelope.code),
                is_ok: envelope.status == Status::Ok,
                text,
                headers: HeaderMap::new(),
                state: None,
            }),
            Err(error) => {
                let refusal = guild_engine::Refusal::new(Code::Internal, error.to_string());
                Self::Whole(crate::answer::refused(refusal))
            }
        }
    }

    /// The same with another status, where it went well.
    pub(crate) fn with(mut self, status: StatusCode) -> Self {
        if let Self::Told(told) = &mut self
            && told.is_ok
        {
            told.status = status;
        }
        self
    }

    /// The same, which says where the thing is that it is about.
    pub(crate) fn at(self, place: &str) -> Self {
        self.header(LOCATION, place)
    }

    /// The same, whose tag begins with the digest of what it shows.
    pub(crate) fn tagged(mut self, state: Option<String>) -> Self {
        if let Self::Told(told) = &mut self {
            told.state = state;
        }
        self
    }

    /// The envelope, for a stream of events.
    pub(crate) fn envelope(&self) -> Value {
        match self {
            Self::Told(told) => serde_json::from_str(&told.text).unwrap_or_default(),
            Self::Whole(_) => Value::Null,
        }
    }

    fn header(mut self, name: HeaderName, value: &str) -> Self {
        if let (Self::Told(told), Ok(value)) = (&mut self, HeaderValue::from_str(value)) {
            told.headers.insert(name, value);
        }
        self
    }

    /// The answer in HTTP; whoever knows it already is told that nothing has changed.
    pub(crate) fn respond(self, route: &Route, asked: &HeaderMap) -> Response {
        let Told { status, text, mut headers, state, .. } = match self {
            Self::Whole(response) => return response,
            Self::Told(told) => told,
        };
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let mut response = Response::new(Body::empty());
        if route.method == Method::Get && status == StatusCode::OK {
            let tag = tag(state.as_deref(), &text);
            if let Ok(value) = HeaderValue::from_str(&tag) {
                headers.insert(ETAG, value);
            }
            headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
            if is_known(asked, &tag) {
                headers.remove(CONTENT_TYPE);
                *response.status_mut() = StatusCode::NOT_MODIFIED;
                *response.headers_mut() = headers;
                return response;
            }
        } else if let Some(value) =
            state.and_then(|state| HeaderValue::from_str(&format!("\"{state}\"")).ok())
        {
            headers.insert(ETAG, value);
        }
        *response.status_mut() = status;
        *response.headers_mut() = headers;
        *response.body_mut() = Body::from(text);
        response
    }
}

/// `"sha256:….…"`: the state that is shown, if it has one, and the digest of the answer.
fn tag(state: Option<&str>, text: &str) -> String {
    let whole = Digest::of(text.as_bytes()).to_string();
    let digits: String = whole.trim_start_matches("sha256:").chars().take(TAG).collect();
    state.map_or_else(|| format!("\"{digits}\""), |state| format!("\"{state}.{digits}\""))
}

/// Whether a request says that it has the answer of this tag.
fn is_known(asked: &HeaderMap, tag: &str) -> bool {
    let given = asked.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    let mut tags = given.flat_map(|value| value.split(',')).map(str::trim);
    tags.any(|known| known == "*" || known.trim_start_matches("W/") == tag)
}
