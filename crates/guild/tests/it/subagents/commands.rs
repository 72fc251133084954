//! Programs of the person's as runners: small scripts, and one that talks to this program by MCP as a host's program does.

use super::{SKILLS, run, told, transcript};
use crate::{env, envelope};
use expect_test::{Expect, expect};
use guild_testkit::{Env, wait_until};
use serde_json::json;
use std::fs;

/// A project whose child agents are a script's.
#[track_caller]
fn house(script: &str, command: &str) -> Env {
    let env = env(SKILLS)
        .with_var("PATH", "/usr/local/bin:/usr/bin:/bin")
        .with_var("AGENT_KEY", "sk-agent-0123456789")
        .with_var("UNNAMED_KEY", "sk-other-0123456789");
    env.write(&format!("//- /bin/agent mode:755\n#!/bin/sh\n{script}\n"));
    let program = env.join("bin/agent");
    let command = command.replace("agent", &program.display().to_string());
    env.write(&format!(
        "//- /home/.config/guild/config.toml\nbuiltins = false\n[runners.script]\ncommand = {command}\nenv = [\"AGENT_KEY\"]\nmodel = \"small\"\n"
    ));
    env
}

const COMMAND: &str = "[\"agent\", \"{system}\", \"{task}\", \"{model}\", \"{mcp_config}\"]";

#[track_caller]
fn check(script: &str, expected: &Expect) {
    let env = house(script, COMMAND);
    let told = told(&run(&env, "ask", "What do ducks do?"));
    expected.assert_eq(&told.replace(&env.join("bin").display().to_string(), "BIN"));
}

#[test]
fn each_placeholder_is_an_argument_of_its_own_and_there_is_no_shell() {
    let env = house(
        "for word in \"$@\"; do echo \"<$word>\"; done; pwd; env | sort | cut -d= -f1 | tr '\\n' ' '",
        COMMAND,
    );
    let envelope = run(&env, "ask", "$(touch hacked); 'x' \"y\" --flag");
    let output = envelope["data"]["output"].as_str().unwrap();
    assert!(output.contains("<$(touch hacked); 'x' \"y\" --flag>\n<small>\n"), "{output}");
    assert!(output.contains("[ROOT]/project\n"), "it works in the workspace: {output}");
    let variables = output.lines().last().unwrap();
    assert!(variables.contains("AGENT_KEY") && !variables.contains("UNNAMED_KEY"), "{variables}");
    assert!(!env.project().join("hacked").exists());
}

#[test]
fn what_a_program_does_wrong_is_told_apart() {
    check(
        "echo oops >&2; exit 3",
        &expect![[r#"
        [subagent_failed] `[ROOT]/bin/agent` ended with exit code 3; it said: oops
        null
    "#]],
    );
    check(
        "exit 0",
        &expect![[r#"
        [subagent_failed] the child agent ended without an answer
        null
    "#]],
    );
    check(
        "while :; do echo 0123456789012345678901234567890123456789; done",
        &expect![[r#"
        [subagent_failed] `[ROOT]/bin/agent` wrote more than 1048576 bytes
        null
    "#]],
    );
    check(
        "kill -9 $$",
        &expect![[r#"
            [subagent_failed] `[ROOT]/bin/agent` was killed by signal 9
            null
        "#]],
    );
    let env = house("sleep 1000", COMMAND);
    fs::remove_file(env.join("bin/agent")).unwrap();
    assert_eq!(run(&env, "ask", "x")["code"], "subagent_unavailable");
}

#[test]
fn one_that_takes_too_long_is_killed_with_what_it_started() {
    let env = house("sleep 1000 & sleep 1000", COMMAND);
    let envelope = envelope(
        &env.guild(&["run", "ask", "--task", "x", "--timeout", "1s", "--approve", "once", "--json"]).stdout(),
    );
    assert_eq!(envelope["code"], "subagent_timed_out", "{envelope}");
    assert_eq!(envelope["data"]["timed_out"], true);
}

#[test]
fn a_secret_reaches_a_program_that_names_it_and_no_transcript() {
    let env = house("echo \"$AGENT_KEY\"", COMMAND);
    let envelope = run(&env, "ask", "x");
    assert_eq!(told(&envelope), "[ok]\n\"<secret>\"\n");
    assert!(!format!("{:?}", transcript(&env, &envelope)).contains("sk-agent"));
}

#[test]
fn an_interrupt_ends_the_program_and_the_run_is_written_down() {
    let env = house("echo up > up; sleep 1000 & wait", COMMAND);
    let running = env.invocation(&["run", "ask", "--task", "x", "--approve", "once"]).spawn();
    wait_until("the program is up", || env.project().join("up").exists());
    let pid = rustix::process::Pid::from_raw(i32::try_from(running.id()).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let output = running.finish();
    assert_eq!(output.code(), Some(130), "{output}");
    assert!(output.stderr().contains("run_interrupted"), "{output}");
    let listed = envelope(&env.guild(&["receipts", "list", "--json"]).stdout());
    assert_eq!(listed["data"]["receipts"][0]["kind"], "interrupted", "{listed}");
}

/// It asks this program for its tools, as a host's program does with the configuration that it is given.
const HOST: &str = r#"
import json, subprocess, sys
server = json.load(open(sys.argv[4]))["mcpServers"]["guild"]
child = subprocess.Popen([server["command"], *server["args"]], env=server["env"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
number = 0
def ask(method, params):
    global number
    number += 1
    child.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n")
    child.stdin.flush()
    while True:
        answer = json.loads(child.stdout.readline())
        if answer.get("id") == number:
            return answer
ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "host", "version": "1"}})
child.stdin.write('{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
names = [tool["name"] for tool in ask("tools/list", {})["result"]["tools"]]
def call(name, arguments):
    answer = ask("tools/call", {"name": name, "arguments": arguments})
    if "error" in answer:
        return answer["error"]["message"]
    return answer["result"]["content"][0]["text"]
print(names)
print(call("builtin_read_file", {"path": "notes.md", "limit": 1}))
print(call("builtin_add", {"a": 2, "b": 3}))
print(call("builtin_multiply", {"a": 2, "b": 3}))
print(call("skill_run", {"name": "ask"}))
"#;

#[test]
fn a_program_has_the_runs_tools_by_mcp_and_no_others() {
    let env = env(SKILLS).with_var("PATH", "/usr/local/bin:/usr/bin:/bin");
    env.write(&format!("//- /host.py\n{HOST}"));
    let host = env.join("host.py");
    env.write(&format!(
        "//- /home/.config/guild/config.toml\nbuiltins = false\n[runners.host]\n\
         command = [\"python3\", \"{}\", \"{{system}}\", \"{{task}}\", \"{{task}}\", \"{{mcp_config}}\"]\n",
        host.display()
    ));
    let envelope = run(&env, "ask", "x");
    expect![[r#"
        ['builtin_add', 'builtin_grep', 'builtin_read_file']
        1: Ducks quack.
        … (there is more)
        5
        there is no tool `builtin_multiply`
        there is no tool `skill_run`"#]]
    .assert_eq(envelope["data"]["output"].as_str().unwrap_or(&told(&envelope)));
    let listed = self::envelope(&env.guild(&["receipts", "list", "--json"]).stdout());
    let run = &envelope["data"]["run"];
    let receipts = listed["data"]["receipts"].as_array().unwrap();
    let of_run =
        receipts.iter().filter(|receipt| receipt["run"] == *run && receipt["kind"] == "load").count();
    assert_eq!(of_run, 1, "what was looked at has its receipt: {listed}");
    let gone = env.guild(&["mcp", "--run", run.as_str().unwrap()]);
    assert_eq!(gone.code(), Some(0), "nobody talks to it: {gone}");
    assert_ne!(json!(null), *run);
}

/// A project whose child agents are run by a preset's program, which says what it was given.
#[track_caller]
fn preset(name: &str, script: &str) -> Env {
    let env = env(SKILLS);
    env.write(&format!("//- /bin/{name} mode:755\n#!/bin/sh\nfor word in \"$@\"; do echo \"$word\" >> words; done\n{script}\n"));
    env.write(&format!(
        "//- /home/.config/guild/config.toml\nbuiltins = false\n[runners.known]\npreset = \"{name}\"\nmodel = \"small\"\n"
    ));
    let path = format!("{}:/usr/local/bin:/usr/bin:/bin", env.join("bin").display());
    env.with_var("PATH", path)
}

#[test]
fn a_known_program_gets_instructions_task_and_our_tools_and_none_of_its_own() {
    let claude =
        preset("claude", "cat; grep -l sentence \"$(sed -n '/system.md/p' words)\" > /dev/null && echo seen");
    assert_eq!(told(&run(&claude, "ask", "What?")), "[ok]\n\"What?seen\"\n");
    let words = fs::read_to_string(claude.project().join("words")).unwrap();
    assert!(
        words.contains("--strict-mcp-config\n--mcp-config\n")
            && words.contains("--tools\n\n--allowedTools\nmcp__guild\n"),
        "{words}"
    );
    assert!(words.contains("--model\nsmall\n"), "{words}");

    let codex = preset("codex", "while [ $# -gt 2 ]; do shift; done; cat > \"$1\"");
    assert_eq!(told(&run(&codex, "ask", "What?")), "[ok]\n\"What?\"\n");
    let words = fs::read_to_string(codex.project().join("words")).unwrap();
    assert!(words.starts_with("exec\n--sandbox\nread-only\n"), "{words}");
    assert!(
        words.contains("developer_instructions=\"Answer in one sentence.")
            && words.contains("mcp_servers.guild.args=[\"mcp\""),
        "{words}"
    );

    let gemini =
        preset("gemini", "echo \"$2\"; cat \"$GEMINI_SYSTEM_MD\" \"$GEMINI_CLI_SYSTEM_SETTINGS_PATH\"");
    let answer = run(&gemini, "ask", "What?")["data"]["output"].as_str().unwrap().to_owned();
    assert!(
        answer.starts_with("What?\nAnswer in one sentence.") && answer.contains("\"tools\":{\"core\":[]}"),
        "{answer}"
    );
}
