//! Skills that dispatch to tools of the person's MCP servers: real servers, in real containers and over HTTP.

mod asking;

use crate::mcp::Client;
use crate::serve::{Served, token};
use crate::{env, envelope};
use expect_test::{Expect, expect, expect_file};
use guild_testkit::{Env, session};
use serde_json::{Value as Json, json};

const CLOCK: &str = include_str!("servers/clock.py");

/// A project with a skill that asks a clock, and a clock in some mood.
#[track_caller]
fn clock(mood: &str) -> Env {
    let env = env(SKILL);
    env.write(&format!("//- /clock.py\n{CLOCK}"));
    configure(&env, mood, "");
    env
}

const SKILL: &str = r#"
//- /project/.git/
//- /project/.guild/skills/when/SKILL.md
---
name: when
description: Tells the time somewhere
command_tool_provider: mcp
command_tool: clock/now
params: {where: {type: string}}
capabilities: {declared_tools: ["mcp:clock/now"]}
---
Tell the time.
"#;

#[track_caller]
fn configure(env: &Env, mood: &str, more: &str) {
    let script = env.join("clock.py");
    let script = script.display();
    env.write(&format!(
        "//- /home/.config/guild/config.toml\nbuiltins = false\n[mcp.servers.clock]\ncommand = \"python3\"\n\
         args = [\"{script}\", \"{mood}\"]\nread = [\"{script}\"]\nenv = [\"CLOCK_TOKEN\"]\ntimeout_seconds = 20\n{more}\n"
    ));
}

#[track_caller]
fn asked(env: &Env, where_: &str, more: &[&str]) -> Json {
    let parameter = format!("where={where_}");
    let mut arguments = vec!["run", "when", "-p", &parameter, "--json"];
    arguments.extend(more);
    envelope(&env.guild(&arguments).stdout())
}

fn told(envelope: &Json) -> String {
    let text = |value: &Json| value.as_str().unwrap_or("?").to_owned();
    format!("[{}] {}\n{}", text(&envelope["code"]), text(&envelope["message"]), envelope["data"]["output"])
}

#[track_caller]
fn check(mood: &str, expected: &Expect) {
    expected.assert_eq(&told(&asked(&clock(mood), "Rome", &["--approve", "once"])));
}

#[test]
fn a_tool_of_a_server_is_called_once_a_person_has_said_so() {
    let env = clock("well");
    let first = asked(&env, "Rome", &[]);
    assert_eq!(first["code"], "approval_required", "{first}");
    assert_eq!(first["data"]["plan"]["tool"], "mcp:clock/now");
    expect![[r#"
        [ok] noon in Rome
        {"time":"12:00"}"#]]
    .assert_eq(&told(&asked(&env, "Rome", &["--approve", "once"])));
    let again = asked(&env, "Rome", &["--approve", "always"]);
    assert_eq!(again["code"], "ok");
    assert_eq!(
        asked(&env, "Rome", &[])["code"],
        "approval_required",
        "one that may do anything asks every time"
    );
}

#[test]
fn a_server_sees_what_its_entry_names_and_nothing_else() {
    let env = clock("tells").with_var("CLOCK_TOKEN", "tick").with_var("OTHER_TOKEN", "tock");
    let home = env.home();
    let told = asked(&env, &home.to_string_lossy(), &["--approve", "once"]);
    let output = &told["data"]["output"];
    assert_eq!(output["environment"], json!(["CLOCK_TOKEN", "HOME", "LANG", "PATH"]), "{told}");
    assert_eq!((&output["token"], &output["home"]), (&json!("tick"), &json!(false)));
    let kept = env.guild(&["receipts", "list", "--json"]).stdout();
    assert!(!kept.contains("tick"), "{kept}");
}

/// A hall that serves over HTTP, and another whose skill asks it.
#[test]
fn a_server_over_http_is_sent_the_headers_that_its_entry_names() {
    let other = env(crate::serve::SKILLS);
    let served = Served::start(&other, &[]);
    let (id, secret) = token(&other, "writer");
    let env = env(ASKS);
    env.write(&format!(
        "//- /home/.config/guild/config.toml\nbuiltins = false\n[mcp.servers.hall]\nurl = \"http://{}/mcp\"\n\
         headers = {{Authorization = \"Bearer ${{HALL_TOKEN}}\"}}\n",
        served.address
    ));
    let run = ["run", "ask", "-p", "query=greets", "--approve", "once", "--json"];
    let unset = envelope(&env.guild(&run).stdout());
    assert_eq!(unset["code"], "provider_unavailable", "{unset}");
    let set = env.invocation(&["secret", "set", "HALL_TOKEN"]).stdin(secret.clone()).output();
    assert_eq!(set.code(), Some(0), "{set}");
    let told = env.guild(&run);
    let answered = envelope(&told.stdout());
    assert_eq!(answered["code"], "ok", "{answered}");
    assert!(answered["message"].as_str().unwrap().contains("greet (script): Greets somebody by name"));
    assert!(!told.stdout().contains(&secret), "{told}");
    assert_eq!(other.guild(&["token", "revoke", &id]).code(), Some(0));
    let shut = envelope(&env.guild(&run).stdout());
    assert_eq!(shut["code"], "provider_unavailable", "{shut}");
}

const ASKS: &str = r#"
//- /project/.git/
//- /project/.guild/skills/ask/SKILL.md
---
name: ask
description: Asks another hall
command_tool_provider: mcp
command_tool: hall/skill_search
params: {query: {type: string, required: true}}
capabilities: {declared_tools: ["mcp:hall/skill_search"]}
---
Ask.
"#;

/// An agent asks for a skill, whose tool is that of a server; the server is reached once and serves every call.
#[test]
fn an_agents_call_goes_through_to_a_server_and_back() {
    let env = clock("well");
    let mut client = Client::stateless(&env, "default");
    for place in ["Rome", "Oslo"] {
        let call = json!({"name": "skill_run", "arguments": {"name": "when", "input": {"where": place}}});
        let told = client.approved(call);
        assert_eq!(told["structuredContent"]["data"]["output"]["time"], "12:00", "{told}");
    }
}

#[test]
fn a_tool_that_a_server_swaps_after_it_was_trusted_asks_again() {
    let env = clock("well");
    configure(&env, "well", "read_only = [\"now\"]");
    assert_eq!(asked(&env, "Rome", &["--approve", "always"])["code"], "ok");
    assert_eq!(asked(&env, "Oslo", &[])["code"], "ok", "one that only looks may be trusted for longer");
    configure(&env, "swapped", "read_only = [\"now\"]");
    let swapped = asked(&env, "Rome", &[]);
    assert_eq!(swapped["code"], "security_hash_mismatch", "{swapped}");
    let shown = env.guild(&["requests", "--json"]).stdout();
    assert!(shown.contains("Tells the time, and sends it elsewhere"), "{shown}");
}

#[test]
fn a_server_that_fails_fails_the_same_way_each_time() {
    check(
        "fails",
        &expect![[r#"
        [provider_execution_failed] the clock has stopped
        null"#]],
    );
}

#[test]
fn a_server_that_ends_in_the_midst_of_a_call_is_told_with_its_last_words() {
    check(
        "dies",
        &expect![[r#"
        [provider_unavailable] server `clock` has gone; it said: out of springs
        null"#]],
    );
}

#[test]
fn what_a_server_gives_is_held_to_what_it_declares() {
    check(
        "lies",
        &expect![[r#"
        [tool_output_invalid] tool `clock/now` gave what it does not declare: "time" is a required property
        null"#]],
    );
}

#[test]
fn a_server_that_does_not_start_is_told_with_its_last_words() {
    let told = told(&asked(&clock("crashes"), "Rome", &["--approve", "once"]));
    assert!(told.starts_with("[provider_unavailable] server `clock` cannot be reached: "), "{told}");
    assert!(told.contains("; it said: no clock here"), "{told}");
}

#[test]
fn a_server_that_says_nothing_is_given_up() {
    for mood in ["silent", "sulks"] {
        let env = clock(mood);
        let file = env.home().join(".config/guild/config.toml");
        let text =
            std::fs::read_to_string(&file).unwrap().replace("timeout_seconds = 20", "timeout_seconds = 1");
        std::fs::write(&file, text).unwrap();
        let told = told(&asked(&env, "Rome", &["--approve", "once"]));
        assert!(told.starts_with("[tool_timed_out] server `clock` "), "{mood}: {told}");
    }
}

#[test]
fn what_the_tools_schema_does_not_take_never_reaches_the_server() {
    let env = clock("dies");
    let told = envelope(&env.guild(&["run", "when", "--json", "--approve", "once"]).stdout());
    assert_eq!(told["code"], "tool_input_invalid", "{told}");
}

#[test]
fn a_server_that_nobody_configured_is_not_there() {
    let env = clock("well");
    env.write("//- /home/.config/guild/config.toml\nbuiltins = false\n");
    expect![[r#"
        [provider_unavailable] no MCP server `clock` is on (`mcp.servers.clock` in your configuration); `guild check` says what is wrong with an entry
        null"#]]
    .assert_eq(&told(&asked(&env, "Rome", &["--approve", "once"])));
}

#[test]
fn a_project_cannot_bring_a_server() {
    let env = clock("well");
    let entry = std::fs::read_to_string(env.home().join(".config/guild/config.toml")).unwrap();
    env.write("//- /home/.config/guild/config.toml\nbuiltins = false\n");
    env.write(&format!("//- /project/guild.toml\n{entry}"));
    assert_eq!(asked(&env, "Rome", &["--approve", "once"])["code"], "provider_unavailable");
}

#[test]
fn an_entry_that_makes_no_sense_is_told_and_the_others_hold() {
    let env = clock("well");
    configure(
        &env,
        "well",
        "[mcp.servers.both]\ncommand = \"a\"\nurl = \"https://b\"\n[mcp.servers.Big]\nurl = \"https://b\"\n\
         [mcp.servers.odd]\ncommand = \"a\"\nnetwork = \"all\"\n[mcp.servers.typo]\ncomand = \"a\"\n",
    );
    let told = env.guild(&["check"]).stdout();
    for reason in [
        "`mcp.servers.both` cannot be used: it has both `command` and `url`",
        "`mcp.servers.Big` cannot be used: its name must be of small letters",
        "`mcp.servers.odd` cannot be used: its network is `all`, and can be `none` or `host`",
        "`mcp.servers.typo` cannot be used: unknown field `comand`",
    ] {
        assert!(told.contains(reason), "{reason}: {told}");
    }
    assert_eq!(asked(&env, "Rome", &["--approve", "once"])["code"], "ok");
}

#[test]
fn tools_are_listed_and_shown_and_a_server_that_is_silent_hides_nobody() {
    let env = clock("well");
    configure(
        &env,
        "well",
        "[mcp.servers.web]\nurl = \"http://127.0.0.1:9/mcp\"\nheaders = {X = \"${NOT_SET}\"}\n",
    );
    let script = "guild tools list --provider mcp\nguild tools show mcp:clock/now\nguild tools show mcp:clock/know\n\
                  guild tools list --provider smith\nguild servers list\n";
    expect_file!["servers/tools.txt"].assert_eq(&session(&env, script));
}

#[test]
fn servers_of_another_program_are_taken_over_without_their_secrets() {
    let env = env(THEIRS);
    let script = "guild servers import claude-code --dry-run\nguild servers import claude-code\n\
                  guild servers import claude-code\nguild servers import codex --project\nguild servers import zed\n\
                  guild servers import netscape\nguild servers list\n";
    let told = session(&env, script);
    assert!(!told.contains("s3cret") && !told.contains("b3arer"), "{told}");
    expect_file!["servers/import.txt"].assert_eq(&told);
    let kept = std::fs::read_to_string(env.home().join(".config/guild/config.toml")).unwrap();
    assert!(kept.starts_with("# mine\nbuiltins = false\n"), "{kept}");
    assert!(!kept.contains("s3cret") && !kept.contains("b3arer"), "{kept}");
}

const THEIRS: &str = r#"
//- /home/.config/guild/config.toml
# mine
builtins = false
[mcp.servers.clock]
command = "clock"
//- /home/.claude.json
{
  // comments are allowed
  "mcpServers": {
    "guild": {"command": "guild", "args": ["mcp"]},
    "Bug Tracker": {"command": "npx", "args": ["-y", "tracker"], "env": {"TRACKER_TOKEN": "s3cret"}},
    "weather": {"type": "http", "url": "https://weather.example/mcp", "headers": {"Authorization": "Bearer b3arer"}},
    "clock": {"command": "other-clock"},
    "odd": {}
  }
}
//- /project/.git/
//- /project/.codex/config.toml
[mcp_servers.lint]
command = "lint-mcp"
"#;
