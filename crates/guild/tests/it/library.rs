//! The examples through the library, as a program would use them that has the engine in it.

use std::path::Path;
use std::sync::Arc;

use guild_engine::catalog::Machine;
use guild_engine::ledger::{SubjectKind, via};
use guild_engine::ports::Answer;
use guild_engine::{
    Consent, Envelope, Given, Opening, Premises, Principal, ToggleRequest, ToolRequest, reply, toggle,
    tools_call, tools_list,
};
use guild_mcp::McpTools;
use guild_testkit::Fixture;
use serde_json::{Value as Json, json};

use crate::plugin_tools::copy;

/// Switches an example on in a project of its own, and calls one of its tools.
async fn call(example: &str, tool: &str, input: Json) -> Envelope<reply::Run> {
    let fixture = Fixture::write("//- /home/\n//- /project/.git/\n");
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/plugins").join(example);
    copy(&from, &fixture.join("project/.guild/plugins").join(example));
    let machine = Machine {
        directory: fixture.join("project"),
        home: Some(fixture.join("home")),
        etc: Some(fixture.join("etc")),
        ..Machine::default()
    };
    #[expect(clippy::disallowed_methods, reason = "a program has a clock")]
    let mut opening = Opening::of(&machine, std::time::SystemTime::now);
    opening.providers.push(Box::new(McpTools::default()));
    let premises = Arc::new(Premises::open(opening).await.map_err(|refusal| refusal.message).unwrap());
    let person = Principal::person(via::TERMINAL);
    let kind = Some(SubjectKind::Plugin);
    let on = ToggleRequest { kind, ..ToggleRequest::new(example, true, &person, "ada") };
    let switched = toggle(&premises.workshop(&premises.hall()), on).await;
    assert_eq!(switched.code.as_str(), "ok", "{}", switched.message);
    premises.refresh().await.unwrap();
    let hall = premises.hall();
    let workshop = premises.workshop(&hall);
    let listed = tools_list(&workshop, None).await.data;
    assert!(listed.tools.iter().any(|line| line.name == tool), "{:?} {:?}", listed.tools, listed.silent);
    let given = Given { values: input.as_object().unwrap().clone(), ..Given::default() };
    let consent = Some(Consent { answer: Answer::Once, via: via::TERMINAL });
    tools_call(&workshop, ToolRequest { consent, ..ToolRequest::new(tool, &given, &person) }).await
}

#[track_caller]
fn check(example: &str, tool: &str, input: Json, key: &str, expected: Json) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let told = runtime.block_on(call(example, tool, input));
    assert_eq!(told.code.as_str(), "ok", "{}", told.message);
    let given = told.data.output.unwrap();
    if expected.is_null() {
        assert!(given[key].is_number(), "{given}");
    } else {
        assert_eq!(given[key], expected, "{given}");
    }
}

#[test]
fn every_example_is_called_through_the_library() {
    check("word-count", "plugin:word-count/count", json!({"text": "a b"}), "words", json!(2));
    check("tell-time", "plugin:tell-time/now", json!({}), "seconds", Json::Null);
    check("to-slug", "plugin:to-slug/slug", json!({"title": "A b"}), "slug", json!("a-b"));
    check("text-tools", "plugin:text-tools/measure", json!({"text": "a b"}), "words", json!(2));
    check("notes", "mcp:notes.board/pin", json!({"text": "milk"}), "count", json!(1));
}
