//! Skills for a child agent, through real servers that speak both protocols and through real programs.

mod agents;
mod commands;
mod hostile;
mod memory;
mod sampling;
mod verbs;

use crate::{env, envelope};
use expect_test::{Expect, expect};
use guild_testkit::{Env, ModelServer, ModelTurn, session};
use serde_json::{Value as Json, json};
use std::fs;

const SKILLS: &str = r#"
//- /project/.git/
//- /project/notes.md
Ducks quack.
The key is sk-test-0123456789.
//- /project/.guild/skills/ask/SKILL.md
---
name: ask
description: Asks somebody else
runAs: subagent
allowed-tools: Read Grep add
capabilities: {declared_tools: ["builtin:add", "builtin:multiply"]}
---
Answer in one sentence. Read what you need.
//- /project/.guild/skills/alone/SKILL.md
---
name: alone
description: Asks somebody who sees nothing
runAs: subagent
model: large
capabilities: {workspace: none}
timeout_seconds: 20
---
Answer without looking at anything.
"#;

const PROTOCOLS: [&str; 2] = ["openai", "anthropic"];

/// A project whose child agents are run by a server; its address follows `protocol`.
#[track_caller]
fn house(protocol: &str, server: &ModelServer, more: &str) -> Env {
    let env = env(SKILLS).with_var("MODEL_KEY", "sk-test-0123456789");
    let path = if protocol == "openai" { "/v1" } else { "" };
    env.write(&format!(
        "//- /home/.config/guild/config.toml\nbuiltins = false\n[runners.local]\nprotocol = \"{protocol}\"\nurl = \"{}{path}\"\n\
         key = \"MODEL_KEY\"\nmodel = \"small\"\n{more}\n",
        server.url()
    ));
    env
}

fn says(text: &str) -> ModelTurn {
    ModelTurn::Says(text.to_owned())
}

fn calls(name: &str, input: Json) -> ModelTurn {
    ModelTurn::Calls(vec![(name.to_owned(), input)])
}

#[track_caller]
fn run(env: &Env, skill: &str, task: &str) -> Json {
    envelope(&env.guild(&["run", skill, "--task", task, "--approve", "once", "--json"]).stdout())
}

fn told(envelope: &Json) -> String {
    let text = |value: &Json| value.as_str().unwrap_or("?").to_owned();
    let head = format!("[{}] {}", text(&envelope["code"]), text(&envelope["message"]));
    format!("{}\n{}\n", head.trim_end(), envelope["data"]["output"])
}

/// What one run comes to, in both protocols alike.
#[track_caller]
fn check(turns: &[ModelTurn], more: &str, expected: &Expect) {
    let [one, other] = PROTOCOLS.map(|protocol| {
        let server = ModelServer::start(turns.to_vec());
        let told = told(&run(&house(protocol, &server, more), "ask", "What do ducks do?"));
        told.replace(&server.url(), "URL")
            .replace("/v1/messages", "/PATH")
            .replace("/v1/chat/completions", "/PATH")
    });
    assert_eq!(one, other);
    expected.assert_eq(&one);
}

/// What is kept of a run, found by the digest that its receipt has.
#[track_caller]
fn transcript(env: &Env, envelope: &Json) -> Vec<Json> {
    let digest = envelope["data"]["transcript"].as_str().unwrap();
    let shown = self::envelope(
        &env.guild(&["receipts", "show", envelope["data"]["receipt"].as_str().unwrap(), "--json"]).stdout(),
    );
    assert!(shown.to_string().contains(digest), "the receipt has the digest: {shown}");
    let hex = digest.trim_start_matches("sha256:");
    let logs = env.home().join(".local/share/guild/store/logs/sha256");
    let text = fs::read_to_string(logs.join(&hex[..2]).join(hex)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_child_agent_calls_its_tools_and_only_its_answer_comes_back() {
    for protocol in PROTOCOLS {
        let server = ModelServer::start([
            calls("builtin_read_file", json!({"path": "notes.md"})),
            ModelTurn::Calls(vec![
                ("builtin_grep".to_owned(), json!({"pattern": "quack"})),
                ("builtin_add".to_owned(), json!({"a": 2, "b": 3})),
            ]),
            says("They quack."),
        ]);
        let env = house(protocol, &server, "");
        let envelope = run(&env, "ask", "What do ducks do?");
        assert_eq!(told(&envelope), "[ok]\n\"They quack.\"\n", "{protocol}: {envelope}");
        let asked = server.asked();
        assert_eq!(asked.len(), 3);
        let first = asked[0].body.to_string();
        assert!(first.contains("Answer in one sentence") && first.contains("What do ducks do?"), "{first}");
        assert!(
            first.contains("builtin_add") && !first.contains("builtin_multiply"),
            "it is scoped: {first}"
        );
        let last = asked[2].body.to_string();
        assert!(last.contains("Ducks quack.") && last.contains("notes.md:1"), "{last}");
        assert!(!last.contains("sk-test-0123456789"), "no secret reaches a model: {last}");
        let key = if protocol == "openai" {
            "authorization: Bearer sk-test-0123456789"
        } else {
            "x-api-key: sk-test-0123456789"
        };
        assert!(asked[0].headers.iter().any(|line| line == key), "{:?}", asked[0].headers);
        let kept = transcript(&env, &envelope);
        let who: Vec<&str> = kept.iter().map(|line| line["who"].as_str().unwrap()).collect();
        let round = ["assistant", "call", "result"];
        assert_eq!(
            who,
            [&["system", "task"][..], &round, &round, &["call", "result", "assistant", "answer"]].concat()
        );
        assert!(!format!("{kept:?}").contains("sk-test"), "{kept:?}");
        let receipts = env.guild(&["receipts", "list", "--json"]).stdout();
        assert!(!receipts.contains("sk-test"), "{receipts}");
    }
}

#[test]
fn it_needs_a_grant_which_holds_for_this_runner_model_and_task() {
    let server = ModelServer::start([says("one"), says("two")]);
    let env = house("openai", &server, "");
    let first = envelope(&env.guild(&["run", "ask", "--task", "first", "--json"]).stdout());
    assert_eq!(first["code"], "approval_required", "{first}");
    assert_eq!(first["data"]["plan"]["command"], json!(["local", "--model", "small", "--task", "first"]));
    assert!(server.asked().is_empty(), "nobody is asked before a person has said so");
    assert_eq!(run(&env, "ask", "first")["code"], "ok");
    assert_eq!(
        envelope(&env.guild(&["run", "ask", "--task", "second", "--json"]).stdout())["code"],
        "approval_required"
    );
    let always = ["run", "ask", "--task", "third", "--approve", "always", "--json"];
    assert_eq!(envelope(&env.guild(&always).stdout())["code"], "ok");
    let config = fs::read_to_string(env.home().join(".config/guild/config.toml")).unwrap();
    env.write(&format!("//- /home/.config/guild/config.toml\n{}", config.replace("small", "large")));
    let other = envelope(&env.guild(&["run", "ask", "--task", "third", "--json"]).stdout());
    assert_eq!(other["code"], "security_hash_mismatch", "another model is another state: {other}");
}

/// A session without the hash, in which the server's port is.
fn unhashed(session: &str) -> String {
    let line = |line: &str| match line.split_once("sha256:") {
        Some((before, _)) => format!("{before}sha256:…\n"),
        None => format!("{line}\n"),
    };
    session.lines().map(line).collect()
}

#[test]
fn a_session_at_the_command_line() {
    let server =
        ModelServer::start([calls("builtin_read_file", json!({"path": "notes.md"})), says("They quack.")]);
    let env = house("openai", &server, "");
    expect![[r#"
        $ guild run ask
        [stderr]
        error[invalid_params]: skill `ask` is for a child agent, which needs a task: `--task "…"`
        [exit 2]
        $ guild run ask --task 'What do ducks do?' --dry-run
        skill        ask
        agent        default
        source       project · [ROOT]/project/.guild/skills/ask/SKILL.md
        hash         sha256:…
        command      local --model small --task 'What do ducks do?'
        workspace    [ROOT]/project (read)
        network      none
        tools        builtin:add, builtin:grep, builtin:read_file
        [stderr]
        a person would be asked
        $ guild run ask --task 'What do ducks do?' --approve once
        They quack.
        [stderr]
        ask: asks small (step 1)
        ask: calls builtin:read_file
        ask: asks small (step 2)
    "#]]
    .assert_eq(&unhashed(&session(
        &env,
        "guild run ask\n\
         guild run ask --task 'What do ducks do?' --dry-run\n\
         guild run ask --task 'What do ducks do?' --approve once\n",
    )));
}

#[test]
fn a_skill_names_its_model_and_sees_no_workspace_where_it_has_none() {
    for protocol in PROTOCOLS {
        let server = ModelServer::start([says("done")]);
        let env = house(protocol, &server, "models = {large = \"very-large\"}");
        assert_eq!(run(&env, "alone", "x")["code"], "ok");
        let asked = server.asked();
        assert_eq!(asked[0].body["model"], "very-large");
        assert_eq!(asked[0].body.get("tools"), None);
    }
}

#[test]
fn without_a_runner_there_is_an_error_with_a_hint_and_never_the_instructions() {
    let env = env(SKILLS);
    env.write("//- /home/.config/guild/config.toml\nbuiltins = false\n");
    let envelope = run(&env, "ask", "anything");
    expect![[r#"
        [executor_unbound] the skill asks for an agent of its own, and nothing here runs one; name one under `[runners]` in your own configuration (docs/subagents.md), or let `guild render` print its instructions
        null
    "#]].assert_eq(&told(&envelope));
    env.write("//- /project/guild.toml\n[runners.evil]\ncommand = [\"/bin/echo\", \"{task}\"]\n[subagents]\nrunner = \"evil\"\n");
    assert_eq!(run(&env, "ask", "anything")["code"], "executor_unbound", "a project names no runner");
}

#[test]
fn a_busy_server_is_asked_again() {
    let busy =
        |status, header| ModelTurn::Refuses(status, header, "{\"error\":{\"message\":\"busy\"}}".to_owned());
    check(
        &[
            busy(429, "Retry-After: 0"),
            busy(503, "Retry-After: 0"),
            busy(429, "Retry-After: Sun, 06 Nov 1994 08:49:37 GMT"),
            says("now"),
        ],
        "",
        &expect![[r#"
            [ok]
            "now"
        "#]],
    );
}

#[test]
fn a_stream_that_breaks_off_is_asked_for_again_and_never_half_an_answer() {
    check(
        &[ModelTurn::BreaksOff("half an".to_owned()), says("a whole answer")],
        "",
        &expect![[r#"
        [ok]
        "a whole answer"
    "#]],
    );
}

#[test]
fn a_server_that_does_not_stream_is_understood() {
    check(
        &[ModelTurn::SaysWhole("all at once".to_owned())],
        "",
        &expect![[r#"
        [ok]
        "all at once"
    "#]],
    );
}

#[test]
fn budgets_end_it() {
    let add = || calls("builtin_add", json!({"a": 1, "b": 1}));
    check(
        &[add(), add(), add()],
        "max_steps = 2",
        &expect![[r#"
        [subagent_exhausted] its 2 steps are used up, and it has no answer yet
        null
    "#]],
    );
    check(
        &[add(), add(), add()],
        "token_budget = 150",
        &expect![[r#"
        [subagent_exhausted] its 150 tokens are used up, and it has no answer yet
        null
    "#]],
    );
    check(
        &[ModelTurn::Rambles("and so on".to_owned())],
        "max_tokens = 3",
        &expect![[r#"
        [subagent_exhausted] its answer is longer than 3 tokens (`max_tokens`)
        null
    "#]],
    );
    check(
        &[ModelTurn::Silent],
        "timeout_seconds = 1",
        &expect![[r#"
        [subagent_timed_out] `local` gave no answer within 1 seconds
        null
    "#]],
    );
}

#[test]
fn a_tool_that_asks_every_time_waits_for_a_person_and_the_child_is_told() {
    let server = ModelServer::start([calls("mcp_clock_now", json!({"where": "Rome"})), says("I could not.")]);
    let clock = include_str!("servers/clock.py");
    let env = house("openai", &server, "");
    env.write(&format!("//- /clock.py\n{clock}"));
    let script = env.join("clock.py");
    let config = fs::read_to_string(env.home().join(".config/guild/config.toml")).unwrap();
    env.write(&format!(
        "//- /home/.config/guild/config.toml\n{config}[mcp.servers.clock]\ncommand = \"python3\"\nargs = [\"{0}\", \"well\"]\nread = [\"{0}\"]\n\
         //- /project/.guild/skills/when/SKILL.md\n---\nname: when\ndescription: Asks when\nrunAs: subagent\n\
         capabilities: {{declared_tools: [\"mcp:clock/now\"]}}\n---\nSay when.\n",
        script.display()
    ));
    let envelope = run(&env, "when", "now");
    assert_eq!(told(&envelope), "[ok]\n\"I could not.\"\n", "{envelope}");
    let heard = server.asked()[1].body.to_string();
    assert!(heard.contains("approval_required") && heard.contains("guild approve apr_"), "{heard}");
    let requests = self::envelope(&env.guild(&["requests", "--json"]).stdout());
    assert_eq!(requests["data"]["count"], 1, "{requests}");
}

#[test]
fn a_runner_that_cannot_be_used_is_named_with_its_problem() {
    let env = env(&format!(
        "{SKILLS}//- /home/.config/guild/config.toml\nbuiltins = false\n[runners.mine]\ncommand = [\"false\"]\n"
    ));
    let told = session(&env, "guild run ask --task x --approve once");
    expect![[r#"
        $ guild run ask --task x --approve once
        [stderr]
        error[executor_unbound]: the skill asks for an agent of its own, and whoever is configured cannot run one: `runners.mine` cannot be used: its command has neither `{task}` nor `{prompt}`; correct that (docs/subagents.md), or let `guild render` print its instructions
        [exit 1]
    "#]].assert_eq(&told);
    let doctor = env.guild(&["doctor"]).stdout();
    let line = doctor.lines().find(|line| line.contains("runners")).unwrap_or_default();
    expect![
        "look  runners        `runners.mine` cannot be used: its command has neither `{task}` nor `{prompt}`"
    ]
    .assert_eq(line);
}
