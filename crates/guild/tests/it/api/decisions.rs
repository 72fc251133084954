//! Grants, receipts and changes over HTTP.

use super::Server;
use crate::serve::SKILLS;
use serde_json::json;

const WRITES: &str = r"
//- /project/.guild/skills/scribe/SKILL.md
---
name: scribe
description: Writes a note
script: scribe.sh
capabilities:
  workspace: write
---
Write.
//- /project/.guild/skills/scribe/scribe.sh
echo noted > /workspace/note.txt
";

#[test]
fn a_grant_holds_until_it_is_revoked() {
    let server = Server::start(SKILLS);
    let (operator, writer) = (server.person("operator"), server.agent("writer"));
    let order = json!({"skill": "greet", "input": {"who": "you"}});
    let asked = writer.post("/runs", &order).data("202 approval_required");
    let path = format!("/approvals/{}", asked["request"].as_str().unwrap());
    assert_eq!(
        operator.post(&path, &json!({"decision": "always", "for": "soon"})).told(),
        "422 request_invalid"
    );
    let decided = operator.post(&path, &json!({"decision": "always", "for": "30d"})).data("200 ok");
    assert_eq!(decided["grant"]["mode"], "always_allow");
    assert_eq!(operator.get(&path).told(), "409 already_decided");
    for _ in 0..2 {
        assert_eq!(writer.post("/runs", &order).told(), "200 ok");
    }
    assert_eq!(writer.get("/grants").data("200 ok")["count"], 1);
    assert_eq!(server.agent("other").get("/grants").data("200 ok")["count"], 0);
    let revoke = format!("/grants/{}/revoke", decided["grant"]["id"].as_str().unwrap());
    assert_eq!(server.person("viewer").ask("POST", &revoke, &[], "").told(), "403 role_insufficient");
    assert_eq!(operator.ask("POST", &revoke, &[], "").data("200 ok")["done"], true);
    assert_eq!(operator.ask("POST", "/grants/grt_nothing/revoke", &[], "").told(), "404 grant_not_found");
    assert_eq!(writer.post("/runs", &order).told(), "202 approval_required");
}

#[test]
fn receipts_come_in_pages_are_proved_and_are_taken_elsewhere() {
    let server = Server::start(SKILLS);
    let (viewer, writer) = (server.person("viewer"), server.agent("writer"));
    for _ in 0..3 {
        assert_eq!(
            writer.post("/runs", &json!({"skill": "greet", "input": {"who": "you"}})).head.status,
            202
        );
    }
    let mut seen = Vec::new();
    let mut path = "/receipts?limit=2&kind=asked".to_owned();
    loop {
        let page = viewer.get(&path).data("200 ok");
        seen.extend(page["receipts"].as_array().unwrap().iter().map(|receipt| receipt["id"].clone()));
        let Some(next) = page["next"].as_str() else { break };
        path = format!("/receipts?limit=2&kind=asked&cursor={next}");
    }
    assert_eq!(seen.len(), 3);
    for wrong in ["kind=x", "run=x", "since=yesterday", "limit=0", "limit=1001"] {
        assert_eq!(viewer.get(&format!("/receipts?{wrong}")).told(), "422 request_invalid", "{wrong}");
    }
    // An agent sees what is its own.
    let other = server.agent("other");
    assert_eq!(other.get("/receipts?agent=writer").data("200 ok")["count"], 0);
    assert_eq!(
        other.get(&format!("/receipts/{}", seen[0].as_str().unwrap())).told(),
        "404 receipt_not_found"
    );
    assert_eq!(viewer.get("/receipts/rcp_nothing").told(), "404 receipt_not_found");
    assert_eq!(viewer.get("/receipts/verify").data("200 ok")["verified"], true);
    let exported = viewer.get("/receipts/export");
    assert_eq!(exported.head.header("content-type"), Some("application/jsonl"));
    std::fs::write(server.env.project().join("receipts.jsonl"), &exported.body).unwrap();
    assert_eq!(server.env.guild(&["receipts", "verify", "--file", "receipts.jsonl"]).code(), Some(0));
}

#[test]
fn what_a_skill_wrote_is_shown_and_applied_by_a_person() {
    let server = Server::start(&format!("{SKILLS}{WRITES}"));
    let (viewer, operator, writer) =
        (server.person("viewer"), server.person("operator"), server.agent("writer"));
    let write = || {
        let asked = writer.post("/runs", &json!({"skill": "scribe"})).data("202 approval_required");
        let path = format!("/approvals/{}", asked["request"].as_str().unwrap());
        assert_eq!(operator.post(&path, &json!({"decision": "once"})).told(), "200 ok");
        let ran = writer.post("/runs", &json!({"skill": "scribe"})).data("200 ok");
        ran["changes"][0]["id"].as_str().unwrap().to_owned()
    };
    let (first, second) = (write(), write());
    assert_eq!(viewer.get("/changes").data("200 ok")["count"], 2);
    let shown = viewer.get(&format!("/changes/{first}"));
    assert!(shown.body.contains("noted"), "{}", shown.body);
    let apply = |who: &super::Client| who.post(&format!("/changes/{first}/apply"), &json!({})).told();
    assert_eq!(
        (apply(&viewer), apply(&writer)),
        ("403 role_insufficient".into(), "403 person_required".into())
    );
    assert!(!server.env.project().join("note.txt").exists());
    assert_eq!(apply(&operator), "200 ok");
    assert_eq!(std::fs::read_to_string(server.env.project().join("note.txt")).unwrap(), "noted\n");
    let drop = format!("/changes/{second}/drop");
    assert_eq!(operator.ask("POST", &drop, &[], "").data("200 ok")["done"], true);
    assert_eq!(operator.ask("POST", &drop, &[], "").told(), "404 changes_not_found");
    assert_eq!(viewer.get("/changes/chg_nothing").told(), "404 changes_not_found");
}
