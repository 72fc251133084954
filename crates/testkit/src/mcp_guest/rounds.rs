//! The suite's tools that ask the client before they answer.

use guild_engine::ports::GuestCall;
use serde_json::{Map, Value, json};

use super::{Answer, asks, elicit, field, form, said, sample};

type Row = (&'static str, &'static [&'static str], fn(&GuestCall<'_>) -> Answer);

pub(super) const TOOLS: &[Row] = &[
    ("test_sampling", &["prompt"], |call| match answer(call, "sampled") {
        Some(sampled) => said(format!("LLM response: {}", text(sampled, "/content/text"))),
        None => asks(json!({"sampled": sample(given(call, "prompt"), 100)}), None),
    }),
    ("test_elicitation", &["message"], |call| {
        let text = |about: &str| json!({"type": "string", "description": about});
        let properties = json!({"username": text("User's response"), "email": text("User's email address")});
        let schema = json!({"type": "object", "properties": properties, "required": ["username", "email"]});
        told(call, "User response", given(call, "message"), schema)
    }),
    ("test_elicitation_sep1034_defaults", &[], |call| {
        let properties = json!({
            "name": {"type": "string", "default": "John Doe"},
            "age": {"type": "integer", "default": 30},
            "score": {"type": "number", "default": 95.5},
            "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
            "verified": {"type": "boolean", "default": true},
        });
        told(
            call,
            "Elicitation completed",
            "Please review",
            json!({"type": "object", "properties": properties}),
        )
    }),
    ("test_elicitation_sep1330_enums", &[], |call| {
        let schema = json!({"type": "object", "properties": enums()});
        told(call, "Elicitation completed", "Please choose", schema)
    }),
    ("test_streaming_elicitation", &[], |call| match answer(call, "confirm") {
        Some(_) => said("It is confirmed."),
        None => asks(json!({"confirm": form("Please confirm", "ok", "boolean")}), None),
    }),
    ("test_missing_capability", &[], |call| match answer(call, "sampled") {
        Some(_) => said("It was sampled."),
        None => asks(json!({"sampled": sample("Anything", 10)}), None),
    }),
    ("test_input_required_result_elicitation", &[], |call| match field(call, "user_name", "name") {
        Some(name) => said(format!("Hello, {}!", name.as_str().unwrap_or_default())),
        None => asks(json!({"user_name": form("What is your name?", "name", "string")}), None),
    }),
    ("test_input_required_result_sampling", &[], |call| match answer(call, "capital_question") {
        Some(sampled) => said(text(sampled, "/content/text")),
        None => asks(json!({"capital_question": sample("What is the capital of France?", 100)}), None),
    }),
    ("test_input_required_result_list_roots", &[], |call| match answer(call, "client_roots") {
        Some(roots) => said(format!("Roots: {roots}")),
        None => asks(json!({"client_roots": {"method": "roots/list", "params": {}}}), None),
    }),
    ("test_input_required_result_request_state", &[], confirmed),
    ("test_input_required_result_tampered_state", &[], confirmed),
    ("test_input_required_result_multiple_inputs", &[], |call| {
        let keys = ["user_name", "greeting", "client_roots"];
        if keys.iter().all(|key| answer(call, key).is_some()) && call.state.is_some() {
            return said("All of it is answered.");
        }
        let requests = json!({
            "user_name": form("What is your name?", "name", "string"),
            "greeting": sample("Generate a greeting", 50),
            "client_roots": {"method": "roots/list", "params": {}},
        });
        asks(requests, Some(json!("asked")))
    }),
    ("test_input_required_result_multi_round", &[], |call| {
        let step = call.state.and_then(Value::as_u64).unwrap_or(0);
        match (step, field(call, "step1", "name"), field(call, "step2", "color")) {
            (2, _, Some(color)) => said(format!("The colour is {color}.")),
            (1, Some(_), _) | (2, ..) => {
                let question = form("Step 2: What is your favorite color?", "color", "string");
                asks(json!({"step2": question}), Some(json!(2)))
            }
            _ => asks(json!({"step1": form("Step 1: What is your name?", "name", "string")}), Some(json!(1))),
        }
    }),
    ("test_input_required_result_capabilities", &[], |call| {
        let can = |what: &str| call.capabilities.get(what).is_some_and(Value::is_object);
        let mut requests = Map::new();
        if can("elicitation") {
            requests.insert("name".to_owned(), form("What is your name?", "name", "string"));
        }
        if can("sampling") {
            requests.insert("sampled".to_owned(), sample("Anything", 10));
        }
        if requests.is_empty() || requests.keys().all(|key| call.answers.contains_key(key)) {
            return said("There is nothing to ask.");
        }
        asks(Value::Object(requests), None)
    }),
];

/// Asks once, and is content with an answer that comes with the state it was asked in.
fn confirmed(call: &GuestCall<'_>) -> Answer {
    match (field(call, "confirm", "ok"), call.state) {
        (Some(_), Some(_)) => said("state-ok"),
        _ => asks(json!({"confirm": form("Please confirm", "ok", "boolean")}), Some(json!("asked"))),
    }
}

/// Asks, and says what was answered.
fn told(call: &GuestCall<'_>, opening: &str, message: &str, schema: Value) -> Answer {
    match answer(call, "answer") {
        Some(answer) => {
            let content = answer.get("content").unwrap_or(&Value::Null);
            said(format!("{opening}: action={}, content={content}", text(answer, "/action")))
        }
        None => asks(json!({"answer": elicit(message, schema)}), None),
    }
}

fn enums() -> Value {
    let titled = |word: &str| {
        let number =
            |(value, title): (&str, &str)| json!({"const": value, "title": format!("{title} {word}")});
        Value::from([("value1", "First"), ("value2", "Second"), ("value3", "Third")].map(number).to_vec())
    };
    let options = json!(["option1", "option2", "option3"]);
    json!({
        "untitledSingle": {"type": "string", "enum": options},
        "titledSingle": {"type": "string", "oneOf": titled("Option")},
        "legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": ["Option One", "Option Two", "Option Three"]},
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": options}},
        "titledMulti": {"type": "array", "items": {"anyOf": titled("Choice")}},
    })
}

fn answer<'a>(call: &'a GuestCall<'_>, key: &str) -> Option<&'a Value> {
    call.answers.get(key).filter(|answer| answer.is_object())
}

fn given<'a>(call: &'a GuestCall<'_>, name: &str) -> &'a str {
    call.arguments.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn text<'a>(answer: &'a Value, place: &str) -> &'a str {
    answer.pointer(place).and_then(Value::as_str).unwrap_or_default()
}
