//! Tools that plugins bring: the examples in three languages, and every way in which a tool can fail.

use crate::mcp::Client;
use crate::{env, envelope};
use expect_test::{Expect, expect};
use guild_testkit::Env;
use serde_json::{Value as Json, json};
use std::fs;
use std::path::Path;

/// A project with one of the examples in it, switched on.
#[track_caller]
fn example(name: &str) -> Env {
    let env = env("//- /home/.config/guild/config.toml\nbuiltins = false\n//- /project/.git/\n");
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/plugins").join(name);
    copy(&from, &env.project().join(".guild/plugins").join(name));
    let on = env.guild(&["enable", name, "--kind", "plugin"]);
    assert_eq!(on.code(), Some(0), "{on}");
    env
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[track_caller]
fn run(env: &Env, skill: &str, parameters: &[&str]) -> Json {
    let mut arguments = vec!["run", skill, "--approve", "once", "--json"];
    arguments.extend(parameters.iter().flat_map(|parameter| ["-p", parameter]));
    envelope(&env.guild(&arguments).stdout())
}

#[test]
fn the_examples_run_in_python_shell_and_node() {
    let counted = run(&example("word-count"), "word-count/count-words", &["text=one two three"]);
    assert_eq!((&counted["message"], &counted["data"]["output"]["words"]), (&json!("3 words"), &json!(3)));
    let told = run(&example("tell-time"), "tell-time/tell-time", &[]);
    assert!(told["data"]["output"]["seconds"].as_i64().unwrap() > 1_700_000_000, "{told}");
    let made = run(&example("to-slug"), "to-slug/to-slug", &["title=Crème, brûlée!"]);
    assert_eq!(made["data"]["output"]["slug"], "creme-brulee", "{made}");
}

#[test]
fn an_agent_has_a_plugins_tool_through_its_skill() {
    let env = example("word-count");
    let mut client = Client::stateless(&env, "default");
    let input = json!({"name": "word-count/count-words", "input": {"text": "one two"}});
    let told = client.approved(json!({"name": "skill_run", "arguments": input}));
    assert_eq!(told["structuredContent"]["data"]["output"]["words"], 2, "{told}");
}

#[test]
fn a_plugin_that_is_off_has_no_tools() {
    let env = example("word-count");
    let listed = env.guild(&["tools", "list", "--provider", "plugin"]).stdout();
    expect![[r#"
        TOOL                     ACCESS  DESCRIPTION
        plugin:word-count/count  looks   Count the words of a text
    "#]]
    .assert_eq(&listed);
    assert_eq!(env.guild(&["disable", "word-count"]).code(), Some(0));
    assert_eq!(env.guild(&["tools", "list", "--provider", "plugin"]).stdout(), "");
    let shown = env.guild(&["tools", "show", "plugin:word-count/count"]);
    assert!(shown.stderr().starts_with("error[provider_tool_unregistered]: "), "{shown}");
}

#[test]
fn a_tool_whose_plugin_changes_is_another_tool() {
    let env = example("word-count");
    let always = ["run", "word-count/count-words", "-p", "text=a b", "--approve", "always", "--json"];
    assert_eq!(envelope(&env.guild(&always).stdout())["code"], "ok");
    let again = ["run", "word-count/count-words", "-p", "text=a b c", "--json"];
    assert_eq!(
        envelope(&env.guild(&again).stdout())["code"],
        "ok",
        "it only looks, and was allowed for good"
    );
    let code = env.project().join(".guild/plugins/word-count/tools/count.py");
    fs::write(&code, fs::read_to_string(&code).unwrap().replace(".split()", ".split(' ')")).unwrap();
    assert_eq!(envelope(&env.guild(&again).stdout())["code"], "security_hash_mismatch");
}

/// A plugin whose one tool does this.
#[track_caller]
fn failing(script: &str, expected: &Expect) {
    failing_within(600, script, expected);
}

/// The same with so many seconds to do it in.
#[track_caller]
fn failing_within(seconds: u32, script: &str, expected: &Expect) {
    let env = env(&format!(
        r#"
//- /home/.config/guild/config.toml
builtins = false
[sandbox]
timeout_seconds = {seconds}
//- /project/.git/
//- /project/.guild/plugins/odd/guild.plugin.json
{{"id": "odd", "name": "Odd", "description": "d", "version": "1.0.0", "capabilities": ["tools"], "tools": [
  {{"name": "do", "description": "Does it", "command": ["bash", "-c", {script}],
    "outputSchema": {{"type": "object", "required": ["done"]}}}}]}}
//- /project/.guild/plugins/odd/skills/odd/SKILL.md
---
name: odd
description: Does something odd
command_tool_provider: plugin
command_tool: odd/do
capabilities: {{declared_tools: ["plugin:odd/do"]}}
---
Do it.
"#,
        script = json!(script)
    ));
    let on = env.guild(&["enable", "odd", "--kind", "plugin"]);
    assert_eq!(on.code(), Some(0), "{on}");
    let told = run(&env, "odd/odd", &[]);
    let text = |key: &str| told[key].as_str().unwrap_or("?").to_owned();
    expected.assert_eq(&format!("[{}] {}", text("code"), text("message")));
}

#[test]
fn a_tool_that_prints_its_answer_is_understood() {
    failing("echo '{\"done\": true}'", &expect![[r#"[ok] {"done":true}"#]]);
}

#[test]
fn a_tool_that_says_nothing_is_tool_no_answer() {
    failing(
        "true",
        &expect![
            "[tool_no_answer] the tool wrote neither /output/response.json nor anything to standard output"
        ],
    );
}

#[test]
fn a_tool_that_says_something_else_is_tool_answer_not_json() {
    failing(
        "echo done",
        &expect!["[tool_answer_not_json] the tool's answer is no JSON: expected value at line 1 column 1"],
    );
}

#[test]
fn a_tool_that_says_no_object_is_tool_answer_not_object() {
    failing("echo '[1]'", &expect!["[tool_answer_not_object] the tool's answer is JSON, but no object"]);
}

#[test]
fn a_tool_that_answers_in_another_shape_is_tool_output_invalid() {
    failing(
        "echo '{}'",
        &expect![[
            r#"[tool_output_invalid] tool `odd/do` gave what it does not declare: "done" is a required property"#
        ]],
    );
}

#[test]
fn a_tool_that_ends_badly_is_tool_crashed() {
    failing(
        "echo no paper >&2; exit 3",
        &expect!["[tool_crashed] the tool ended with exit code 3; it said: no paper"],
    );
}

#[test]
fn a_tool_whose_runtime_is_not_there_is_tool_runtime_missing() {
    failing(
        "exec no-such-runtime",
        &expect![
            "[tool_runtime_missing] what runs the tool is not in its container; it said: bash: line 1: exec: no-such-runtime: not found"
        ],
    );
}

#[test]
fn a_tool_that_takes_too_long_is_tool_timed_out() {
    failing_within(2, "sleep 60", &expect!["[tool_timed_out] the tool's time was up"]);
}
