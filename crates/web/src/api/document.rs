//! The API as an OpenAPI 3.1 document, made from the table of routes and from the types that are read and sent.

use std::collections::BTreeMap;

use axum::http::StatusCode;
use guild_engine::Code;
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use schemars::transform::RestrictFormats;
use serde_json::{Map, Value, json};

use super::query::{Kind, Param};
use super::route::{COMMON, Events, Method, Route, TOP};
use super::{DOCUMENT, TABLES};

const ABOUT: &str = "Skills and plugins of one machine, for people and agents. Every answer is one envelope: `status`, a stable `code` \
(docs/codes.md), a `message` for people, and `data` (docs/json.md). A status of 200 with `status: error` is something that was done and \
came to something else than was hoped for. A name with a slash is written with `%2F`.";

/// The statuses that most routes answer with the same codes; those stand in one place.
const COMMON_STATUSES: [u16; 9] = [400, 401, 403, 408, 413, 422, 429, 500, 503];

/// Every status that can occur, with the codes that have it.
type Statuses = BTreeMap<u16, Vec<Code>>;

/// The document.
pub fn document() -> Value {
    let settings = || {
        SchemaSettings::draft2020_12().with(|settings| {
            settings.definitions_path = "/components/schemas".into();
            settings.transforms.push(Box::new(RestrictFormats::default()));
        })
    };
    let mut replies = settings().for_serialize().into_generator();
    // What is read stands where it is taken, so that no name means two things.
    let mut bodies =
        settings().with(|settings| settings.inline_subschemas = true).for_deserialize().into_generator();
    let mut paths: Map<String, Value> = Map::new();
    for route in TABLES.iter().copied().flatten() {
        let path = paths.entry(format!("{TOP}{}", route.path)).or_insert_with(|| json!({}));
        if let Some(methods) = path.as_object_mut() {
            methods.insert(route.method.word().to_owned(), operation(route, &mut replies, &mut bodies));
        }
    }
    paths.insert(format!("{TOP}{DOCUMENT}"), json!({"get": own_operation()}));
    let mut schemas = replies.take_definitions(true);
    schemas.insert("Envelope".to_owned(), any_envelope());
    let shared: Map<String, Value> = COMMON_STATUSES
        .map(|status| (status.to_string(), refusal(status, &common(status))))
        .into_iter()
        .collect();
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Guildhall",
            "version": env!("CARGO_PKG_VERSION"),
            "description": ABOUT,
            "license": {"name": "MIT OR Apache-2.0"},
        },
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer", "description": "`guild token create` makes one."},
            },
            "responses": shared,
            "schemas": schemas,
        },
    })
}

fn operation(route: &Route, replies: &mut SchemaGenerator, bodies: &mut SchemaGenerator) -> Value {
    let mut operation = Map::new();
    operation.insert("operationId".to_owned(), route.name.into());
    operation.insert("summary".to_owned(), route.about.into());
    operation.insert("tags".to_owned(), json!([route.path.split('/').nth(1)]));
    operation.insert("x-role".to_owned(), route.role.as_str().into());
    let parameters = parameters(route);
    if !parameters.is_empty() {
        operation.insert("parameters".to_owned(), parameters.into());
    }
    if let Some(body) = route.body {
        let content = json!({"application/json": {"schema": body(bodies)}});
        operation.insert("requestBody".to_owned(), json!({"required": true, "content": content}));
    }
    operation.insert("responses".to_owned(), responses(route, replies));
    operation.into()
}

fn parameters(route: &Route) -> Vec<Value> {
    let in_path = route.parameters().map(|name| {
        json!({"name": name, "in": "path", "required": true, "schema": {"type": "string", "minLength": 1}})
    });
    let in_query = route.query.iter().map(in_query);
    let header = |name: &str, about: &str, required: bool| json!({"name": name, "in": "header", "required": required, "description": about, "schema": {"type": "string"}});
    let mut headers = Vec::new();
    if route.guarded {
        headers.push(header("If-Match", "The state that the change is meant for: `\"sha256:…\"`.", true));
    }
    if route.method == Method::Get && route.events != Events::Always {
        headers.push(header("If-None-Match", "The tag of an answer that is known already.", false));
    }
    if route.events == Events::Always {
        headers.push(header("Last-Event-ID", "The number of the last event that was seen.", false));
    }
    in_path.chain(in_query).chain(headers).collect()
}

fn in_query(param: &Param) -> Value {
    let schema = match param.kind {
        Kind::Text => json!({"type": "string"}),
        Kind::Words => json!({"type": "array", "items": {"type": "string"}}),
        Kind::Flag => json!({"type": "boolean", "default": false}),
        Kind::Count { usual: 0, most } => json!({"type": "integer", "minimum": 1, "maximum": most}),
        Kind::Count { usual, most } => {
            json!({"type": "integer", "minimum": 1, "maximum": most, "default": usual})
        }
        Kind::Choice(words) => json!({"type": "string", "enum": words}),
    };
    json!({"name": param.name, "in": "query", "required": param.required, "description": param.about, "schema": schema})
}

fn responses(route: &Route, replies: &mut SchemaGenerator) -> Value {
    let mut statuses = Statuses::new();
    for code in route.codes() {
        statuses.entry(route.status(code).as_u16()).or_default().push(code);
    }
    let mut responses: BTreeMap<String, Value> = BTreeMap::new();
    for (status, schema) in route.gives {
        let schema = schema(replies).to_value();
        let codes = statuses.remove(&status.as_u16()).unwrap_or_default();
        let is_done = *status != StatusCode::ACCEPTED;
        let codes = if is_done { [vec![Code::Ok], codes].concat() } else { codes };
        responses.insert(status.as_u16().to_string(), success(route, *status, &schema, &codes));
    }
    if route.events == Events::Always {
        let content = json!({"text/event-stream": {"schema": {"type": "string"}}});
        responses.insert("200".to_owned(), json!({"description": "The events.", "content": content}));
    } else if route.method == Method::Get {
        responses.insert("304".to_owned(), json!({"description": "It is what it was."}));
    }
    for (status, codes) in statuses {
        let is_common = COMMON_STATUSES.contains(&status) && codes == common(status);
        let shared = || json!({"$ref": format!("#/components/responses/{status}")});
        responses
            .entry(status.to_string())
            .or_insert_with(|| if is_common { shared() } else { refusal(status, &codes) });
    }
    json!(responses)
}

/// What every route may answer with a status.
fn common(status: u16) -> Vec<Code> {
    let all = Code::ALL.iter().filter(|code| COMMON.contains(code));
    all.filter(|code| crate::answer::status(**code).as_u16() == status).copied().collect()
}

fn success(route: &Route, status: StatusCode, data: &Value, codes: &[Code]) -> Value {
    let mut content = Map::new();
    if data.get("contentMediaType").is_some() {
        content.insert("application/jsonl".to_owned(), json!({"schema": {"type": "string"}}));
        return json!({"description": reason(status), "content": content});
    }
    // What is accepted may have begun already, and be well so far.
    let codes = if status == StatusCode::ACCEPTED { [&[Code::Ok], codes].concat() } else { codes.to_vec() };
    content.insert("application/json".to_owned(), json!({"schema": envelope(&codes, Some(data))}));
    if route.events == Events::Wanted && status == StatusCode::OK {
        content.insert("text/event-stream".to_owned(), json!({"schema": {"type": "string"}}));
    }
    json!({"description": reason(status), "content": content})
}

fn refusal(status: u16, codes: &[Code]) -> Value {
    let about = StatusCode::from_u16(status).map_or("", reason);
    json!({"description": about, "content": {"application/json": {"schema": envelope(codes, None)}}})
}

/// An envelope with the codes that it can have, around data where they are known.
fn envelope(codes: &[Code], data: Option<&Value>) -> Value {
    let words: Vec<&str> = codes.iter().map(|code| code.as_str()).collect();
    let mut properties = Map::new();
    properties.insert("code".to_owned(), json!({"enum": words}));
    properties.extend(data.map(|data| ("data".to_owned(), data.clone())));
    json!({"$ref": "#/components/schemas/Envelope", "properties": properties})
}

/// What every answer is.
fn any_envelope() -> Value {
    json!({
        "type": "object",
        "required": ["status", "code", "message", "data"],
        "properties": {
            "status": {"type": "string", "enum": ["ok", "error"]},
            "code": {"type": "string", "description": "A stable word for the outcome."},
            "message": {"type": "string", "description": "One sentence for people; empty where the data says it all."},
            "data": {"description": "The operation's own reply."},
        },
    })
}

fn reason(status: StatusCode) -> &'static str {
    status.canonical_reason().unwrap_or_default()
}

fn own_operation() -> Value {
    let content = json!({"application/json": {"schema": {"type": "object"}}});
    let shared =
        |status: u16| (status.to_string(), json!({"$ref": format!("#/components/responses/{status}")}));
    let mut responses: Map<String, Value> = COMMON_STATUSES.map(shared).into_iter().collect();
    responses.insert("200".to_owned(), json!({"description": "OK", "content": content}));
    json!({
        "operationId": "openapi",
        "summary": "This document",
        "tags": ["openapi"],
        "x-role": "viewer",
        "responses": responses,
    })
}
