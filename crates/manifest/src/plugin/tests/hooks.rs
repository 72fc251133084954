//! Hooks that would never run: in a file of them, and in the manifest.

use super::*;
use expect_test::expect;

/// The problems of a plugin whose usual file of hooks has this text.
#[track_caller]
fn check_hooks(text: &str, expected: Expect) {
    let mut fixture = Fixture::with(".claude-plugin/plugin.json", r#"{"name": "hooked"}"#);
    fixture.put("hooks/hooks.json", Found::Bytes(text.as_bytes().to_vec()));
    let reading = read("hooked", &fixture, Standing::Anywhere).unwrap();
    assert!(reading.plugin.is_some(), "hooks keep no plugin out");
    let lines = reading.problems.iter().map(|problem| format!("{problem}\n  hint: {}\n", problem.hint));
    expected.assert_eq(&lines.collect::<String>());
}

#[test]
fn hooks_of_every_host_are_left_alone() {
    for text in [
        r#"{}"#,
        r#"{"description": "d", "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/a/../b.sh x"}, {"type": "prompt", "prompt": "?"}]}]}}"#,
        r#"{"version": 1, "hooks": {"beforeShellExecution": [{"command": "./check.sh"}], "stop": []}}"#,
        r#"{"hooks": {"preToolUse": [{"type": "command", "bash": "./check.sh", "powershell": "./check.ps1"}]}}"#,
        r#"{"hooks": {"BeforeTool": [{"hooks": [{"command": "\"${extensionPath}\"/a.sh"}]}]}}"#,
        r#"{"before_run": ["python3", "a.py"], "after_run": [{"entrypoint": "./note.sh"}, "b.sh", ["sh", "c.sh"]]}"#,
    ] {
        check_hooks(text, expect![""]);
    }
}

#[test]
fn a_file_that_holds_no_hooks_is_told_with_its_line() {
    check_hooks(
        "{\n  \"hooks\": {,}\n}",
        expect![[r#"
            hooks/hooks.json:2:13: error[hooks_invalid]: invalid JSON: unexpected token in object
              hint: check commas, quotes and brackets on this line
        "#]],
    );
    check_hooks(
        "[]",
        expect![[r#"
            hooks/hooks.json:1:1: error[hooks_invalid]: the file holds a list, not an object
              hint: write an object: {}
        "#]],
    );
    check_hooks(
        r#"{"hooks": []}"#,
        expect![[r#"
            hooks/hooks.json:1:11: error[hooks_invalid]: `hooks` is a list, but takes an object
              hint: write an object
        "#]],
    );
}

#[test]
fn an_event_that_does_not_exist_is_told() {
    check_hooks(
        "{\"hooks\": {\n  \"PreTooluse\": [],\n  \"OnMoon\": []\n}}",
        expect![[r#"
            hooks/hooks.json:2:3: warning[hook_event_unknown]: no event is called `PreTooluse`, so nothing of it ever runs
              hint: did you mean `PreToolUse`?
            hooks/hooks.json:3:3: warning[hook_event_unknown]: no event is called `OnMoon`, so nothing of it ever runs
              hint: use `before_run` or `after_run`, or an event of the host that it is for
        "#]],
    );
    check_hooks(
        r#"{"beforerun": "a.sh"}"#,
        expect![[r#"
            hooks/hooks.json:1:2: warning[hook_event_unknown]: no event is called `beforerun`, so nothing of it ever runs
              hint: did you mean `before_run`?
        "#]],
    );
}

#[test]
fn a_hook_that_cannot_be_run_is_told() {
    check_hooks(
        r#"{"PreToolUse": {"command": "a"}, "Stop": [7, {"hooks": {}}, {"hooks": [{"type": "comand"}, {"command": ""}, {"type": "command"}]}]}"#,
        expect![[r#"
            hooks/hooks.json:1:16: error[hooks_invalid]: `PreToolUse` is a mapping, but takes a list of hooks
              hint: write a list of hooks
            hooks/hooks.json:1:43: error[hooks_invalid]: `Stop` is a number, but takes an object
              hint: write an object
            hooks/hooks.json:1:56: error[hooks_invalid]: `Stop.hooks` is a mapping, but takes a list of hooks
              hint: write a list of hooks
            hooks/hooks.json:1:81: error[hooks_invalid]: `Stop.hooks.type` is `comand`, which no host knows
              hint: use command, http, mcp_tool, prompt, agent
            hooks/hooks.json:1:104: error[hooks_invalid]: `Stop.hooks` has an empty command
              hint: say what is to be run
            hooks/hooks.json:1:109: error[hooks_invalid]: `Stop.hooks` has no command
              hint: add `command`
        "#]],
    );
    check_hooks(
        r#"{"before_run": [7, {}, {"command": "a b"}, []]}"#,
        expect![[r#"
            hooks/hooks.json:1:17: error[hooks_invalid]: `before_run` is a number, but takes a file, a list of words, or an object with `entrypoint` or `command`
              hint: write a file, a list of words, or an object with `entrypoint` or `command`
            hooks/hooks.json:1:20: error[hooks_invalid]: `before_run` has to name one of `entrypoint` and `command`
              hint: keep the one that is to be run
            hooks/hooks.json:1:36: error[hooks_invalid]: `before_run.command` is text, but takes a list of a program and its arguments
              hint: write a list of a program and its arguments
            hooks/hooks.json:1:44: error[hooks_invalid]: `before_run` is a list, but takes a file, a list of words, or an object with `entrypoint` or `command`
              hint: write a file, a list of words, or an object with `entrypoint` or `command`
        "#]],
    );
}

#[test]
fn a_path_that_leaves_the_plugin_is_told() {
    check_hooks(
        r#"{"before_run": "../out.sh", "after_run": [{"entrypoint": "/bin/sh"}],
            "Stop": [{"hooks": [{"command": "sh \"${CLAUDE_PLUGIN_ROOT}\"/../x.sh"}, {"command": "cat ${PLUGIN_ROOT}/a; ${PLUGIN_ROOT}/a/../../b"}]}]}"#,
        expect![[r#"
            hooks/hooks.json:1:16: error[hooks_invalid]: `before_run`: the path `../out.sh` leads upwards with `..`; the hook is left out
              hint: write a path below the plugin's directory, such as `./hooks/check.sh`
            hooks/hooks.json:1:58: error[hooks_invalid]: `after_run.entrypoint`: the path `/bin/sh` is not relative; the hook is left out
              hint: write a path below the plugin's directory, such as `./hooks/check.sh`
            hooks/hooks.json:2:45: error[hooks_invalid]: `Stop.hooks.command` runs `${CLAUDE_PLUGIN_ROOT}/../x.sh`, which lies outside the plugin and is not there in its container
              hint: put the file into the plugin
            hooks/hooks.json:2:98: error[hooks_invalid]: `Stop.hooks.command` runs `${PLUGIN_ROOT}/a/../../b`, which lies outside the plugin and is not there in its container
              hint: put the file into the plugin
        "#]],
    );
}

#[test]
fn hooks_in_the_manifest_and_in_files_that_it_names_are_looked_at_too() {
    check(
        r#"
        //- .claude-plugin/plugin.json
        {"name": "a", "hooks": [{"Stopp": []}, "./more.json", "./hooks/hooks.json"]}
        //- more.json
        {"hooks": {"Stop": 1}}
        //- hooks/hooks.json (link)
        "#,
        expect![[r#"
            claude from .claude-plugin/plugin.json
            name: "a"
            hooks: {"Inline":{"Map":[["Stopp",{"List":[]}]]}}
            hooks: {"File":"more.json"}
            .claude-plugin/plugin.json:1:26: warning[hook_event_unknown]: no event is called `Stopp`, so nothing of it ever runs
              hint: did you mean `Stop`?
            .claude-plugin/plugin.json:1:55: error[plugin_path]: `hooks`: nothing of that kind is at `hooks/hooks.json`; it was ignored
              hint: correct the path, or add what it names to the plugin
            hooks/hooks.json:1:1: error[hooks_invalid]: this is no regular file
              hint: put the file itself here, not a link or a directory
            more.json:1:20: error[hooks_invalid]: `hooks.Stop` is a number, but takes a list of hooks
              hint: write a list of hooks
        "#]],
    );
}
