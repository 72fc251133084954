//! `guild serve` as agents meet it: who is let in, both eras at one address, approvals, and its end.

pub(crate) mod client;
mod hostile;
pub(crate) mod wire;

use crate::env;
use client::until;
pub(crate) use client::{Served, token};
use guild_testkit::Env;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value as Json, json};
use std::net::TcpListener;
use wire::post;
pub(crate) use wire::{Answer, Wire};

pub(crate) const SKILLS: &str = r#"
//- /home/.config/guild/config.toml
builtins = false
[agents.intern]
skills = []
//- /project/.git/
//- /project/.guild/skills/greet/SKILL.md
---
name: greet
description: Greets somebody by name
script: greet.sh
params:
  who: {type: string, required: true}
---
Greet them.
//- /project/.guild/skills/greet/greet.sh
echo "hello $2"
"#;

const LATE: &str = r"
//- /project/.guild/skills/late/SKILL.md
---
name: late
description: Ends a little later
script: late.sh
---
Late.
//- /project/.guild/skills/late/late.sh
echo begun
sleep 1
echo ended
";

fn greet() -> Json {
    json!({"name": "skill_run", "arguments": {"name": "greet", "input": {"who": "you"}}})
}

#[test]
fn the_address_is_the_first_line_and_a_signal_is_the_end() {
    let env = env(SKILLS);
    for signal in [Signal::INT, Signal::TERM] {
        let mut served = Served::start(&env, &[]);
        assert!(served.running.error_line().contains("nobody has a token yet"));
        let health = served.ask("GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
        assert_eq!(health.told(), "200 ok");
        end(&served, signal);
        assert_eq!(served.running.finish().code(), Some(0));
    }
    let mut run = env.invocation(&["serve", "--listen", "127.0.0.1:0", "--json"]).converse();
    let said: Json = serde_json::from_str(&run.line()).unwrap();
    let address = said["data"]["address"].as_str().unwrap();
    assert_eq!(said["data"]["mcp"], format!("{address}/mcp"));
}

#[test]
fn an_address_that_is_taken_is_listen_failed() {
    let env = env("");
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let output = env.guild(&["serve", "--listen", &address]);
    assert!(output.stderr().starts_with("error[listen_failed]: cannot listen on 127.0.0.1:"), "{output}");
    assert_eq!(output.code(), Some(1));
}

#[test]
fn other_machines_are_let_near_only_where_somebody_has_a_token() {
    let env = env("");
    let refused = env.guild(&["serve", "--listen", "0.0.0.0:0"]);
    assert!(refused.stderr().starts_with("error[listen_unprotected]: "), "{refused}");
    assert_eq!(refused.code(), Some(3));
    token(&env, "writer");
    let mut run = env.invocation(&["serve", "--listen", "0.0.0.0:0"]).converse();
    assert!(run.line().starts_with("http://0.0.0.0:"));
}

#[test]
fn nobody_is_let_in_without_a_token_or_by_another_name() {
    let env = env(SKILLS);
    let served = Served::start(&env, &["--host", "hall.example", "--origin", "https://page.example"]);
    let (id, secret) = token(&env, "writer");
    let bearer = format!("Bearer {secret}");
    let told = |headers: &[(&str, &str)]| served.ask(&post(headers, "{}")).unwrap();
    let with = |headers: &[(&str, &str)]| told(&[&[("authorization", bearer.as_str())], headers].concat());
    for wrong in ["", "Bearer", "Bearer x", "Bearer tok_0.0", "Basic YTpi", &format!("{bearer}0")] {
        let answer = told(&[("authorization", wrong)]);
        assert_eq!(answer.told(), "401 not_authenticated", "{wrong}");
        assert_eq!(answer.head.header("www-authenticate"), Some("Bearer realm=\"guildhall\""));
    }
    assert_eq!(told(&[("authorization", &bearer), ("authorization", &bearer)]).head.status, 401);
    // Whoever is let in is told what is wrong with the message, by the protocol.
    for right in [&[][..], &[("host", "hall.example")], &[("origin", "https://page.example")]] {
        assert_eq!(with(right).head.status, 415, "{right:?}");
    }
    assert_eq!(with(&[("host", "evil.example")]).told(), "403 host_not_allowed");
    assert_eq!(with(&[("origin", "http://evil.example")]).told(), "403 origin_not_allowed");
    assert_eq!(with(&[("origin", "null")]).told(), "403 origin_not_allowed");
    let elsewhere = format!("GET /else HTTP/1.1\r\nhost: localhost\r\nauthorization: {bearer}\r\n\r\n");
    assert_eq!(served.ask(&elsewhere).unwrap().told(), "404 route_not_found");
    let foreign = "GET /health HTTP/1.1\r\nhost: evil.example\r\n\r\n";
    assert_eq!(served.ask(foreign).unwrap().told(), "403 host_not_allowed");
    assert_eq!(env.guild(&["token", "revoke", &id]).code(), Some(0));
    assert_eq!(with(&[]).told(), "401 not_authenticated");
}

#[test]
fn the_token_says_which_agent_it_is_and_sessions_are_its_own() {
    let env = env(SKILLS);
    let served = Served::start(&env, &[]);
    let mut writer = served.agent(&env, "writer");
    let mut intern = served.agent(&env, "intern");
    assert!(writer.search("greets").contains("greet (script)"));
    assert_eq!(intern.search("greets"), "No skill is about that.");
    // The session of one is none of the other's, whatever the other says.
    let mut old = served.shaking_hands(&writer.token, "2025-11-25", json!({}));
    assert!(old.search("greets").contains("greet (script)"));
    old.token = intern.token.clone();
    let message = json!({"jsonrpc": "2.0", "id": 9, "method": "tools/list", "params": {}});
    assert_eq!(old.post(&message).head().unwrap().status, 404);
}

#[test]
fn a_person_is_asked_in_both_eras_and_a_replayed_answer_runs_nothing() {
    let env = env(SKILLS);
    let served = Served::start(&env, &[]);
    let mut new = served.agent(&env, "default");
    let asked = new.call("tools/call", greet());
    let mut round = greet();
    round["requestState"] = asked["requestState"].clone();
    round["inputResponses"] =
        json!({"approval": {"action": "accept", "content": {"decision": "run it once"}}});
    // The state is bound to the agent: with another's token it opens nothing.
    let mut other = served.agent(&env, "other");
    assert_eq!(other.call("tools/call", round.clone())["structuredContent"]["code"], "not_confirmed");
    assert_eq!(new.call("tools/call", round.clone())["content"][0]["text"], "hello you\n");
    assert_eq!(new.call("tools/call", round)["structuredContent"]["code"], "already_decided");
    let mut old = served.shaking_hands(&new.token, "2025-06-18", json!({"elicitation": {}}));
    for (action, code) in [("accept", "ok"), ("decline", "not_confirmed")] {
        let (mut wire, id) = old.send("tools/call", greet());
        assert_eq!(wire.head().unwrap().status, 200);
        let question = wire.event().unwrap();
        assert_eq!(question["method"], "elicitation/create");
        let answer = json!({"action": action, "content": {"decision": "run it once"}});
        let reply = json!({"jsonrpc": "2.0", "id": question["id"], "result": answer});
        assert_eq!(old.post(&reply).head().unwrap().status, 202);
        assert_eq!(until(&mut wire, id)["result"]["structuredContent"]["code"], code);
    }
    assert_eq!(env.guild(&["receipts", "verify"]).code(), Some(0));
}

#[test]
fn one_look_tells_all_who_listen_and_listening_ends_with_the_server() {
    let env = env(SKILLS);
    let served = Served::start(&env, &[]);
    let mut new = served.agent(&env, "writer");
    let old = served.shaking_hands(&new.token, "2025-11-25", json!({}));
    let (mut modern, _) =
        new.send("subscriptions/listen", json!({"notifications": {"resourcesListChanged": true}}));
    assert_eq!(modern.head().unwrap().status, 200);
    assert_eq!(modern.event().unwrap()["method"], "notifications/subscriptions/acknowledged");
    let mut handshaken = old.listen();
    env.write(
        "//- /project/.guild/skills/late/SKILL.md\n---\nname: late\ndescription: Came late\n---\nLate.\n",
    );
    for wire in [&mut modern, &mut handshaken] {
        await_method(wire, "notifications/resources/list_changed");
    }
    end(&served, Signal::TERM);
    while modern.event().is_some() {}
    while handshaken.event().is_some() {}
    assert_eq!(served.running.finish().code(), Some(0));
}

#[test]
fn what_is_under_way_is_done_before_the_end() {
    let env = env(&format!("{SKILLS}{LATE}"));
    let served = Served::start(&env, &[]);
    let mut agent = served.agent(&env, "default");
    let mut call = json!({"name": "skill_run", "arguments": {"name": "late"}});
    call["requestState"] = agent.call("tools/call", call.clone())["requestState"].clone();
    call["inputResponses"] =
        json!({"approval": {"action": "accept", "content": {"decision": "run it once"}}});
    call["_meta"] = json!({"progressToken": "p"});
    let (mut wire, id) = agent.send("tools/call", call);
    assert_eq!(wire.head().unwrap().status, 200);
    while !wire.event().unwrap()["params"]["message"].as_str().is_some_and(|said| said.contains("begun")) {}
    end(&served, Signal::TERM);
    assert_eq!(until(&mut wire, id)["result"]["content"][0]["text"], "begun\nended\n");
    assert_eq!(served.running.finish().code(), Some(0));
    assert_sound(&env);
}

#[test]
fn a_second_signal_ends_it_at_once() {
    let env = env(SKILLS);
    let mut served = Served::start(&env, &[]);
    assert!(served.running.error_line().contains("nobody has a token yet"));
    // A connection with half a request on it would be waited for.
    let mut half = Wire::open(&served.address);
    half.say("GET /health HTTP/1.1\r\nhost: local");
    end(&served, Signal::INT);
    assert!(served.running.error_line().contains("again ends it at once"));
    end(&served, Signal::INT);
    assert_eq!(served.running.finish().code(), Some(0));
}

#[test]
fn a_token_that_is_revoked_ends_what_is_under_way() {
    let env = env(SKILLS);
    let served = Served::start(&env, &["--patience", "1"]);
    let (id, secret) = token(&env, "writer");
    let old = served.shaking_hands(&secret, "2025-11-25", json!({}));
    let (mut listening, mut other) = (old.listen(), served.agent(&env, "other"));
    assert_eq!(env.guild(&["token", "revoke", &id]).code(), Some(0));
    while listening.event().is_some() {}
    assert!(other.search("greets").contains("greet (script)"));
}

#[track_caller]
fn await_method(wire: &mut Wire, method: &str) {
    while wire.event().unwrap()["method"] != method {}
}

#[track_caller]
fn end(served: &Served, signal: Signal) {
    let process = i32::try_from(served.running.id()).ok().and_then(Pid::from_raw).unwrap();
    kill_process(process, signal).unwrap();
}

/// Nothing that a client did has harmed the books.
#[track_caller]
fn assert_sound(env: &Env) {
    assert_eq!(env.guild(&["receipts", "verify"]).code(), Some(0));
}
