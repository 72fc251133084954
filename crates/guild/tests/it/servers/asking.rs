//! What a server asks a person in the midst of a call: in both eras, answered at a terminal, over HTTP and by the calling client.

use super::{asked, clock, told};
use crate::envelope;
use crate::mcp::Client;
use guild_testkit::{Env, Running, wait_until};
use serde_json::{Value as Json, json};

/// Begins a run that comes to the question, and gives the request that waits.
#[track_caller]
fn begun(env: &Env) -> (Running, String) {
    let arguments = ["run", "when", "-p", "where=Rome", "--approve", "once", "--wait=2m", "--json"];
    let running = env.invocation(&arguments).spawn();
    (running, waiting(env))
}

/// The request that waits for values.
#[track_caller]
fn waiting(env: &Env) -> String {
    let mut found = None;
    wait_until("a question waits", || {
        let requests = envelope(&env.guild(&["requests", "--json"]).stdout())["data"]["requests"].clone();
        let asks = requests.as_array().unwrap().iter().find(|request| request["action"] == "answer").cloned();
        found = asks.and_then(|request| Some(request["id"].as_str()?.to_owned()));
        found.is_some()
    });
    found.unwrap()
}

const ANSWERS: &str = r#"[invalid_params] the values are not what was asked for: "zone" is a required property
[invalid_params] the values are not what was asked for: `zone`: value is shorter than 3 characters
[invalid_params] the values are not what was asked for: `summer`: value is not of type "boolean"
[ok] approved: answer of `when` for agent `default`
[already_decided] ID was answered before"#;

fn skill_run() -> Json {
    json!({"name": "skill_run", "arguments": {"name": "when", "input": {"where": "Rome"}}})
}

fn accept(zone: &str) -> Json {
    json!({"action": "accept", "content": {"zone": zone}})
}

#[test]
fn a_person_answers_elsewhere_and_the_call_goes_on() {
    for mood in ["asks", "modern"] {
        let env = clock(mood);
        let (running, request) = begun(&env);
        let shown = env.guild(&["requests", "--json"]).stdout();
        assert!(shown.contains("Which zone?") && shown.contains("mcp:clock/now"), "{shown}");
        let approve = |more: &[&str]| {
            let arguments = [&["approve", request.as_str(), "--json"], more].concat();
            let told = envelope(&env.guild(&arguments).stdout());
            format!(
                "[{}] {}",
                told["code"].as_str().unwrap(),
                told["message"].as_str().unwrap().replace(&request, "ID")
            )
        };
        let answers = [
            approve(&["--once"]),
            approve(&["--param", "zone=x"]),
            approve(&["--param", "zone=CET", "--param", "summer=maybe"]),
            approve(&["--param", "zone=CET-secret", "--param", "summer=yes"]),
            approve(&["--param", "zone=WET"]),
        ];
        assert_eq!(answers.join("\n"), ANSWERS);
        let ended = envelope(&running.finish().stdout());
        assert_eq!(ended["code"], "ok", "{ended}");
        assert_eq!(ended["data"]["output"]["time"], "12:00 {'zone': 'CET-secret', 'summer': True}", "{mood}");
        let kept = env.guild(&["receipts", "export", "-"]).stdout()
            + &env.guild(&["receipts", "list", "--json"]).stdout();
        assert!(kept.contains("hmac-sha256:") && !kept.contains("CET-secret"), "{kept}");
        assert_eq!(std::fs::read_dir(env.home().join(".local/state/guild/answers")).unwrap().count(), 0);
    }
}

#[test]
fn a_person_says_no_and_the_server_is_told() {
    for mood in ["asks", "modern"] {
        let env = clock(mood);
        let (running, request) = begun(&env);
        assert_eq!(env.guild(&["deny", &request]).code(), Some(0));
        let ended = told(&envelope(&running.finish().stdout()));
        assert_eq!(ended, "[provider_execution_failed] no zone: decline\nnull", "{mood}");
    }
}

#[test]
fn where_nobody_is_there_to_answer_the_question_is_told_to_whoever_called() {
    for mood in ["asks", "modern"] {
        let told = told(&asked(&clock(mood), "Rome", &["--approve", "once"]));
        assert_eq!(told, "[tool_input_required] Which zone?\nnull", "{mood}");
    }
}

#[test]
fn a_client_that_has_shaken_hands_is_asked_while_its_call_waits() {
    for mood in ["asks", "modern"] {
        let env = clock(mood);
        let mut client = Client::shaking_hands(&env, "2025-06-18", json!({"elicitation": {}}));
        let approval = client.begin("tools/call", skill_run());
        client.reply(&approval, json!({"action": "accept", "content": {"decision": "run it once"}}));
        let question = client.until("elicitation/create");
        let asked = question["params"]["message"].as_str().unwrap();
        assert!(asked.contains("Which zone?") && asked.contains("mcp:clock/now"), "{asked}");
        assert_eq!(question["params"]["requestedSchema"]["required"], json!(["zone"]));
        let result = client.answer(&question, accept("CET"));
        assert_eq!(
            result["structuredContent"]["data"]["output"]["time"], "12:00 {'zone': 'CET'}",
            "{mood}: {result}"
        );
    }
}

#[test]
fn a_client_without_a_handshake_comes_back_with_the_answer() {
    for mood in ["asks", "modern"] {
        let env = clock(mood);
        let mut client = Client::stateless(&env, "default");
        let question = client.approved(skill_run());
        let round = |state: &Json, answer: Json| {
            let mut call = skill_run();
            call["requestState"] = state.clone();
            call["inputResponses"] = json!({"approval": answer});
            call
        };
        let asked = &question["inputRequests"]["approval"]["params"];
        assert!(asked["message"].as_str().unwrap().contains("Which zone?"), "{question}");
        // What does not fit is asked again.
        let again = client.call("tools/call", round(&question["requestState"], accept("x")));
        assert_eq!(again["inputRequests"]["approval"]["params"]["message"], asked["message"], "{again}");
        let result = client.call("tools/call", round(&again["requestState"], accept("CET")));
        assert_eq!(
            result["structuredContent"]["data"]["output"]["time"], "12:00 {'zone': 'CET'}",
            "{mood}: {result}"
        );
        // The same state has nothing left to answer.
        let replayed = client.call("tools/call", round(&again["requestState"], accept("WET")));
        assert_eq!(replayed["structuredContent"]["code"], "not_confirmed", "{replayed}");
    }
}

#[test]
fn a_client_whose_person_puts_the_question_away_has_the_call_go_on_without() {
    let env = clock("asks");
    let mut client = Client::stateless(&env, "default");
    let question = client.approved(skill_run());
    let mut call = skill_run();
    call["requestState"] = question["requestState"].clone();
    call["inputResponses"] = json!({"approval": {"action": "cancel"}});
    let result = client.call("tools/call", call);
    assert_eq!(result["structuredContent"]["message"], "no zone: cancel", "{result}");
}

#[test]
fn a_client_that_cannot_ask_waits_for_a_person_elsewhere() {
    let env = clock("asks");
    let mut client = Client::shaking_hands(&env, "2025-06-18", json!({}));
    let waits = client.call("tools/call", skill_run());
    let approval = waits["structuredContent"]["data"]["request"].as_str().unwrap().to_owned();
    assert_eq!(env.guild(&["approve", &approval, "--once"]).code(), Some(0));
    let answering = std::thread::scope(|scope| {
        let calling = scope.spawn(|| client.call("tools/call", skill_run()));
        let request = waiting(&env);
        assert_eq!(env.guild(&["approve", &request, "-p", "zone=CET"]).code(), Some(0));
        calling.join().unwrap()
    });
    assert_eq!(
        answering["structuredContent"]["data"]["output"]["time"], "12:00 {'zone': 'CET'}",
        "{answering}"
    );
}
