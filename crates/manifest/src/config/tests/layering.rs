//! Several files: owners override each other, lists add up, defaults fill the rest.

use super::super::Layer::{self, Project, System, User};
use super::super::{Allowlist, Config, merge};
use super::{check, layered};
use expect_test::{Expect, expect};

#[track_caller]
fn check_agents(layers: &[(Layer, &str)], agents: &[&str], expect: Expect) {
    let (config, _) = layered(layers);
    let shown: String = agents
        .iter()
        .map(|agent| format!("{agent}: {:?} {:?}\n", config.allowlist(agent), config.tools(agent)))
        .collect();
    expect.assert_eq(&shown);
}

#[test]
fn nothing_configured_is_the_defaults() {
    assert_eq!(merge(Vec::new()), Config::default());
    assert_eq!(Config::default().allowlist("anyone"), Allowlist::Everything);
    expect![[r#"
        {
          "skill_paths": [],
          "extra_skill_paths": [],
          "skills": {},
          "plugins": [],
          "plugin_paths": [],
          "extra_plugin_paths": [],
          "disabled_plugins": [],
          "agents": {
            "default": {
              "skills": "everything",
              "tools": null
            }
          },
          "builtins": true,
          "limits": {
            "max_file_bytes": 262144,
            "max_depth": 6,
            "max_entries": 1000000
          },
          "prompt": {
            "budget": 8000,
            "format": "xml"
          },
          "sandbox": {
            "backend": "auto",
            "role": "default",
            "roles": {
              "default": {
                "root": "host",
                "description": null
              }
            },
            "limits": "strict",
            "usage": {
              "cpus": 1.0,
              "memory_mb": 512,
              "pids": 128,
              "timeout_seconds": 600,
              "output_bytes": 1048576,
              "scratch_mb": 256
            },
            "ceilings": {
              "containers": 4,
              "cpus": 4.0,
              "memory_mb": 8192
            },
            "images": {
              "max_bytes": 17179869184,
              "max_files": 1000000,
              "insecure_registries": []
            }
          },
          "data": "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
          "sections": []
        }"#]]
    .assert_eq(&serde_json::to_string_pretty(&Config::default()).unwrap());
}

#[test]
fn a_users_file_overrides_the_systems() {
    check(
        &[
            (
                User,
                "builtins = true\n[skills.entries.a]\nenabled = true\n[limits]\nmax_depth = 9\n[prompt]\nformat = 'json'",
            ),
            (
                System,
                "builtins = false\n[skills]\ndisabled = ['a', 'b']\n[limits]\nmax_depth = 2\nmax_entries = 5\n[prompt]\nbudget = 9",
            ),
        ],
        expect![[r#"
            skills: {"a":{"enabled":true,"inject":false,"config":{}},"b":{"enabled":false,"inject":false,"config":{}}}
            limits: {"max_file_bytes":262144,"max_depth":9,"max_entries":5}
            prompt: {"budget":9,"format":"json"}
        "#]],
    );
}

#[test]
fn directories_and_plugins_add_up_the_nearest_first() {
    let text = |name: &str| {
        format!(
            "[skills]\npaths = ['{name}1', '{name}2']\n[plugins]\nload = ['{name}']\ndisabled = ['{name}']"
        )
    };
    let (config, problems) = layered(&[(System, &text("s")), (User, &text("u")), (Project, &text("p"))]);
    assert_eq!(problems, []);
    let paths: Vec<&str> = config.skill_paths.iter().map(|place| place.path.as_str()).collect();
    assert_eq!(paths, ["p1", "p2", "u1", "u2", "s1", "s2"]);
    let plugins: Vec<&str> = config.plugins.iter().map(|plugin| plugin.place.path.as_str()).collect();
    assert_eq!(plugins, ["p", "u", "s"]);
    assert!(["p", "u", "s"].iter().all(|name| !config.is_plugin_enabled(name)));
    assert!(config.is_plugin_enabled("q"));
}

#[test]
fn a_relative_path_begins_at_its_file_or_at_the_project() {
    let text = "[skills]\npaths = ['x']";
    let (config, _) = layered(&[(System, text), (User, text), (Project, text)]);
    let bases: Vec<&str> = config.skill_paths.iter().map(|place| place.base("/work/project")).collect();
    assert_eq!(bases, ["/work/project", "/home/u", "/etc/g"]);
}

#[test]
fn an_agents_list_is_kept_in_order_and_absent_means_none() {
    check_agents(
        &[(
            User,
            "[agents.a]\nskills = ['z', 'b', 'p:c', 'b']\n[agents.b]\n[agents.c]\nskills = []\n[agents.d]\nskills = ['x', '*']\n[agents.e]\nskills = {}",
        )],
        &["a", "b", "c", "d", "e", "nobody"],
        expect![[r#"
            a: Only(["z", "b", "p/c"]) None
            b: Only([]) None
            c: Only([]) None
            d: Everything None
            e: Only([]) None
            nobody: Everything None
        "#]],
    );
}

#[test]
fn an_agent_nobody_configured_is_the_default_one() {
    check_agents(
        &[(User, "[agents.default]\nskills = ['a']\ntools = ['t:t']")],
        &["default", "x"],
        expect![[r#"
            default: Only(["a"]) Some(["t:t"])
            x: Only(["a"]) Some(["t:t"])
        "#]],
    );
}

#[test]
fn the_default_agent_configured_without_a_list_sees_nothing_as_any_other() {
    for text in ["[agents.default]", "[agents.default]\nskill = ['a']", "[agents.default]\ntools = ['t:t']"] {
        for layer in [System, User, Project] {
            let (config, _) = layered(&[(layer, text)]);
            for agent in ["default", "x"] {
                assert_eq!(config.allowlist(agent), Allowlist::Only(Vec::new()), "{layer:?}: {text}");
            }
        }
    }
    check_agents(
        &[(System, "[agents.default]\nskills = ['a']"), (User, "[agents.default]\ntools = ['t:t']")],
        &["default", "x"],
        expect![[r#"
            default: Only(["a"]) Some(["t:t"])
            x: Only(["a"]) Some(["t:t"])
        "#]],
    );
}

#[test]
fn a_list_that_cannot_be_read_allows_nothing() {
    for text in ["[agents]\ndefault = 'all'", "[agents.default]\nskills = true\ntools = 1"] {
        let (config, problems) = layered(&[(System, "[agents.default]\nskills = ['a']"), (User, text)]);
        assert!(!problems.is_empty());
        assert_eq!(config.allowlist("x"), Allowlist::Only(Vec::new()), "{text}");
    }
}

#[test]
fn a_users_agent_replaces_the_systems_key_by_key() {
    check_agents(
        &[
            (System, "[agents.a]\nskills = ['a']\ntools = ['t:t']\n[agents.b]\nskills = ['b']"),
            (User, "[agents.a]\nskills = ['b', 'c']\n[agents.b]\n"),
        ],
        &["a", "b"],
        expect![[r#"
            a: Only(["b", "c"]) Some(["t:t"])
            b: Only(["b"]) None
        "#]],
    );
}

#[test]
fn a_projects_list_narrows_what_held_before() {
    let owner = "[agents.default]\nskills = ['a', 'b']\n[agents.x]\nskills = ['c', 'p/d', 'e']\ntools = ['t:1', 't:2']\n[agents.all]\nskills = ['*']";
    let project = "[agents.x]\nskills = ['e', 'd', 'a']\ntools = ['t:2', 't:3']\n[agents.y]\nskills = ['b', 'c']\n[agents.all]\nskills = ['q', 'a']\n[agents.default]\nskills = ['a']\n[agents.z]\n";
    check_agents(
        &[(User, owner), (Project, project)],
        &["x", "y", "all", "default", "z", "nobody"],
        expect![[r#"
            x: Only(["p/d", "e"]) Some(["t:2"])
            y: Only(["b"]) None
            all: Only(["q", "a"]) None
            default: Only(["a"]) None
            z: Only([]) None
            nobody: Only(["a"]) None
        "#]],
    );
    check_agents(
        &[(Project, "[agents.y]\nskills = ['b', 'a']\ntools = []")],
        &["y", "nobody"],
        expect![[r#"
        y: Only(["b", "a"]) Some([])
        nobody: Everything None
    "#]],
    );
}

#[test]
fn two_files_of_a_project_both_narrow() {
    check_agents(
        &[(Project, "[agents.a]\nskills = ['x', 'y']"), (Project, "[agents.a]\nskills = ['z', 'y']")],
        &["a"],
        expect![[r#"
            a: Only(["y"]) None
        "#]],
    );
}

#[test]
fn free_tables_are_laid_over_each_other_key_by_key() {
    let (config, problems) = layered(&[
        (System, "[config]\na = {x = 1, y = 2}\nb = [1]\n[skills.entries.s.config]\nk = 1\nl = 1"),
        (User, "[config]\na = {y = 3}\nb = {c = 1}\n[skills.entries.s.config]\nk = 2"),
    ]);
    assert_eq!(problems, []);
    expect![[r#"{"a":{"x":1,"y":3},"b":{"c":1}}"#]].assert_eq(&config.data.to_json().to_string());
    expect![[r#"{"k":2,"l":1}"#]].assert_eq(&config.skills["s"].config.to_json().to_string());
}

#[test]
fn sections_of_other_parts_are_kept_with_their_layer() {
    let (config, problems) = layered(&[
        (System, "[vet]\ndowngrade = ['deny.x']\n[[sources]]\nurl = 'u'"),
        (
            User,
            "[vet]\nlevel = 1\n[approvals]\n[sandbox]\n[mcp]\n[trust]\n[ledger]\n[runners]\n[secrets]\n[serve]\n[roles]",
        ),
    ]);
    assert_eq!(problems, []);
    let shown: Vec<String> = config
        .sections
        .iter()
        .map(|section| format!("{:?} {} {}", section.layer, section.name, section.data.to_json()))
        .collect();
    expect![[r#"
        System vet {"downgrade":["deny.x"]}
        System sources [{"url":"u"}]
        User vet {"level":1}
        User approvals {}
        User mcp {}
        User trust {}
        User ledger {}
        User runners {}
        User secrets {}
        User serve {}
        User roles {}"#]]
    .assert_eq(&shown.join("\n"));
}
