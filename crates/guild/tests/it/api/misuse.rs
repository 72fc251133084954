//! Requests that make no sense or mean ill: each is told what is wrong, nothing is done, and the server stays.

use super::Server;
use crate::serve::SKILLS;
use serde_json::json;

#[test]
fn what_cannot_be_read_is_refused_with_its_own_code() {
    let server = Server::start(SKILLS);
    let admin = server.person("admin");
    let post = |headers: &[(&str, &str)], body: &str| admin.ask("POST", "/skills", headers, body).told();
    assert_eq!(post(&[("content-type", "text/plain")], "{}"), "415 media_type_unsupported");
    assert_eq!(post(&[("content-type", "application/jsonp")], "{}"), "415 media_type_unsupported");
    assert_eq!(post(&[], ""), "415 media_type_unsupported");
    assert_eq!(
        post(&[("content-type", "Application/JSON; charset=utf-8")], "{\"name\": 7}"),
        "422 request_invalid"
    );
    for broken in ["{", "nothing", "{\"name\": \"a\"} x", "\u{feff}{}"] {
        assert_eq!(post(&[], broken), "400 request_malformed", "{broken}");
    }
    for wrong in [
        "[]",
        "null",
        "{}",
        "{\"name\": \"a\", \"nmae\": \"b\"}",
        "{\"name\": \"a\\u0000b\"}",
        "{\"name\": \"a\", \"scope\": \"all\"}",
    ] {
        assert_eq!(post(&[], wrong), "422 request_invalid", "{wrong}");
    }
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(post(&[], &deep), "400 request_malformed");
    for (path, told) in [
        ("/skills?nothing=1", "422 request_invalid"),
        ("/skills?limit=x", "422 request_invalid"),
        ("/skills?limit=1&limit=2", "422 request_invalid"),
        ("/skills/%ff", "400 request_malformed"),
        ("/skills/a%00b", "422 request_invalid"),
        ("/skills/%2e%2e%2f%2e%2e%2fetc%2fpasswd", "404 skill_not_found"),
        ("/search", "422 request_invalid"),
        ("/search?q=%20", "422 empty_query"),
        ("/nothing", "404 route_not_found"),
        ("/skills/", "404 route_not_found"),
        ("/skills/a/b/c", "404 route_not_found"),
    ] {
        assert_eq!(admin.get(path).told(), told, "{path}");
    }
    let patch = admin.ask("PATCH", "/skills", &[], "{}");
    assert_eq!(patch.told(), "405 method_not_allowed");
    assert_eq!(patch.head.header("allow"), Some("GET,HEAD,POST"));
    assert_eq!(admin.ask("DELETE", "/config", &[], "").told(), "405 method_not_allowed");
    assert_eq!(server.env.guild(&["receipts", "verify"]).code(), Some(0));
    assert_eq!(admin.get("/skills").data("200 ok")["count"], 1);
}

#[test]
fn nobody_is_answered_without_a_token_or_by_another_name() {
    let server = Server::start(SKILLS);
    let viewer = server.person("viewer");
    for path in ["/api/v1/skills", "/api/v1/openapi.json", "/api/skills", "/metrics"] {
        let bare = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n");
        assert_eq!(server.served.ask(&bare).unwrap().told(), "401 not_authenticated", "{path}");
    }
    assert_eq!(viewer.ask("GET", "/skills", &[("host", "evil.example")], "").told(), "403 host_not_allowed");
    let foreign = viewer.ask("POST", "/reload", &[("origin", "http://evil.example")], "{}");
    assert_eq!(foreign.told(), "403 origin_not_allowed");
    let document: serde_json::Value = serde_json::from_str(&viewer.get("/openapi.json").body).unwrap();
    assert_eq!(document["openapi"], "3.1.0");
}

/// What stands in a skill comes out as text in JSON, and nothing of it begins an event or a header of its own.
#[test]
fn a_hostile_skill_stays_data() {
    let hostile = "
//- /project/.guild/skills/loud/SKILL.md
---
name: loud
description: \"<script>alert(1)</script> \\u202E\\e[31m \\r\\n\\r\\nevent: ended\\ndata: {}\"
---
Nothing.
//- /project/.guild/skills/evil/SKILL.md
---
name: evil
description: Prints what it should not
script: evil.sh
---
Nothing.
//- /project/.guild/skills/evil/evil.sh
printf 'one\\n\\nevent: ended\\ndata: {}\\n\\n\\377'
";
    let server = Server::start(&format!("{SKILLS}{hostile}"));
    let (viewer, operator) = (server.person("viewer"), server.person("operator"));
    let shown = viewer.get("/skills/loud");
    assert_eq!(shown.head.header("content-type"), Some("application/json"));
    assert_eq!(shown.head.header("x-content-type-options"), Some("nosniff"));
    assert!(shown.json()["data"]["skill"]["description"].as_str().unwrap().contains("event: ended"));
    let order = json!({"skill": "evil", "wait_seconds": 60}).to_string();
    let mut stream = operator.follow("POST", "/runs", &order);
    assert_eq!(stream.event().unwrap()["skill"], "evil");
    let request = stream.event().unwrap()["request"].as_str().unwrap().to_owned();
    assert_eq!(
        operator.post(&format!("/approvals/{request}"), &json!({"decision": "once"})).told(),
        "200 ok"
    );
    assert_eq!(stream.event().unwrap()["event"], "runs");
    let mut said = String::new();
    let ended = loop {
        let event = stream.event().unwrap();
        match event["text"].as_str() {
            Some(text) => said.push_str(text),
            None => break event,
        }
    };
    assert_eq!(said, "one\n\nevent: ended\ndata: {}\n\n\u{fffd}");
    assert_eq!(ended["code"], "ok");
}
