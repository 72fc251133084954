//! What a server asks a person in the midst of a call: in both eras, answered at a terminal, over HTTP and by the calling client.

use super::{asked, clock, told};
use crate::api::client::Server;
use crate::envelope;
use crate::mcp::Client;
use crate::page::browser::Visitor;
use crate::serve::Served;
use expect_test::expect;
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

/// What the server got in the end.
#[track_caller]
fn got(running: Running) -> String {
    let ended = envelope(&running.finish().stdout());
    assert_eq!(ended["code"], "ok", "{ended}");
    ended["data"]["output"]["time"].as_str().unwrap().to_owned()
}

/// Everything that a form can ask for, as the server gets it.
const FILLED_IN: &str =
    "12:00 {'zone': 'CET', 'summer': False, 'hours': 3, 'days': ['mo', 'tu'], 'size': 's'}";

#[test]
fn what_is_typed_is_what_its_field_wants() {
    let env = clock("forms");
    let (running, request) = begun(&env);
    let approve = |given: &str| {
        let mut arguments = vec!["approve", request.as_str(), "--json"];
        given.split(' ').for_each(|one| arguments.extend(["--param", one]));
        envelope(&env.guild(&arguments).stdout())["message"].as_str().unwrap().to_owned()
    };
    let refused =
        [("hours=three", "hours"), ("hours=25", "hours"), ("days=su", "days/0"), ("size=m", "size")];
    for (given, field) in refused {
        let told = approve(&format!("zone=CET {given}"));
        let expected = format!("the values are not what was asked for: `{field}`: ");
        assert!(told.starts_with(&expected), "{given}: {told}");
    }
    approve("zone=CET summer=no hours=3 days=mo days=tu size=s");
    assert_eq!(got(running), FILLED_IN);
}

#[test]
fn a_question_is_a_form_on_the_page() {
    let env = clock("forms");
    let served = Served::start(&env, &[]);
    let (running, request) = begun(&env);
    let mut visitor = Visitor::stranger(&served);
    visitor.enter();
    let page = visitor.get("/").body;
    let (_, form) = page.split_once("Its tool <code>mcp:clock/now</code> asks").unwrap();
    let (_, fields) = form.split_once("<p><label").unwrap();
    let (fields, _) = fields.split_once("</form>").unwrap();
    let fields = format!("<p><label{fields}").replace(&request, "ID").replace("</p>", "</p>\n");
    expect![[r#"
        <p><label for="ID-days">days</label> <select id="ID-days" name="value-days" multiple><option value="mo">mo</option><option value="tu">tu</option></select></p>
        <p><label for="ID-hours">hours <span class="dim">&lt;b&gt;how many&lt;/b&gt;</span></label> <input id="ID-hours" name="value-hours" value="2" autocomplete="off"></p>
        <p><label for="ID-note">note</label> <input id="ID-note" name="value-note" value="" autocomplete="off"></p>
        <p><label for="ID-size">size</label> <select id="ID-size" name="value-size"><option value=""></option><option value="s">s</option><option value="l" selected>l</option></select></p>
        <p><label for="ID-summer">summer</label> <select id="ID-summer" name="value-summer"><option value=""></option><option value="true">yes</option><option value="false">no</option></select></p>
        <p><label for="ID-zone">Time zone</label> <input id="ID-zone" name="value-zone" value="" autocomplete="off" required></p>
        <div class="answers"><button class="main" name="decision" value="answer" id="once-ID">Send</button><button class="danger" name="decision" value="deny" id="deny-ID" formnovalidate>Decline</button></div>"#]].assert_eq(&fields);
    let own = format!("http://{}", visitor.host());
    let token = visitor.token();
    let send = |values: &str| {
        let body = format!("csrf-token={token}&decision=answer&{values}");
        visitor.post(&format!("/approvals/{request}"), Some(&own), &body)
    };
    assert_eq!(send("value-zone=&value-hours=3").head.status, 303);
    assert!(
        visitor.get("/").body.contains(&request),
        "what does not fit is not sent, and the question waits"
    );
    let whole = "value-zone=CET&value-summer=false&value-hours=3&value-days=mo&value-days=tu&value-size=s&value-note=";
    assert_eq!(send(whole).head.status, 303);
    assert_eq!(got(running), FILLED_IN);
    assert!(!visitor.get("/").body.contains(&request));
}

#[test]
fn a_question_is_declined_on_the_page() {
    let env = clock("asks");
    let served = Served::start(&env, &[]);
    let (running, request) = begun(&env);
    let mut visitor = Visitor::stranger(&served);
    visitor.enter();
    let (own, token) = (format!("http://{}", visitor.host()), visitor.token());
    let body = format!("csrf-token={token}&decision=deny&value-zone=");
    assert_eq!(visitor.post(&format!("/approvals/{request}"), Some(&own), &body).head.status, 303);
    assert_eq!(
        told(&envelope(&running.finish().stdout())),
        "[provider_execution_failed] no zone: decline\nnull"
    );
}

#[test]
fn a_question_is_answered_with_values_over_the_api() {
    let env = clock("forms");
    let served = Served::start(&env, &[]);
    let server = Server { env, served };
    let (operator, agent) = (server.person("operator"), server.agent("default"));
    let (running, request) = begun(&server.env);
    let path = format!("/approvals/{request}");
    let shown = operator.get(&path).data("200 ok");
    assert_eq!(shown["shown"]["asks"]["schema"]["required"], json!(["zone"]), "{shown}");
    let values = json!({"zone": "CET", "summer": false, "hours": 3, "days": ["mo", "tu"], "size": "s"});
    let said = |values: &Json| json!({"decision": "once", "values": values});
    let told = [
        agent.post(&path, &said(&values)).told(),
        server.person("viewer").post(&path, &said(&values)).told(),
        operator.post(&path, &json!({"decision": "once"})).told(),
        operator.post(&path, &said(&json!({"zone": "x"}))).told(),
        operator.post(&path, &said(&json!({"zone": "CET", "hours": "3"}))).told(),
        operator.post(&path, &said(&json!("CET"))).told(),
        operator.post(&path, &said(&values)).told(),
        operator.post(&path, &said(&values)).told(),
    ];
    expect![[r#"
        403 person_required
        403 role_insufficient
        422 invalid_params
        422 invalid_params
        422 invalid_params
        422 request_invalid
        200 ok
        409 already_decided"#]]
    .assert_eq(&told.join("\n"));
    assert_eq!(got(running), FILLED_IN);
}
