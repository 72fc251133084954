//! What a server notices by itself, whoever changes it: files of skills, of plugins and of the configuration, and what is switched.

use super::{Client, SKILLS, told};
use crate::env;
use guild_testkit::Env;
use serde_json::json;

/// What changes, and what an agent then finds among its skills.
type Case = (&'static str, fn(&Env), &'static [&'static str]);

const CASES: &[Case] = &[
    (
        "a directory that nobody had",
        |env| {
            env.write(
                "//- /project/.claude/skills/new/SKILL.md\n---\nname: new\ndescription: New\n---\nNew.\n",
            );
        },
        &["greet", "loud", "new", "slow"],
    ),
    (
        "a skill in it, in a group",
        |env| {
            env.write("//- /project/.claude/skills/group/more/SKILL.md\n---\nname: more\ndescription: More\n---\nMore.\n");
        },
        &["greet", "loud", "more", "new", "slow"],
    ),
    (
        "a skill that is switched off from another terminal",
        |env| assert_eq!(env.guild(&["disable", "loud"]).code(), Some(0)),
        &["greet", "more", "new", "slow"],
    ),
    (
        "a file of configuration that nobody had",
        |env| env.write("//- /project/guild.toml\n[skills]\ndisabled = [\"slow\"]\n"),
        &["greet", "more", "new"],
    ),
    (
        "a directory that is gone",
        |env| std::fs::remove_dir_all(env.join("project/.claude")).unwrap(),
        &["greet"],
    ),
    (
        "a plugin",
        |env| {
            env.write("//- /project/.guild/plugins/p/.claude-plugin/plugin.json\n{\"name\": \"p\", \"description\": \"p\"}\n//- /project/.guild/plugins/p/skills/s/SKILL.md\n---\nname: s\ndescription: S\n---\nS.\n");
        },
        &["greet", "p/s"],
    ),
];

#[test]
fn every_change_is_noticed_whoever_makes_it() {
    let env = env(SKILLS);
    env.write("//- /home/.config/guild/config.toml\nbuiltins = false\n[mcp]\ntools = \"all\"\n");
    let mut client = Client::shaking_hands(&env, "2025-11-25", json!({}));
    for (what, change, expected) in CASES {
        change(&env);
        client.until("notifications/resources/list_changed");
        let listed = client.tool("skill_list", json!({}));
        let lines =
            listed["content"][0]["text"].as_str().unwrap().lines().filter_map(|line| line.strip_prefix("- "));
        let names: Vec<&str> = lines.filter_map(|line| line.split(' ').next()).collect();
        assert_eq!(names, *expected, "{what}");
    }
}

/// It ran for up to a second longer, until the server looked again by itself.
#[test]
fn what_is_switched_off_in_another_terminal_does_not_run_once_more() {
    let env = env(SKILLS);
    let mut client = Client::shaking_hands(&env, "2025-11-25", json!({}));
    let approved = env.guild(&["run", "greet", "-p", "who=you", "--approve", "always"]);
    assert_eq!(approved.code(), Some(0), "{approved:?}");
    let mut run = || told(&client.tool("skill_run", json!({"name": "greet", "input": {"who": "you"}})));
    assert_eq!(run(), "[ok] hello you\n");
    assert_eq!(env.guild(&["disable", "greet"]).code(), Some(0));
    let refused = run();
    assert!(refused.starts_with("[skill_not_invocable]"), "{refused}");
    assert_eq!(env.guild(&["enable", "greet"]).code(), Some(0));
    assert_eq!(run(), "[ok] hello you\n");
}
