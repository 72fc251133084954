//! What others ask of the configuration: is a skill on, does a dotted path hold.

use super::super::Layer::{self, Project, System, User};
use super::layered;

#[test]
fn a_skill_is_off_under_any_of_its_names() {
    let (config, _) = layered(&[(
        User,
        "[skills]\ndisabled = ['a', 'p:b']\n[skills.entries.c]\ninject = true\nenabled = true",
    )]);
    for (names, enabled, injected) in [
        (&["a"][..], false, false),
        (&["x", "a"], false, false),
        (&["p/b"], false, false),
        (&["p:b"], false, false),
        (&["b"], true, false),
        (&["c"], true, true),
        (&["d", "c"], true, true),
        (&[], true, false),
    ] {
        assert_eq!((config.is_enabled(names), config.is_injected(names)), (enabled, injected), "{names:?}");
    }
}

const FREE: &str = r#"
[config]
zero = 0
nought = 0.0
one = -1
empty = ""
word = "false"
list = []
full = [0]
table = {}
off = false
"dotted.key" = true
browser = { enabled = true, botToken = "x", deep = { er = { yes = 1.5 } } }
[skills.entries.s]
config = { key = "x", none = "" }
[skills.entries."s.t"]
enabled = false
config = { key = 1 }
"#;

#[track_caller]
fn check_paths(holds: bool, paths: &str) {
    let (config, problems) = layered(&[(User, FREE)]);
    assert_eq!(problems, []);
    for path in paths.split(' ') {
        assert_eq!(config.truthy(path), holds, "{path}");
    }
}

#[test]
fn a_dotted_path_holds_where_its_value_says_something() {
    check_paths(true, "one word full browser browser.enabled browser.bot_token browser.deep.er.yes");
    check_paths(false, "zero nought empty list table off");
}

#[test]
fn a_dotted_path_that_leads_nowhere_does_not_hold() {
    check_paths(false, " . gone browser. .browser browser.gone browser.enabled.more full.0 dotted.key");
}

#[test]
fn a_dotted_path_sees_the_settings_of_single_skills() {
    check_paths(true, "skills.entries.s.enabled skills.entries.s.config skills.entries.s.config.key");
    check_paths(true, "skills.entries.s.t.config.key");
    check_paths(false, "skills.entries.s.config.none skills.entries.s.inject skills.entries.s.t.enabled");
    check_paths(false, "skills.entries.gone.enabled skills.entries.s skills.entries");
}

/// Where the allowlist of the agent `a` is written, as `file:line`.
#[track_caller]
fn check_written(layers: &[(Layer, &str)], expected: Option<&str>) {
    let (config, _) = layered(layers);
    let written = config.agents.get("a").and_then(|agent| agent.written.as_ref());
    assert_eq!(written.map(|written| format!("{}:{}", written.file, written.at.line)).as_deref(), expected);
}

#[test]
fn an_allowlist_remembers_which_file_its_names_come_from() {
    let list = "[agents.a]\nskills = ['x', 'y']";
    let narrower = "# Fewer.\n[agents.a]\nskills = ['x']";
    check_written(&[(User, list)], Some("/home/u/c.toml:2"));
    check_written(&[(System, list), (User, narrower)], Some("/home/u/c.toml:3"));
    check_written(&[(System, list), (User, "[agents.a]")], Some("/etc/g/c.toml:2"));
    check_written(&[(User, list), (Project, narrower)], Some("/home/u/c.toml:2"));
    check_written(&[(User, "[agents.a]\nskills = ['*']"), (Project, narrower)], Some("guild.toml:3"));
    check_written(&[(Project, narrower)], Some("guild.toml:3"));
    check_written(&[(User, "[agents.default]\nskills = ['x']"), (Project, list)], Some("/home/u/c.toml:2"));
    check_written(&[(User, "[agents.a]")], None);
}
