//! Runs over HTTP: who may start one, what waits for whom, what is told meanwhile, and taking one back.

use super::{Client, Server};
use crate::serve::{SKILLS, Wire};
use serde_json::{Value as Json, json};

const LONG: &str = r"
//- /project/.guild/skills/long/SKILL.md
---
name: long
description: Takes its time
script: long.sh
---
Wait.
//- /project/.guild/skills/long/long.sh
echo begun
sleep 300
//- /project/.guild/skills/note/SKILL.md
---
name: note
description: Only says something
---
Note: $ARGUMENTS, as it was said.
";

fn greet() -> Json {
    json!({"skill": "greet", "input": {"who": "you"}})
}

/// Approves what a run waits for.
#[track_caller]
fn approve(client: &Client, request: &Json) {
    let decided =
        client.post(&format!("/approvals/{}", request.as_str().unwrap()), &json!({"decision": "once"}));
    assert_eq!(decided.data("200 ok")["decision"], "run_once");
}

/// The next event of a stream with something in it.
#[track_caller]
fn event(wire: &mut Wire) -> Json {
    wire.event().unwrap()
}

#[test]
fn a_run_waits_for_a_person_and_tells_what_happens() {
    let server = Server::start(SKILLS);
    let (writer, operator) = (server.agent("writer"), server.person("operator"));
    let mut order = greet();
    order["wait_seconds"] = 60.into();
    let mut stream = writer.follow("POST", "/runs", &order.to_string());
    let job = event(&mut stream);
    assert_eq!((&job["state"], &job["by"]["agent"]), (&json!("prepares"), &json!("writer")));
    let waits = event(&mut stream);
    assert_eq!(waits["event"], "waits");
    // It is on the list of what waits, and of what is under way.
    let pending = operator.get("/approvals").data("200 ok");
    assert_eq!(pending["requests"][0]["id"], waits["request"]);
    let path = format!("/runs/{}", job["id"].as_str().unwrap());
    assert_eq!(operator.get(&path).data("202 ok")["state"], "waits");
    assert_eq!(server.agent("other").get(&path).told(), "404 run_not_found");
    assert_eq!(server.agent("other").get("/runs").data("200 ok")["count"], 0);
    // The agent itself decides nothing.
    let own = writer
        .post(&format!("/approvals/{}", waits["request"].as_str().unwrap()), &json!({"decision": "once"}));
    assert_eq!(own.told(), "403 person_required");
    approve(&operator, &waits["request"]);
    assert_eq!(event(&mut stream)["event"], "runs");
    assert_eq!(event(&mut stream), json!({"event": "output", "stream": "stdout", "text": "hello you\n"}));
    let ended = event(&mut stream);
    assert_eq!((&ended["code"], &ended["data"]["stdout"]), (&json!("ok"), &json!("hello you\n")));
    assert!(stream.event().is_none());
    assert_eq!(writer.get(&path).data("200 ok")["receipt"], ended["data"]["receipt"]);
    // Whoever comes back misses nothing, and is told nothing twice.
    let mut again = writer.say("GET", &format!("{path}/events"), &[("last-event-id", "3")], "");
    assert_eq!(again.head().unwrap().status, 200);
    assert_eq!(event(&mut again)["data"]["stdout"], "hello you\n");
    let receipt = writer.get(&format!("/receipts/{}", ended["data"]["receipt"].as_str().unwrap()));
    assert_eq!(receipt.data("200 ok")["stdout"], "hello you\n");
    assert_eq!(server.env.guild(&["receipts", "verify"]).code(), Some(0));
}

#[test]
fn who_may_start_a_run_and_what_becomes_of_it() {
    let server = Server::start(&format!("{SKILLS}{LONG}"));
    let (viewer, operator, writer) =
        (server.person("viewer"), server.person("operator"), server.agent("writer"));
    assert_eq!(viewer.post("/runs", &greet()).told(), "403 role_insufficient");
    assert_eq!(server.agent("intern").post("/runs", &greet()).told(), "403 skill_not_invocable");
    assert_eq!(operator.post("/runs", &json!({"skill": "gret"})).told(), "404 skill_not_found");
    assert_eq!(operator.post("/runs", &json!({"skill": "greet"})).told(), "422 invalid_params");
    let dry = json!({"skill": "greet", "input": {"who": "you"}, "dry_run": true});
    assert_eq!(writer.post("/runs", &dry).data("200 ok")["would_ask"], true);
    // What needs no grant runs at once.
    let said = writer.post("/runs", &json!({"skill": "note", "arguments": ["well"]})).data("200 ok");
    assert!(said["output"].as_str().unwrap().contains("Note: well"), "{said}");
    // What needs one is asked for, approved, and asked for again.
    let asked = writer.post("/runs", &greet()).data("202 approval_required");
    approve(&operator, &asked["request"]);
    assert_eq!(writer.post("/runs", &greet()).data("200 ok")["stdout"], "hello you\n");
    // A denial stays until a person lifts it.
    let asked = writer.post("/runs", &greet()).data("202 approval_required");
    let path = format!("/approvals/{}", asked["request"].as_str().unwrap());
    assert_eq!(viewer.post(&path, &json!({"decision": "deny"})).told(), "403 role_insufficient");
    let denial = operator.post(&path, &json!({"decision": "deny"})).data("200 ok")["grant"]["id"].clone();
    assert_eq!(writer.post("/runs", &greet()).told(), "403 approval_denied");
    let lift = format!("/grants/{}/lift", denial.as_str().unwrap());
    assert_eq!(writer.ask("POST", &lift, &[], "").told(), "403 person_required");
    assert_eq!(operator.ask("POST", &lift, &[], "").told(), "200 ok");
    assert_eq!(operator.ask("POST", &lift, &[], "").told(), "409 already_decided");
    assert_eq!(writer.post("/runs", &greet()).told(), "202 approval_required");
}

#[test]
fn a_run_is_taken_back_and_its_receipt_says_so() {
    let server = Server::start(&format!("{SKILLS}{LONG}"));
    let (viewer, operator, writer) =
        (server.person("viewer"), server.person("operator"), server.agent("writer"));
    let order = json!({"skill": "long", "wait_seconds": 60, "detach": true});
    let begun = writer.post("/runs", &order);
    let job = begun.data("202 ok");
    let path = format!("/runs/{}", job["id"].as_str().unwrap());
    assert_eq!(begun.head.header("location"), Some(format!("/api/v1{path}").as_str()));
    let mut stream = operator.follow("GET", &format!("{path}/events"), "");
    assert_eq!(event(&mut stream)["id"], job["id"]);
    approve(&operator, &event(&mut stream)["request"]);
    assert_eq!(event(&mut stream)["event"], "runs");
    assert_eq!(event(&mut stream)["text"], "begun\n");
    assert_eq!(viewer.delete(&path).told(), "403 role_insufficient");
    assert_eq!(server.agent("other").delete(&path).told(), "404 run_not_found");
    assert_eq!(writer.delete(&path).data("200 ok")["state"], "cancelled");
    assert_eq!(event(&mut stream)["code"], "run_cancelled");
    assert_eq!(writer.get(&path).told(), "200 run_cancelled");
    assert_eq!(writer.delete(&path).told(), "409 already_decided");
    let interrupted = operator.get("/receipts?kind=interrupted").data("200 ok");
    assert_eq!((&interrupted["count"], &interrupted["receipts"][0]["skill"]), (&json!(1), &json!("long")));
    assert_eq!(server.env.guild(&["receipts", "verify"]).code(), Some(0));
}

/// One that nobody listens to any more is not left to wait.
#[test]
fn a_run_whose_caller_has_gone_is_taken_back() {
    let server = Server::start(SKILLS);
    let (writer, viewer) = (server.agent("writer"), server.person("viewer"));
    let mut order = greet();
    order["wait_seconds"] = 600.into();
    let wire = writer.say("POST", "/runs", &[], &order.to_string());
    let state = || viewer.get("/runs").data("200 ok")["runs"][0]["state"].clone();
    while state() != "waits" {}
    drop(wire);
    while state() != "cancelled" {}
}
