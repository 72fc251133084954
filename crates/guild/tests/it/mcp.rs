//! `guild mcp` as an agent's program talks to it: both eras of the protocol, with a person who approves, declines or is asked elsewhere.

mod changes;
mod chosen;
mod client;
mod manage;
mod streams;

use crate::{env, envelope};
pub(crate) use client::Client;
use expect_test::{Expect, expect};
use guild_testkit::Env;
use serde_json::{Value as Json, json};

const SKILLS: &str = r#"
//- /home/.config/guild/config.toml
builtins = false
[agents.intern]
skills = []
//- /project/.git/
//- /project/.guild/skills/greet/SKILL.md
---
name: greet
description: Greets somebody by name
script: greet.sh
params:
  who: {type: string, required: true}
---
Greet them.
//- /project/.guild/skills/greet/greet.sh
echo "hello $2"
//- /project/.guild/skills/greet/references/manners.md
Be kind.
//- /project/.guild/skills/loud/SKILL.md
---
name: loud
description: Prints a great deal
script: loud.sh
---
Loud.
//- /project/.guild/skills/loud/loud.sh
seq 30000
//- /project/.guild/skills/slow/SKILL.md
---
name: slow
description: Takes its time
script: slow.sh
---
Slow.
//- /project/.guild/skills/slow/slow.sh
echo begun
sleep 600
"#;

fn greet(who: &str) -> Json {
    json!({"name": "skill_run", "arguments": {"name": "greet", "input": {"who": who}}})
}

/// What a model reads, and the code that a program reads.
fn told(result: &Json) -> String {
    let text = result["content"][0]["text"].as_str().unwrap_or_default();
    format!("[{}] {text}", result["structuredContent"]["code"].as_str().unwrap_or("?"))
}

/// A text in which ids do not differ from run to run: `apr_` and 26 letters become `apr_[ID]`.
fn unnumbered(text: &str) -> String {
    let mut shown = String::new();
    for part in text.split_inclusive('_') {
        let is_id =
            |part: &str| part.len() >= 26 && part.bytes().take(26).all(|byte| byte.is_ascii_alphanumeric());
        match part {
            id if shown.ends_with('_') && is_id(id) => shown.extend(["[ID]", &id[26..]]),
            other => shown.push_str(other),
        }
    }
    shown
}

#[track_caller]
fn check(result: &Json, expected: &Expect) {
    expected.assert_eq(&unnumbered(&told(result)));
}

#[test]
fn three_tools_are_all_that_a_model_is_told_of_however_many_skills_there_are() {
    let env = env(SKILLS);
    let mut client = Client::stateless(&env, "default");
    let tools = client.call("tools/list", json!({}))["tools"].clone();
    let names: Vec<&str> =
        tools.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["skill_search", "skill_load", "skill_run"]);
    // 350 tokens, of which JSON like this has one in three and a half characters.
    assert!(tools.to_string().len() < 350 * 7 / 2, "{}", tools.to_string().len());
    for tool in tools.as_array().unwrap() {
        assert!(
            tool["annotations"]["readOnlyHint"].is_boolean() && tool["outputSchema"].is_object(),
            "{tool}"
        );
    }
}

#[test]
fn skills_are_found_and_read_and_what_an_agent_may_not_have_is_not() {
    let env = env(SKILLS);
    let mut client = Client::stateless(&env, "default");
    check(
        &client.tool("skill_search", json!({"query": "greets"})),
        &expect![[r#"
        [ok] 1 skill; `skill_load` reads one:
        - greet (script): Greets somebody by name"#]],
    );
    check(
        &client.tool("skill_search", json!({"query": "cathedral"})),
        &expect!["[ok] No skill is about that."],
    );
    check(
        &client.tool("skill_load", json!({"name": "greet"})),
        &expect![[r#"
        [ok] # Skill: greet
        > Greets somebody by name
        (scope: project · [ROOT]/project/.guild/skills/greet/SKILL.md)

        Greet them."#]],
    );
    check(
        &client.tool("skill_load", json!({"name": "greet", "file": "references/manners.md"})),
        &expect![[r#"
        [ok] Be kind.
    "#]],
    );
    check(
        &client.tool("skill_load", json!({"name": "greet", "file": "../../../secret"})),
        &expect![
            "[path_not_found] path_not_found: skill `greet` has no file `../../../secret`; `list_skill_files` lists them"
        ],
    );
    check(
        &client.tool("skill_load", json!({"name": "gret"})),
        &expect!["[skill_not_found] skill_not_found: skill `gret` not found; did you mean `greet`?"],
    );
    check(
        &client.tool("skill_load", json!({"nam": "greet"})),
        &expect!["[usage] usage: the arguments do not fit: missing field `name`"],
    );
    let mut intern = Client::stateless(&env, "intern");
    check(&intern.tool("skill_search", json!({"query": "greets"})), &expect!["[ok] No skill is about that."]);
    check(
        &intern.tool("skill_load", json!({"name": "greet"})),
        &expect![
            "[skill_not_invocable] skill_not_invocable: skill `greet` is not among those of agent `intern`; `guild list --agent intern` shows them"
        ],
    );
}

#[test]
fn a_person_is_asked_through_a_client_that_has_shaken_hands() {
    let env = env(SKILLS);
    let mut client = Client::shaking_hands(&env, "2025-06-18", json!({"elicitation": {}}));
    let question = client.begin("tools/call", greet("you"));
    check_question(&question["params"]);
    check(
        &client.answer(&question, json!({"action": "accept", "content": {"decision": "run it once"}})),
        &expect![[r#"
        [ok] hello you
    "#]],
    );
    let again = client.begin("tools/call", greet("you"));
    check(
        &client.answer(&again, json!({"action": "decline"})),
        &expect![
            "[not_confirmed] not_confirmed: the person did not approve it; `guild approve apr_[ID]` still can"
        ],
    );
    let again = client.begin("tools/call", greet("you"));
    check(
        &client
            .answer(&again, json!({"action": "accept", "content": {"decision": "never run this version"}})),
        &expect!["[approval_denied] approval_denied: the person has denied the skill in this state"],
    );
    check(
        &client.call("tools/call", greet("you")),
        &expect![
            "[approval_denied] approval_denied: a person has denied skill `greet` in this state (grt_[ID]); `guild grants lift grt_[ID]` takes that back"
        ],
    );
    assert_sound(&env);
}

#[test]
fn a_person_is_asked_through_a_client_without_a_handshake() {
    let env = env(SKILLS);
    let mut client = Client::stateless(&env, "default");
    let asked = client.call("tools/call", greet("you"));
    check_question(&asked["inputRequests"]["approval"]["params"]);
    let round = |state: &Json, answer: Json| {
        let mut call = greet("you");
        call["requestState"] = state.clone();
        call["inputResponses"] = json!({"approval": answer});
        call
    };
    let yes = json!({"action": "accept", "content": {"decision": "run it once"}});
    let state = &asked["requestState"];
    check(
        &client.call("tools/call", round(state, json!({"action": "accept", "content": {}}))),
        &expect![
            "[not_confirmed] not_confirmed: the person did not approve it; `guild approve apr_[ID]` still can"
        ],
    );
    let forged = json!(format!("{}AA", state.as_str().unwrap().trim_end_matches("AA")));
    check(
        &client.call("tools/call", round(&forged, yes.clone())),
        &expect![
            "[not_confirmed] not_confirmed: the answer belongs to no question of this server, or to another call, or comes too late; call again"
        ],
    );
    let mut foreign = greet("somebody else");
    foreign["requestState"] = state.clone();
    foreign["inputResponses"] = json!({"approval": yes});
    check(
        &client.call("tools/call", foreign),
        &expect![
            "[not_confirmed] not_confirmed: the answer belongs to no question of this server, or to another call, or comes too late; call again"
        ],
    );
    check(
        &Client::stateless(&env, "other").call("tools/call", round(state, yes.clone())),
        &expect![
            "[not_confirmed] not_confirmed: the answer belongs to no question of this server, or to another call, or comes too late; call again"
        ],
    );
    check(
        &client.call("tools/call", round(state, yes.clone())),
        &expect![[r#"
        [ok] hello you
    "#]],
    );
    // The same answer again decides nothing, and what it was about is asked anew.
    check(
        &client.call("tools/call", round(state, yes)),
        &expect!["[already_decided] already_decided: apr_[ID] was answered before"],
    );
    assert_eq!(client.call("tools/call", greet("you"))["resultType"], "input_required");
    assert_sound(&env);
}

#[test]
fn a_client_that_cannot_ask_leaves_the_question_to_a_terminal() {
    let env = env(SKILLS);
    let mut client = Client::shaking_hands(&env, "2025-03-26", json!({}));
    let waits = client.call("tools/call", greet("you"));
    check(
        &waits,
        &expect![
            "[approval_required] approval_required: a person must approve it first; `guild approve apr_[ID]` answers. Tell the user, and call again with the same arguments once they have answered `guild approve apr_[ID]`."
        ],
    );
    let request = waits["structuredContent"]["data"]["request"].as_str().unwrap();
    assert_eq!(env.guild(&["approve", request, "--once"]).code(), Some(0));
    check(
        &client.call("tools/call", greet("you")),
        &expect![[r#"
        [ok] hello you
    "#]],
    );
    let always = client.call("tools/call", greet("you"))["structuredContent"]["data"]["request"].clone();
    assert_eq!(env.guild(&["approve", always.as_str().unwrap(), "--always"]).code(), Some(0));
    check(
        &client.call("tools/call", greet("them")),
        &expect![[r#"
        [ok] hello them
    "#]],
    );
}

#[test]
fn what_is_too_long_for_a_model_is_a_resource_of_the_agent_whose_run_it_was() {
    let env = env(SKILLS);
    let mut client = Client::stateless(&env, "default");
    let call = json!({"name": "skill_run", "arguments": {"name": "loud"}});
    let waits = client.approved(call);
    let data = &waits["structuredContent"]["data"];
    assert!(waits.to_string().len() < 40_000 && data["truncated"] == true, "{}", waits.to_string().len());
    let link = waits["content"]
        .as_array()
        .unwrap()
        .iter()
        .find(|content| content["type"] == "resource_link")
        .unwrap();
    let uri = link["uri"].as_str().unwrap();
    let whole = client.call("resources/read", json!({"uri": uri}));
    assert!(whole["contents"][0]["text"].as_str().unwrap().ends_with("29999\n30000\n"));
    let refused = Client::stateless(&env, "other").error("resources/read", json!({"uri": uri}));
    assert_eq!(refused["code"], -32602, "{refused}");
}

#[test]
fn skills_are_resources_by_the_digests_that_approvals_know() {
    let env = env(SKILLS);
    let mut client = Client::stateless(&env, "default");
    let skills = client.call("skills/list", json!({}))["skills"].clone();
    let greet = skills
        .as_array()
        .unwrap()
        .iter()
        .find(|skill| skill["uri"] == "skill://greet/SKILL.md")
        .unwrap()
        .clone();
    assert_eq!(client.call("skills/get", json!({"uri": "skill://greet/SKILL.md"}))["skill"], greet);
    assert_eq!(greet["frontmatter"]["params"]["who"]["required"], true);
    let payload = envelope(&env.guild(&["hash", "greet", "--json"]).stdout())["data"]["payload"].clone();
    let hashed = payload.to_string();
    for file in greet["resources"].as_array().unwrap() {
        assert!(hashed.contains(file["digest"].as_str().unwrap()), "{file}: {hashed}");
        let read = client.call("resources/read", json!({"uri": file["uri"]}))["contents"][0]["text"].clone();
        assert_eq!(read.as_str().unwrap().len(), file["size"], "{file}");
    }
    let children =
        client.call("resources/directory/read", json!({"uri": "skill://greet"}))["resources"].clone();
    let names: Vec<&Json> = children.as_array().unwrap().iter().map(|child| &child["name"]).collect();
    assert_eq!(json!(names), json!(["SKILL.md", "greet.sh", "references"]));
    for (method, uri) in [
        ("skills/get", "skill://nobody/SKILL.md"),
        ("resources/directory/read", "skill://greet/greet.sh"),
        ("resources/read", "skill://greet/../../secret"),
        ("resources/read", "file:///etc/passwd"),
    ] {
        assert_eq!(client.error(method, json!({"uri": uri}))["code"], -32602, "{method} {uri}");
    }
}

#[test]
fn skills_that_people_call_are_prompts() {
    let env = env(SKILLS);
    let mut client = Client::stateless(&env, "default");
    let prompts = client.call("prompts/list", json!({}))["prompts"].clone();
    let names: Vec<&Json> = prompts.as_array().unwrap().iter().map(|prompt| &prompt["name"]).collect();
    assert_eq!(json!(names), json!(["greet", "loud", "slow"]));
    let got = client.call("prompts/get", json!({"name": "greet", "arguments": {"arguments": "a friend"}}));
    assert!(
        got["messages"][0]["content"]["text"]
            .as_str()
            .unwrap()
            .ends_with("Greet them.\n\nArguments: a friend"),
        "{got}"
    );
    let reference = json!({"ref": {"type": "ref/resource", "uri": "skill://{+skill}/{+file}"}, "argument": {"name": "skill", "value": "gr"}});
    assert_eq!(client.call("completion/complete", reference)["completion"]["values"], json!(["greet"]));
}

#[test]
fn a_skill_that_comes_is_told_of_in_both_eras() {
    let env = env(SKILLS);
    let mut old = Client::shaking_hands(&env, "2025-11-25", json!({}));
    let mut new = Client::stateless(&env, "default");
    new.listen(json!({"resourcesListChanged": true, "toolsListChanged": true}));
    env.write(
        "//- /project/.guild/skills/late/SKILL.md\n---\nname: late\ndescription: Came late\n---\nLate.\n",
    );
    for client in [&mut old, &mut new] {
        client.until("notifications/resources/list_changed");
        let found = told(&client.tool("skill_search", json!({"query": "late"})));
        assert_eq!(found, "[ok] 1 skill; `skill_load` reads one:\n- late (inline): Came late");
    }
}

#[test]
fn a_resource_that_is_watched_is_told_of_when_its_skill_changes() {
    let env = env(SKILLS);
    let mut old = Client::shaking_hands(&env, "2025-06-18", json!({}));
    for (method, uri) in [
        ("resources/subscribe", "skill://greet/SKILL.md"),
        ("resources/subscribe", "skill://greet/greet.sh"),
        ("resources/subscribe", "skill://loud/SKILL.md"),
        ("resources/unsubscribe", "skill://greet/greet.sh"),
    ] {
        old.call(method, json!({"uri": uri}));
    }
    let mut new = Client::stateless(&env, "default");
    new.listen(json!({"resourceSubscriptions": ["skill://loud/SKILL.md", "skill://greet/SKILL.md"]}));
    let greet = "---\nname: greet\ndescription: Greets otherwise\n---\nGreet them otherwise.\n";
    env.write(&format!("//- /project/.guild/skills/greet/SKILL.md\n{greet}"));
    for client in [&mut old, &mut new] {
        let told = client.until("notifications/resources/updated");
        assert_eq!(told["params"]["uri"], "skill://greet/SKILL.md");
    }
    // What was watched no more, and what has not changed, would have been told before anything that comes now.
    env.write(
        "//- /project/.guild/skills/loud/SKILL.md\n---\nname: loud\ndescription: Prints less\n---\nLoud.\n",
    );
    for client in [&mut old, &mut new] {
        let told = client.until("notifications/resources/updated");
        assert_eq!(told["params"]["uri"], "skill://loud/SKILL.md");
    }
}

#[test]
fn a_run_that_is_taken_back_ends_and_is_written_down() {
    let env = env(SKILLS);
    let mut client = Client::shaking_hands(&env, "2025-06-18", json!({"elicitation": {}}));
    let mut call = json!({"name": "skill_run", "arguments": {"name": "slow"}});
    call["_meta"] = json!({"progressToken": "p"});
    let question = client.begin("tools/call", call);
    client.reply(&question, json!({"action": "accept", "content": {"decision": "run it once"}}));
    let said = client.until_progress("begun");
    assert_eq!(said["params"]["progressToken"], "p", "{said}");
    client.cancel_last();
    check(
        &client.tool("skill_search", json!({"query": "greets"})),
        &expect![[r#"
        [ok] 1 skill; `skill_load` reads one:
        - greet (script): Greets somebody by name"#]],
    );
    let receipts = env.guild(&["receipts", "list", "--json"]).stdout();
    let kinds: Vec<Json> = envelope(&receipts)["data"]["receipts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|receipt| receipt["kind"].clone())
        .collect();
    assert_eq!(json!(kinds), json!(["interrupted", "started", "decision", "asked"]), "{receipts}");
}

#[test]
fn a_client_that_talks_nonsense_harms_nobody_but_itself() {
    let env = env(SKILLS);
    let mut client = Client::stateless(&env, "default");
    client.call("tools/list", json!({}));
    for line in [
        "",
        "{",
        "[]",
        "null",
        "\u{0}",
        r#"{"jsonrpc":"1.0","id":1,"method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","method":"tools/call"}"#,
    ] {
        client.say(line);
    }
    client.say(&json!({"jsonrpc": "2.0", "id": "deep", "method": "tools/call", "params": {"name": "skill_run", "arguments": "no object"}}).to_string());
    client.say(&format!(r#"{{"jsonrpc":"2.0","id":"long","method":"{}"}}"#, "x".repeat(1 << 20)));
    check(
        &client.tool("skill_load", json!({"name": "greet", "arguments": "no list"})),
        &expect![[
            r#"[usage] usage: the arguments do not fit: invalid type: string "no list", expected a sequence"#
        ]],
    );
    assert!(client.error("tools/call", json!({"name": "no_such_tool"}))["message"].is_string());
    check(
        &client.tool("skill_search", json!({"query": "greets"})),
        &expect![[r#"
        [ok] 1 skill; `skill_load` reads one:
        - greet (script): Greets somebody by name"#]],
    );
}

/// The same question in both eras.
#[track_caller]
fn check_question(params: &Json) {
    expect![[r#"
        An agent asks to run a skill.

        action      run
        agent       default
        skill       greet
        workspace   [ROOT]/project
        source      project · [ROOT]/project/.guild/skills/greet/SKILL.md
        command     bash -lc 'cd /skill && bash greet.sh --who you'
        parameter   who = "you"
        needs       workspace: read
        needs       network: none
        needs       limits: 600 s, 1 CPU, 512 MB, 128 processes
        {"type":"object","properties":{"decision":{"type":"string","enum":["run it once","do not run it","never run this version"]}},"required":["decision"]}"#]]
    .assert_eq(&shown(params));
}

/// The question as a person reads it, without what differs from run to run.
fn shown(params: &Json) -> String {
    let message = params["message"].as_str().unwrap();
    let stable = message.lines().filter(|line| {
        !line.starts_with("hash ") && !line.starts_with("expires ") && !line.starts_with("needs       image")
    });
    format!("{}\n{}", stable.collect::<Vec<_>>().join("\n"), params["requestedSchema"])
}

#[track_caller]
fn assert_sound(env: &Env) {
    assert_eq!(env.guild(&["receipts", "verify"]).code(), Some(0));
}

#[test]
fn a_known_method_with_parameters_that_do_not_fit_is_not_told_to_be_unknown() {
    let env = env("//- /project/.git/\n");
    let mut client = Client::stateless(&env, "default");
    for method in ["tools/call", "prompts/get", "resources/read", "completion/complete"] {
        assert_eq!(client.error(method, json!({}))["code"], -32602, "{method}");
    }
    assert_eq!(client.error("tools/nothing", json!({}))["code"], -32601);
}
