//! Child agents that a client's own model runs, for clients of earlier eras that offer it.

use super::{SKILLS, transcript};
use crate::env;
use crate::mcp::Client;
use guild_testkit::Env;
use serde_json::{Value as Json, json};

const TOOLS: fn() -> Json = || json!({"sampling": {"tools": {}}});

fn house() -> Env {
    let env = env(SKILLS);
    env.write("//- /home/.config/guild/config.toml\nbuiltins = false\n");
    env
}

/// A call that a person has approved before for good, up to the first turn that the client's model is asked for.
#[track_caller]
fn begun(env: &Env, client: &mut Client, skill: &str) -> Json {
    let arguments = json!({"name": skill, "input": {"task": "What do ducks do?"}});
    let asked = client.tool("skill_run", arguments.clone());
    let request = asked["structuredContent"]["data"]["request"].as_str().unwrap().to_owned();
    assert_eq!(env.guild(&["approve", &request, "--once"]).code(), Some(0));
    client.begin_until(
        "tools/call",
        json!({"name": "skill_run", "arguments": arguments}),
        "sampling/createMessage",
    )
}

fn says(text: &str) -> Json {
    json!({"role": "assistant", "model": "theirs", "stopReason": "endTurn", "content": {"type": "text", "text": text}})
}

fn calls(name: &str, input: Json) -> Json {
    let call = json!({"type": "tool_use", "id": "c1", "name": name, "input": input});
    json!({"role": "assistant", "model": "theirs", "stopReason": "toolUse", "content": [call]})
}

#[test]
fn a_clients_model_calls_our_tools_and_only_its_answer_comes_back() {
    let env = house();
    let mut client = Client::shaking_hands(&env, "2025-11-25", TOOLS());
    let first = begun(&env, &mut client, "ask");
    let params = &first["params"];
    assert!(params["systemPrompt"].as_str().unwrap().contains("Answer in one sentence"), "{first}");
    assert!(params["messages"].to_string().contains("What do ducks do?"), "{first}");
    let tools: Vec<&str> =
        params["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(tools, ["builtin_add", "builtin_grep", "builtin_read_file"]);
    client.reply(&first, calls("builtin_read_file", json!({"path": "notes.md"})));
    let second = client.until("sampling/createMessage");
    let said = second["params"]["messages"].to_string();
    assert!(said.contains("Ducks quack") && said.contains("tool_result"), "{said}");
    client.reply(&second, calls("builtin_multiply", json!({"a": 1, "b": 2})));
    let third = client.until("sampling/createMessage");
    assert!(third["params"]["messages"].to_string().contains("there is no such tool"), "{third}");
    let told = client.answer(&third, says("They quack."));
    let envelope = &told["structuredContent"];
    assert_eq!(
        (&envelope["code"], &envelope["data"]["output"]),
        (&json!("ok"), &json!("They quack.")),
        "{told}"
    );
    assert_eq!(envelope["data"]["backend"], "client");
    let kept = transcript(&env, envelope);
    assert!(kept.iter().any(|line| line.to_string().contains("builtin:read_file")), "{kept:?}");
}

#[test]
fn a_client_that_refuses_or_says_too_much_ends_it_with_the_reason() {
    let env = house();
    let mut client = Client::shaking_hands(&env, "2025-11-25", TOOLS());
    let asked = begun(&env, &mut client, "alone");
    assert_eq!(asked["params"]["modelPreferences"]["hints"][0]["name"], "large", "{asked}");
    let mut long = says("And so on");
    long["stopReason"] = json!("maxTokens");
    assert_eq!(client.answer(&asked, long)["structuredContent"]["code"], "subagent_exhausted");
    let asked = begun(&env, &mut client, "alone");
    let told = client.refuse(&asked, "the person said no");
    assert_eq!(told["structuredContent"]["code"], "subagent_unavailable", "{told}");
}

#[test]
fn a_client_that_offers_no_model_or_none_with_tools_runs_nothing() {
    let env = house();
    let mut without = Client::shaking_hands(&env, "2025-11-25", json!({}));
    let arguments = json!({"name": "ask", "input": {"task": "x"}});
    let told = without.tool("skill_run", arguments.clone());
    assert_eq!(told["structuredContent"]["code"], "executor_unbound", "{told}");
    let mut plain = Client::shaking_hands(&env, "2025-06-18", json!({"sampling": {}}));
    let asked = plain.tool("skill_run", arguments.clone());
    let request = asked["structuredContent"]["data"]["request"].as_str().unwrap().to_owned();
    assert_eq!(env.guild(&["approve", &request, "--once"]).code(), Some(0));
    let told = plain.tool("skill_run", arguments);
    assert_eq!(told["structuredContent"]["code"], "subagent_unavailable", "{told}");
    let asked = begun(&env, &mut plain, "alone");
    assert_eq!(plain.answer(&asked, says("Nothing."))["structuredContent"]["data"]["output"], "Nothing.");
}
