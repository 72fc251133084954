//! What plugins run before and after a run: gates that let through, say no, fail or take too long, and hooks that only look.

use crate::{env, envelope};
use guild_testkit::Env;
use serde_json::{Value as Json, json};

/// A plugin's name, its hooks, and its files.
type Plugin<'a> = (&'a str, Json, &'a [(&'a str, &'a str)]);

/// A project with a skill that prints, and plugins with these hooks, all of them on; a name is a plugin's.
#[track_caller]
fn world(plugins: &[Plugin<'_>]) -> Env {
    let mut text = "
//- /home/.config/guild/config.toml
builtins = false
//- /project/.git/
//- /project/.guild/skills/say/SKILL.md
---
name: say
description: Says something
script: run.sh
capabilities: {workspace: none}
---
Say it.
//- /project/.guild/skills/say/run.sh
echo said
"
    .to_owned();
    for (name, hooks, files) in plugins {
        let root = format!("/project/.guild/plugins/{name}");
        let manifest = json!({"id": name, "name": name, "description": "d", "version": "1.0.0", "capabilities": [], "hooks": hooks});
        text.push_str(&format!("//- {root}/guild.plugin.json\n{manifest}\n"));
        for (path, content) in *files {
            text.push_str(&format!("//- {root}/{path}\n{content}\n"));
        }
    }
    let env = env(&text);
    for (name, _, _) in plugins {
        let on = env.guild(&["enable", name, "--kind", "plugin"]);
        assert_eq!(on.code(), Some(0), "{on}");
    }
    env
}

#[track_caller]
fn run(env: &Env) -> Json {
    envelope(&env.guild(&["run", "say", "--approve", "once", "--json"]).stdout())
}

/// Approves for good whatever hooks wait, as often as one more comes up.
#[track_caller]
fn approve_hooks(env: &Env) -> Json {
    for _ in 0..4 {
        let told = run(env);
        let waiting = envelope(&env.guild(&["requests", "--json"]).stdout());
        let waiting = waiting["data"]["requests"].as_array().cloned().unwrap_or_default();
        let hooks =
            waiting.iter().filter(|one| one["skill"].as_str().is_some_and(|name| name.starts_with("hook:")));
        let ids: Vec<String> = hooks.map(|one| one["id"].as_str().unwrap().to_owned()).collect();
        if ids.is_empty() {
            return told;
        }
        for id in ids {
            let approved = env.guild(&["approve", &id, "--always"]);
            assert_eq!(approved.code(), Some(0), "{approved}");
        }
    }
    unreachable!("hooks wait for ever");
}

/// The receipts as `kind code skill`, the oldest first.
fn receipts(env: &Env) -> Vec<String> {
    let listed = envelope(&env.guild(&["receipts", "list", "--json"]).stdout());
    let receipts = listed["data"]["receipts"].as_array().cloned().unwrap_or_default();
    let text = |receipt: &Json, key: &str| receipt[key].as_str().unwrap_or("-").to_owned();
    receipts
        .iter()
        .rev()
        .map(|one| format!("{} {} {}", text(one, "kind"), text(one, "code"), text(one, "skill")))
        .collect()
}

#[test]
fn a_gate_that_nobody_has_approved_lets_nothing_through() {
    let env = world(&[("guard", json!({"before_run": "gate.sh"}), &[("gate.sh", "true")])]);
    let told = run(&env);
    assert_eq!(told["code"], "hook_denied", "{told}");
    assert!(told["message"].as_str().unwrap().contains("[approval_required]"), "{told}");
    let let_through = approve_hooks(&env);
    assert_eq!((&let_through["code"], &let_through["data"]["stdout"]), (&json!("ok"), &json!("said\n")));
}

#[test]
fn a_gate_that_says_no_is_hook_denied_and_leaves_a_receipt() {
    let no = r#"echo '{"decision": "deny", "reason": "not on Fridays"}' > /output/response.json"#;
    let env = world(&[("guard", json!({"before_run": "gate.sh"}), &[("gate.sh", no)])]);
    let told = approve_hooks(&env);
    assert_eq!(told["code"], "hook_denied", "{told}");
    assert!(told["message"].as_str().unwrap().ends_with("does not let it run: not on Fridays"), "{told}");
    assert!(told["data"]["receipt"].as_str().unwrap().starts_with("rcp_"), "{told}");
    let receipts = receipts(&env);
    assert_eq!(receipts.last().map(String::as_str), Some("denied hook_denied say"), "{receipts:?}");
    assert!(receipts.iter().any(|line| line == "finished ok hook:guard/before_run"), "{receipts:?}");
}

#[test]
fn a_gate_that_fails_or_takes_too_long_denies() {
    let env =
        world(&[("guard", json!({"before_run": "gate.sh"}), &[("gate.sh", "echo broken >&2; exit 3")])]);
    let told = approve_hooks(&env);
    assert_eq!(told["code"], "hook_denied", "{told}");
    assert!(told["message"].as_str().unwrap().contains("broken"), "{told}");
    let slow = json!({"before_run": {"entrypoint": "gate.sh", "timeout_ms": 1000}});
    let env = world(&[("guard", slow, &[("gate.sh", "sleep 30")])]);
    let told = approve_hooks(&env);
    assert_eq!(told["code"], "hook_denied", "{told}");
    assert!(told["message"].as_str().unwrap().contains("[script_timed_out]"), "{told}");
}

#[test]
fn gates_are_asked_in_the_order_of_their_priority_and_the_first_no_counts() {
    let no = |why: &str| {
        format!("echo '{{\"decision\": \"deny\", \"reason\": \"{why}\"}}' > /output/response.json")
    };
    let (first, second) = (no("first"), no("second"));
    let env = world(&[
        (
            "a-late",
            json!({"before_run": {"entrypoint": "gate.sh", "priority": 200}}),
            &[("gate.sh", &second)],
        ),
        ("b-early", json!({"before_run": {"entrypoint": "gate.sh", "priority": 10}}), &[("gate.sh", &first)]),
        (
            "c-other",
            json!({"before_run": {"entrypoint": "gate.sh", "priority": 1, "skills": "other/*"}}),
            &[("gate.sh", "exit 1")],
        ),
    ]);
    let told = approve_hooks(&env);
    assert!(told["message"].as_str().unwrap().ends_with("run: first"), "{told}");
    let receipts = receipts(&env);
    assert!(
        !receipts.iter().any(|line| line.contains("hook:a-late") || line.contains("hook:c-other")),
        "{receipts:?}"
    );
}

#[test]
fn a_hook_after_a_run_is_told_how_it_ended_and_changes_nothing() {
    let check = r#"grep -q '"code":"ok"' /input/context.json && grep -q '"skill":"say"' /input/context.json"#;
    let env = world(&[("note", json!({"after_run": "note.sh"}), &[("note.sh", check)])]);
    approve_hooks(&env);
    let told = run(&env);
    assert_eq!(told["code"], "ok", "{told}");
    let receipts = receipts(&env);
    assert_eq!(receipts.last().map(String::as_str), Some("finished ok hook:note/after_run"), "{receipts:?}");
    let env = world(&[("note", json!({"after_run": "note.sh"}), &[("note.sh", "exit 1")])]);
    assert_eq!(approve_hooks(&env)["code"], "ok", "what comes after cannot undo it");
}

#[test]
fn a_vendors_hook_is_told_on_standard_input() {
    let hooks = json!({"PreToolUse": [{"matcher": "Skill", "hooks": [
        {"type": "command", "command": "grep -q '\"hook_event_name\":\"PreToolUse\"' && ${CLAUDE_PLUGIN_ROOT}/gate.sh", "timeout": 5}]}]});
    let env = world(&[("guard", hooks, &[("gate.sh", "#!/bin/sh\nexit 2")])]);
    std::fs::set_permissions(
        env.project().join(".guild/plugins/guard/gate.sh"),
        std::os::unix::fs::PermissionsExt::from_mode(0o755),
    )
    .unwrap();
    let told = approve_hooks(&env);
    assert_eq!(told["code"], "hook_denied", "{told}");
    assert!(told["message"].as_str().unwrap().contains("[script_failed]"), "{told}");
}

#[test]
fn a_file_of_hooks_that_would_never_run_is_found_by_check() {
    let files = [("hooks/hooks.json", "{\n  \"hooks\": {\n    \"PreTooluse\": []\n  }\n}")];
    let env = world(&[("gates", json!({"before_run": "../gate.sh"}), &files)]);
    let told = envelope(&env.guild(&["check", ".guild/plugins", "--json"]).stdout());
    let others = told["data"]["others"].as_array().unwrap();
    let line = |other: &Json| {
        let file = other["path"].as_str().unwrap().rsplit_once("gates/").unwrap().1;
        let problem = &other["problems"][0];
        assert!(!problem["hint"].as_str().unwrap().is_empty());
        format!("{file}:{} {}", problem["line"], problem["code"].as_str().unwrap())
    };
    assert_eq!(
        others.iter().map(line).collect::<Vec<_>>(),
        ["guild.plugin.json:1 hooks_invalid", "hooks/hooks.json:3 hook_event_unknown"]
    );
}
