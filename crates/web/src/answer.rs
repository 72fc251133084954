//! A refusal as an answer over HTTP: its status, and the envelope that every surface gives.

use axum::http::header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use guild_engine::{Code, Envelope, Refusal};
use serde_json::{Map, Value};

type Reply = Envelope<Map<String, Value>>;

/// What each code of ours is in HTTP, and what else the answer says.
type Row = (Code, StatusCode, Option<(HeaderName, &'static str)>);

const STATUS: &[Row] = &[
    (
        Code::NotAuthenticated,
        StatusCode::UNAUTHORIZED,
        Some((WWW_AUTHENTICATE, "Bearer realm=\"guildhall\"")),
    ),
    (Code::HostNotAllowed, StatusCode::FORBIDDEN, None),
    (Code::OriginNotAllowed, StatusCode::FORBIDDEN, None),
    (Code::CsrfTokenInvalid, StatusCode::FORBIDDEN, None),
    (Code::RouteNotFound, StatusCode::NOT_FOUND, None),
    (Code::RequestTooLarge, StatusCode::PAYLOAD_TOO_LARGE, None),
    (Code::RequestTooSlow, StatusCode::REQUEST_TIMEOUT, None),
    (Code::RateLimited, StatusCode::TOO_MANY_REQUESTS, Some((RETRY_AFTER, "1"))),
    (Code::ServerBusy, StatusCode::SERVICE_UNAVAILABLE, Some((RETRY_AFTER, "1"))),
];

/// The answer.
pub(crate) fn refused(refusal: Refusal) -> Response {
    let row = STATUS.iter().find(|(code, ..)| *code == refusal.code);
    let mut response = json(status(refusal.code), &refusal.into_envelope());
    if let Some((_, _, Some((name, value)))) = row {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// What a code is in HTTP.
pub(crate) fn status(code: Code) -> StatusCode {
    let row = STATUS.iter().find(|(known, ..)| *known == code);
    match (row, code.exit_code()) {
        (Some((_, status, _)), _) => *status,
        (None, 0) => StatusCode::OK,
        _ if code.as_str().ends_with("_not_found") => StatusCode::NOT_FOUND,
        (None, 1) => StatusCode::CONFLICT,
        (None, 2) => StatusCode::UNPROCESSABLE_ENTITY,
        (None, 3) => StatusCode::FORBIDDEN,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// The answer to somebody who asks whether the server is there.
pub(crate) async fn healthy() -> Response {
    json(StatusCode::OK, &Envelope::ok(Map::new()))
}

/// The answer where nothing is mounted.
pub(crate) async fn nowhere() -> Response {
    let message = "there is nothing at this path; MCP is at `/mcp`";
    refused(Refusal::new(Code::RouteNotFound, message))
}

fn json(status: StatusCode, reply: &Reply) -> Response {
    let text = serde_json::to_string(reply).unwrap_or_default();
    (status, [(CONTENT_TYPE, HeaderValue::from_static("application/json"))], text).into_response()
}
