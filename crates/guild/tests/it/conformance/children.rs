//! The ways of a child agent: asked for, approved, answered, failed, out of budget; its calls of tools, each with its receipt.

use super::world::WORLD;
use super::{data, shown};
use crate::env;
use expect_test::expect;
use guild_testkit::{Env, ModelServer, ModelTurn};
use serde_json::json;

fn world(turns: Vec<ModelTurn>) -> (Env, ModelServer) {
    let server = ModelServer::start(turns);
    let env = env(WORLD);
    env.write(&format!(
        "//- /home/.config/guild/config.toml\nbuiltins = false\n[runners.local]\nprotocol = \"anthropic\"\nurl = \"{}\"\nmodel = \"small\"\nmax_steps = 2\n\
         //- /project/.guild/skills/child/SKILL.md\n---\nname: child\ndescription: Asks somebody else\nrunAs: subagent\n\
         allowed-tools: Read add\ncapabilities: {{declared_tools: [\"builtin:add\", \"builtin:multiply\"]}}\n---\nAnswer shortly.\n",
        server.url()
    ));
    (env, server)
}

fn calls(name: &str, input: serde_json::Value) -> ModelTurn {
    ModelTurn::Calls(vec![(name.to_owned(), input)])
}

#[test]
fn a_child_agent_runs_once_approved_and_every_call_of_it_leaves_a_receipt() {
    let both = vec![
        ("builtin_read_file".to_owned(), json!({"path": "notes.txt"})),
        ("builtin_add".to_owned(), json!({"a": 2, "b": 3})),
    ];
    let (env, _server) = world(vec![ModelTurn::Calls(both), ModelTurn::Says("five".to_owned())]);
    expect![[r#"
        $ guild run child --task 'how many?'
        [stderr]
        error[approval_required]: a person must approve it first; `guild approve [APR 1]` answers
        [exit 3]
        $ guild run child --task 'how many?' --approve once
        five
        [stderr]
        child: asks small (step 1)
        child: calls builtin:read_file
        child: calls builtin:add
        child: asks small (step 2)
        $ guild run child --task 'how many?'
        [stderr]
        error[approval_required]: a person must approve it first; `guild approve [APR 1]` answers
        [exit 3]
        $ guild receipts list
        ID                              AT                        KIND      CODE               AGENT    SKILL
        [RCP 1]  [TIME]  asked     approval_required  default  child
        [RCP 2]  [TIME]  finished  ok                 default  child
        [RCP 3]  [TIME]  load      ok                 default  subagent:child/builtin:add
        [RCP 4]  [TIME]  load      ok                 default  child
        [RCP 5]  [TIME]  started   ok                 default  child
        [RCP 6]  [TIME]  decision  run_once           default  child
        [RCP 7]  [TIME]  asked     approval_required  default  child
        [stderr]
        7 receipts
        $ guild receipts verify
        [stderr]
        7 receipts verified
    "#]]
    .assert_eq(&shown(
        &env,
        "guild run child --task 'how many?'\n\
         guild run child --task 'how many?' --approve once\n\
         guild run child --task 'how many?'\n\
         guild receipts list\n\
         guild receipts verify",
    ));
}

#[test]
fn what_a_child_agent_may_not_have_it_does_not_get() {
    let (env, server) =
        world(vec![calls("builtin_multiply", json!({"a": 2, "b": 3})), ModelTurn::Says("no".to_owned())]);
    let told = data(&env, &["child", "--task", "multiply", "--approve", "once"]);
    assert_eq!((&told["code"], &told["data"]["output"]), (&json!("ok"), &json!("no")), "{told}");
    assert!(server.asked()[1].body.to_string().contains("there is no tool `builtin_multiply`"));
}

#[test]
fn how_a_child_agent_fails_has_a_code_of_its_own() {
    let add = || calls("builtin_add", json!({"a": 1, "b": 1}));
    let cases = [
        (vec![ModelTurn::Says(" ".to_owned())], "subagent_failed"),
        (vec![add(), add()], "subagent_exhausted"),
        (vec![ModelTurn::Refuses(401, "", String::new())], "subagent_unavailable"),
        (vec![ModelTurn::Silent], "subagent_timed_out"),
    ];
    for (turns, code) in cases {
        let (env, _server) = world(turns);
        let told = data(&env, &["child", "--task", "x", "--timeout", "2s", "--approve", "once"]);
        assert_eq!(told["code"], code, "{told}");
        assert_eq!((&told["data"]["kind"], &told["data"]["exit_code"]), (&json!("subagent"), &json!(-1)));
        assert!(told["data"]["receipt"].is_string() && told["data"]["transcript"].is_string(), "{told}");
    }
}
