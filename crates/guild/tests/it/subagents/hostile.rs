//! Answers of strangers: servers that lie, say too much or never stop, and models that want what they may not have.

use super::{calls, check, house, run, says, told, transcript};
use expect_test::expect;
use guild_testkit::{ModelServer, ModelTurn};
use serde_json::json;

#[test]
fn a_tool_that_is_not_offered_is_not_called_whatever_a_model_says() {
    for name in ["builtin_multiply", "bash", "builtin:add", "../add", ""] {
        let server = ModelServer::start([calls(name, json!({"a": 2, "b": 3})), says("no")]);
        let env = house("openai", &server, "");
        let envelope = run(&env, "ask", "Multiply");
        assert_eq!(told(&envelope), "[ok]\n\"no\"\n", "{name}");
        let heard = server.asked()[1].body.to_string();
        assert!(heard.contains("tool_input_invalid: there is no tool"), "{heard}");
    }
}

#[test]
fn what_lies_outside_the_workspace_is_not_read() {
    for path in ["/etc/passwd", "../home/.config/guild/config.toml", "notes.md/../../x", "\u{0}"] {
        let server = ModelServer::start([calls("builtin_read_file", json!({"path": path})), says("no")]);
        run(&house("anthropic", &server, ""), "ask", "Read");
        let heard = server.asked()[1].body.to_string();
        assert!(heard.contains("tool_input_invalid"), "{path:?}: {heard}");
    }
}

#[test]
fn arguments_that_are_no_object_reach_no_tool() {
    for arguments in [json!("[1, 2]"), json!("{\"values\": "), json!("null")] {
        let server = ModelServer::start([calls("builtin_add", arguments.clone()), says("no")]);
        run(&house("openai", &server, ""), "ask", "Add");
        let heard = server.asked()[1].body.to_string();
        assert!(heard.contains("its arguments are no JSON object"), "{arguments}: {heard}");
    }
}

#[test]
fn a_server_that_never_stops_or_says_too_much_is_hung_up_on() {
    check(
        &[ModelTurn::Endless],
        "",
        &expect![[r#"
        [subagent_failed] URL/PATH says more than 8388608 bytes at once
        null
    "#]],
    );
    check(
        &[ModelTurn::Huge(3 << 20)],
        "",
        &expect![[r#"
        [subagent_failed] an event of its stream has no end
        null
    "#]],
    );
}

#[test]
fn a_server_that_makes_no_sense_is_told_so() {
    check(
        &[ModelTurn::Raw("data: {nonsense\n\n".to_owned())],
        "",
        &expect![[r#"
        [subagent_failed] URL/PATH says: it sent an event that is no JSON
        null
    "#]],
    );
    let wrong = "data: {\"type\":\"error\",\"error\":{\"type\":\"bad\",\"message\":\"no\\u001b[2J\"}}\n\n";
    check(
        &[ModelTurn::Raw(wrong.to_owned())],
        "",
        &expect![[r#"
        [subagent_failed] URL/PATH says: bad: no[2J
        null
    "#]],
    );
    check(
        &[says("   ")],
        "",
        &expect![[r#"
        [subagent_failed] the child agent ended without an answer
        null
    "#]],
    );
    check(
        &[ModelTurn::Refuses(400, "", "{\"error\":{\"message\":\"no such model\"}}".to_owned())],
        "",
        &expect![[r#"
        [subagent_failed] URL/PATH refuses what it is asked (400 Bad Request: no such model)
        null
    "#]],
    );
}

#[test]
fn a_key_that_a_server_gives_back_is_nowhere_kept_or_shown() {
    let refuses =
        ModelTurn::Refuses(401, "", "{\"error\":{\"message\":\"sk-test-0123456789 is wrong\"}}".to_owned());
    check(
        &[refuses],
        "",
        &expect![[r#"
        [subagent_unavailable] URL/PATH does not let us in (401 Unauthorized: <secret> is wrong); is the runner's `key` right?
        null
    "#]],
    );
    let server = ModelServer::start([says("your key is sk-test-0123456789")]);
    let env = house("openai", &server, "");
    let envelope = run(&env, "ask", "sk-test-0123456789");
    assert_eq!(told(&envelope), "[ok]\n\"your key is <secret>\"\n");
    assert!(!format!("{:?}", transcript(&env, &envelope)).contains("sk-test"));
}
