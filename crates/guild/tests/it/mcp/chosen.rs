//! Skills that a person has chosen to be tools of their own.

use super::client::Client;
use super::{SKILLS, check, check_question, told, unnumbered};
use crate::env;
use expect_test::expect;
use guild_testkit::Env;
use serde_json::{Value as Json, json};

/// The same skills, and a person who wants some of them as tools.
fn choosing(chosen: &str, more: &str) -> Env {
    let configured =
        SKILLS.replace("builtins = false\n", &format!("builtins = false\n[mcp]\nskills = {chosen}\n"));
    env(&format!("{configured}{more}"))
}

fn tools(client: &mut Client) -> Vec<Json> {
    let tools = client.call("tools/list", json!({}))["tools"].as_array().unwrap().clone();
    tools
        .into_iter()
        .filter(|tool| !guild_engine::OWN_TOOLS.contains(&tool["name"].as_str().unwrap()))
        .collect()
}

fn names(client: &mut Client) -> String {
    let tools = tools(client);
    tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect::<Vec<_>>().join(" ")
}

const PLUGIN: &str = r#"
//- /project/.guild/plugins/release-kit/plugin.json
{"name": "release-kit", "description": "Releases"}
//- /project/.guild/plugins/release-kit/skills/cut/SKILL.md
---
name: cut
description: Cuts a release
when_to_use: When somebody says so.
---
Cut it: $ARGUMENTS
//- /project/.guild/plugins/release-kit/skills/tell/SKILL.md
---
name: tell
description: Tells of a release
---
Tell.
"#;

const ALIKE: &str = r"
//- /project/.guild/skills/release_kit-cut/SKILL.md
---
name: release_kit-cut
description: Another
---
Another.
//- /project/.guild/skills/search/SKILL.md
---
name: search
description: Searches elsewhere
---
Search.
";

#[test]
fn a_chosen_skill_is_a_tool_with_its_contract_and_runs_as_any_skill_does() {
    let env = choosing(r#"["greet"]"#, "");
    let mut client = Client::stateless(&env, "default");
    let tools = tools(&mut client);
    expect![[r#"
        [
          {
            "name": "skill_greet",
            "title": "greet",
            "description": "Greets somebody by name",
            "inputSchema": {
              "type": "object",
              "properties": {
                "who": {
                  "type": "string"
                }
              },
              "required": [
                "who"
              ],
              "additionalProperties": true
            },
            "outputSchema": {
              "type": "object",
              "required": [
                "status",
                "code",
                "message",
                "data"
              ]
            },
            "annotations": {
              "readOnlyHint": true,
              "destructiveHint": false,
              "openWorldHint": false
            }
          }
        ]"#]]
    .assert_eq(&serde_json::to_string_pretty(&tools).unwrap());
    let call = json!({"name": "skill_greet", "arguments": {"who": "you"}});
    check_question(&client.call("tools/call", call.clone())["inputRequests"]["approval"]["params"]);
    check(
        &client.approved(call),
        &expect![[r#"
        [ok] hello you
    "#]],
    );
    check(
        &client.tool("skill_greet", json!({"whom": "you"})),
        &expect!["[invalid_params] invalid_params: missing required param `who`"],
    );
}

#[test]
fn a_plugin_gives_all_its_skills_and_an_agent_has_those_that_it_may_have() {
    let env = choosing(r#"["release-kit:*", "greet"]"#, PLUGIN);
    let mut client = Client::stateless(&env, "default");
    assert_eq!(names(&mut client), "skill_greet skill_release_kit_cut skill_release_kit_tell");
    check(
        &client.tool("skill_release_kit_cut", json!({"arguments": ["2.0", "now"]})),
        &expect![[r#"
        [ok] # Skill: release-kit/cut
        > Cuts a release
        (scope: plugin · [ROOT]/project/.guild/plugins/release-kit/skills/cut/SKILL.md)

        Cut it: 2.0 now"#]],
    );
    check(
        &client.tool("skill_release_kit_cut", json!({"arguments": "2.0"})),
        &expect![[
            r#"[usage] usage: the arguments do not fit: invalid type: string "2.0", expected a sequence"#
        ]],
    );
    let mut intern = Client::stateless(&env, "intern");
    assert_eq!(names(&mut intern), "");
    let missing = intern.error("tools/call", json!({"name": "skill_greet", "arguments": {"who": "you"}}));
    assert_eq!(missing["message"], "there is no tool `skill_greet`");
}

#[test]
fn skills_that_would_be_tools_of_one_name_are_none_and_that_is_told() {
    let env =
        choosing(r#"["release-kit:*", "release_kit-cut", "search", "gret"]"#, &format!("{PLUGIN}{ALIKE}"));
    let mut client = Client::stateless(&env, "default");
    assert_eq!(names(&mut client), "skill_release_kit_tell");
    check(
        &client.tool("skill_release_kit_cut", json!({})),
        &expect![
            "[tool_conflict] tool_conflict: `release-kit/cut` and `release_kit-cut` would both be the tool `skill_release_kit_cut`, so neither is"
        ],
    );
    // Its own tool is what it was.
    assert!(told(&client.tool("skill_search", json!({"query": "greets"}))).contains("1 skill"));
    let checked = env.guild(&["check"]).stdout();
    let said: Vec<&str> = checked.lines().filter(|line| line.contains("config_")).collect();
    expect![[r#"
        [ROOT]/home/.config/guild/config.toml:1:1: warning[config_value_invalid]: `mcp.skills` names `gret`, and there is no such skill
        [ROOT]/home/.config/guild/config.toml:1:1: warning[config_tool_conflict]: `release-kit/cut` and `release_kit-cut` would both be the tool `skill_release_kit_cut`, so neither is
        [ROOT]/home/.config/guild/config.toml:1:1: warning[config_tool_conflict]: `search` cannot be the tool `skill_search`: Guildhall's own tool is named so"#]].assert_eq(&unnumbered(&said.join("\n")));
    let mut started = env.invocation(&["mcp"]).converse();
    let warned: Vec<String> = (0..3).map(|_| started.error_line()).collect();
    expect![[r#"
        warning: config_value_invalid: `mcp.skills` names `gret`, and there is no such skill

        warning: config_tool_conflict: `release-kit/cut` and `release_kit-cut` would both be the tool `skill_release_kit_cut`, so neither is

        warning: config_tool_conflict: `search` cannot be the tool `skill_search`: Guildhall's own tool is named so
    "#]].assert_eq(&warned.join("\n"));
}

#[test]
fn clients_are_told_when_the_tools_are_others() {
    let env = choosing(r#"["greet", "newcomer"]"#, "");
    let mut modern = Client::stateless(&env, "default");
    let mut earlier = Client::shaking_hands(&env, "2025-06-18", json!({}));
    assert_eq!(names(&mut earlier), "skill_greet");
    modern.listen(json!({"toolsListChanged": true}));
    env.write(
        "//- /project/.guild/skills/newcomer/SKILL.md\n---\nname: newcomer\ndescription: Has come\n---\nHere.\n",
    );
    modern.until("notifications/tools/list_changed");
    earlier.until("notifications/tools/list_changed");
    assert_eq!(names(&mut earlier), "skill_greet skill_newcomer");
}
