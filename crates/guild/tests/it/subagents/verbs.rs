//! The verbs that agents have by MCP: `review` and `security_review`, where the skill, its enablement and a runner exist.

use super::{SKILLS, says};
use crate::env;
use crate::mcp::Client;
use guild_testkit::{Env, ModelServer};
use serde_json::{Value as Json, json};

fn house(server: &ModelServer, more: &str) -> Env {
    let env = env(SKILLS);
    env.write(&format!(
        "//- /home/.config/guild/config.toml\n{more}\n[runners.local]\nprotocol = \"anthropic\"\nurl = \"{}\"\nmodel = \"small\"\n",
        server.url()
    ));
    env
}

fn names(client: &mut Client) -> Vec<String> {
    let listed = client.call("tools/list", json!({}));
    let tools = listed["tools"].as_array().unwrap();
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

const PLAIN: [&str; 3] = ["skill_search", "skill_load", "skill_run"];

#[test]
fn a_verb_is_there_where_skill_enablement_and_runner_are() {
    let server = ModelServer::start([]);
    let both = [&PLAIN[..], &["review", "security_review"]].concat();
    assert_eq!(names(&mut Client::stateless(&house(&server, ""), "default")), both);
    assert_eq!(names(&mut Client::stateless(&house(&server, "builtins = false"), "default")), PLAIN);
    let off = house(&server, "skills = {disabled = [\"review\"]}");
    assert_eq!(names(&mut Client::stateless(&off, "default")), [&PLAIN[..], &["security_review"]].concat());
    let inline = house(&server, "");
    inline.write(
        "//- /project/.guild/skills/review/SKILL.md\n---\nname: review\ndescription: Ours\n---\nReview it.\n",
    );
    assert_eq!(
        names(&mut Client::stateless(&inline, "default")),
        [&PLAIN[..], &["security_review"]].concat()
    );
    let nobody = env(SKILLS);
    assert_eq!(names(&mut Client::stateless(&nobody, "default")), PLAIN);
    let narrow = house(&server, "agents = {small = {skills = [\"ask\"]}}");
    assert_eq!(names(&mut Client::stateless(&narrow, "small")), PLAIN);
}

#[test]
fn an_agent_calls_a_verb_once_a_person_has_approved_it() {
    let server = ModelServer::start([says("No defects.")]);
    let env = house(&server, "");
    let mut client = Client::stateless(&env, "default");
    let blank: Json = client.call("tools/call", json!({"name": "review", "arguments": {"task": " "}}));
    assert!(blank.to_string().contains("requires a non-empty `task`"), "{blank}");
    assert!(server.asked().is_empty());
    let told = client.approved(json!({"name": "review", "arguments": {"task": "the last change"}}));
    assert_eq!(told["structuredContent"]["data"]["output"], "No defects.", "{told}");
    let asked = server.asked()[0].body.to_string();
    assert!(asked.contains("Review a change") && asked.contains("builtin_read_file"), "{asked}");
}
