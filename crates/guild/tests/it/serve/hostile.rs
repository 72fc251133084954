//! Clients that misbehave: each is answered by the book, or cut off, and the others are served meanwhile.

use super::client::{Agent, Served, token, until};
use super::wire::{Wire, post};
use super::{SKILLS, assert_sound};
use crate::env;
use guild_testkit::{Env, wait_until};
use serde_json::{Value as Json, json};

const SLOW: &str = r"
//- /project/.guild/skills/slow/SKILL.md
---
name: slow
description: Takes its time
script: slow.sh
---
Slow.
//- /project/.guild/skills/slow/slow.sh
echo begun
sleep 600
";

/// Somebody who behaves, and is served whatever the others do.
#[track_caller]
fn assert_served(good: &mut Agent) {
    assert!(good.search("greets").contains("greet (script)"));
}

/// A request with a token, its headers and what is said of its length.
fn head(token: &str, length: &str) -> String {
    format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\n{length}\r\n\r\n"
    )
}

#[test]
fn too_much_too_slow_too_often_and_too_many_at_once_are_refused_and_others_served() {
    let env = env(SKILLS);
    let served = Served::start(&env, &["--patience", "1", "--rate", "4", "--requests", "2"]);
    let mut good = served.agent(&env, "good");
    let bad = token(&env, "bad").1;
    // Larger than anything is read, as announced and as sent without an end.
    let mut announced = Wire::open(&served.address);
    announced.say(head(&bad, "content-length: 999999999"));
    assert_eq!(announced.answer().unwrap().told(), "413 request_too_large");
    let mut endless = Wire::open(&served.address);
    endless.say(head(&bad, "transfer-encoding: chunked"));
    let chunk = format!("10000\r\n{}\r\n", "x".repeat(0x10000));
    while endless.try_say(&chunk) {}
    // A head that never ends, a body that never comes.
    let mut silent = Wire::open(&served.address);
    silent.say("POST /mcp HTTP/1.1\r\nhost: loc");
    let mut half = Wire::open(&served.address);
    half.say(head(&bad, "content-length: 10"));
    half.say("{");
    assert_served(&mut good);
    assert_eq!(half.answer().unwrap().told(), "408 request_too_slow");
    assert!(silent.answer().is_none_or(|answer| answer.head.status == 408));
    // More often than agreed.
    let often = (0..20).map(|_| served.ask(&post(&[("authorization", &format!("Bearer {bad}"))], "{}")));
    let told: Vec<String> = often.map(|answer| answer.unwrap().told()).collect();
    assert!(told.contains(&"429 rate_limited".to_owned()), "{told:?}");
    assert_served(&mut good);
    // More at once than agreed: whoever listens is under way.
    let mut crowd = served.agent(&env, "crowd");
    let listening: Vec<Wire> = (0..2)
        .map(|_| {
            let (mut wire, _) = crowd.send("subscriptions/listen", json!({"notifications": {}}));
            assert_eq!(wire.head().unwrap().status, 200);
            wire
        })
        .collect();
    let (mut third, _) = crowd.send("tools/list", json!({}));
    assert_eq!(third.answer().unwrap().told(), "503 server_busy");
    assert_served(&mut good);
    drop(listening);
    wait_until("a place is given back", || {
        crowd.send("tools/list", json!({})).0.head().is_some_and(|head| head.status == 200)
    });
}

#[test]
fn nonsense_is_answered_by_the_book() {
    let env = env(SKILLS);
    let served = Served::start(&env, &[]);
    let mut good = served.agent(&env, "good");
    let authorization = format!("Bearer {}", good.token);
    let with = |headers: &[(&str, &str)], body: &str| {
        let headers = [&[("authorization", authorization.as_str())], headers].concat();
        served.ask(&post(&headers, body)).unwrap().head.status
    };
    let deep = "[".repeat(100_000);
    let long = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{}"}}"#, "x".repeat(1 << 20));
    for body in
        ["", "{", "[]", "null", "\u{0}", "{}", r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, &deep, &long]
    {
        let status = with(&[], body);
        assert!((400..500).contains(&status), "{status} for {}", &body[..body.len().min(40)]);
    }
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}).to_string();
    assert_eq!(with(&[("content-type", "text/plain")], &list), 415);
    assert_eq!(with(&[("accept", "text/html")], &list), 406);
    assert_eq!(with(&[("mcp-protocol-version", "1999-01-01")], &list), 400);
    assert_eq!(with(&[("mcp-session-id", "nobody")], &list), 404);
    // A header that says something else than the message.
    let mut message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "skill_search", "arguments": {}}});
    message["params"]["_meta"] = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}, "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"}});
    let modern =
        [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/call"), ("mcp-name", "skill_run")];
    assert_eq!(with(&modern, &message.to_string()), 400);
    // What is not even HTTP, or too much of it.
    for bytes in ["\u{0}\u{0}\u{0}\r\n\r\n", "GET\r\n\r\n", "POST /mcp HTTP/9.9\r\n\r\n"] {
        let answer = served.ask(bytes);
        assert!(answer.is_none_or(|answer| answer.head.status == 400), "{bytes:?}");
    }
    let headers: String = (0..5_000).map(|number| format!("x-{number}: y\r\n")).collect();
    let many = served.ask(&format!("GET /health HTTP/1.1\r\nhost: localhost\r\n{headers}\r\n"));
    assert!(many.is_none_or(|answer| answer.head.status == 431));
    for method in ["PUT", "PATCH", "OPTIONS", "TRACE"] {
        let request =
            format!("{method} /mcp HTTP/1.1\r\nhost: localhost\r\nauthorization: {authorization}\r\n\r\n");
        assert_eq!(served.ask(&request).unwrap().head.status, 405, "{method}");
    }
    assert_served(&mut good);
}

#[test]
fn requests_that_are_interleaved_are_told_apart() {
    let env = env(SKILLS);
    let served = Served::start(&env, &[]);
    let good = served.agent(&env, "good");
    let search = |id: u64, query: &str| {
        let arguments = json!({"query": query});
        let mut message = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "skill_search", "arguments": arguments}});
        message["params"]["_meta"] = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}, "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"}});
        good.request(&message)
    };
    let text = |answer: &Json| answer["result"]["content"][0]["text"].as_str().unwrap().to_owned();
    // On two connections, each request in halves, and under the same id.
    let (one, two) = (search(7, "greets"), search(7, "cathedral"));
    let (mut first, mut second) = (Wire::open(&served.address), Wire::open(&served.address));
    let (head, tail) = one.split_at(one.len() / 2);
    let (other_head, other_tail) = two.split_at(two.len() / 3);
    first.say(head);
    second.say(other_head);
    first.say(tail);
    second.say(other_tail);
    for (wire, expected) in [(&mut second, "No skill is about that."), (&mut first, "greet (script)")] {
        assert_eq!(wire.head().unwrap().status, 200);
        assert!(text(&until(wire, 7)).contains(expected));
    }
    // On one connection, one after the other before the first is answered.
    let mut wire = Wire::open(&served.address);
    wire.say(format!("{}{}", search(1, "greets"), search(2, "cathedral")));
    for (id, expected) in [(1, "greet (script)"), (2, "No skill is about that.")] {
        let answer = wire.answer().unwrap();
        let data = answer.body.lines().find_map(|line| line.strip_prefix("data: {")).unwrap();
        let message: Json = serde_json::from_str(&format!("{{{data}")).unwrap();
        assert!(message["id"] == id && text(&message).contains(expected), "{message}");
    }
}

#[test]
fn a_session_that_was_ended_stays_ended() {
    let env = env(SKILLS);
    let served = Served::start(&env, &[]);
    let secret = token(&env, "good").1;
    let mut old = served.shaking_hands(&secret, "2025-11-25", json!({}));
    assert_served(&mut old);
    let request = old.request(&json!({"jsonrpc": "2.0", "id": 3, "method": "tools/list", "params": {}}));
    let ending = request.replacen("POST", "DELETE", 1);
    assert_eq!(served.ask(&ending).unwrap().head.status, 204);
    assert_eq!(served.ask(&request).unwrap().head.status, 404);
}

#[test]
fn a_client_that_does_not_read_is_cut_off() {
    let env = env(SKILLS);
    let served = Served::start(&env, &["--patience", "1", "--rate", "1000000"]);
    let (mut good, bad) = (served.agent(&env, "good"), served.agent(&env, "bad"));
    let mut message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}});
    message["params"]["_meta"] = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}, "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"}});
    let request = bad.request(&message);
    let mut deaf = Wire::open(&served.address);
    // The server stops to read when nobody reads what it says, and does not wait for ever.
    while deaf.try_say(&request) {}
    assert_served(&mut good);
}

#[test]
fn a_client_that_is_cut_off_takes_its_run_with_it() {
    let env = env(&format!("{SKILLS}{SLOW}"));
    let served = Served::start(&env, &[]);
    let mut good = served.agent(&env, "good");
    let mut bad = served.agent(&env, "bad");
    let mut call = json!({"name": "skill_run", "arguments": {"name": "slow"}});
    let asked = bad.call("tools/call", call.clone());
    call["requestState"] = asked["requestState"].clone();
    call["inputResponses"] =
        json!({"approval": {"action": "accept", "content": {"decision": "run it once"}}});
    call["_meta"] = json!({"progressToken": "p"});
    let (mut wire, _) = bad.send("tools/call", call);
    assert_eq!(wire.head().unwrap().status, 200);
    while !wire.event().unwrap()["params"]["message"].as_str().is_some_and(|said| said.contains("begun")) {}
    drop(wire);
    // One that breaks off in the middle of saying something.
    let mut broken = Wire::open(&served.address);
    broken.say(head(&good.token, "content-length: 100"));
    broken.say("{\"jsonrpc\"");
    broken.hush();
    assert!(broken.answer().is_none_or(|answer| answer.head.status >= 400));
    wait_until("the run is written down as interrupted", || {
        assert_served(&mut good);
        kinds(&env).first().is_some_and(|kind| kind == "interrupted")
    });
    assert_sound(&env);
}

/// What has happened, the latest first.
fn kinds(env: &Env) -> Vec<String> {
    let receipts = crate::envelope(&env.guild(&["receipts", "list", "--json"]).stdout());
    let receipts = receipts["data"]["receipts"].as_array().unwrap().clone();
    receipts.iter().map(|receipt| receipt["kind"].as_str().unwrap().to_owned()).collect()
}
