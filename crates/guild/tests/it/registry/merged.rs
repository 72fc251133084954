//! The merged view: what the plugins that a person has switched on bring.

use super::{shown, world};
use crate::envelope;
use expect_test::{expect, expect_file};

#[test]
fn what_is_switched_on_is_merged_and_a_tool_has_one_owner() {
    expect_file!["sessions/what_is_switched_on_is_merged_and_a_tool_has_one_owner.txt"].assert_eq(&shown(
        &world(),
        "
        guild registry
        guild enable house --approve once
        guild registry
        guild prompt --format sections
        guild disable house --agent ci
        guild registry --agent ci
        guild enable twin
        guild plugins show twin
        guild registry
        guild disable house
        guild enable twin
        guild registry
        guild enable adder
        guild registry
        ",
    ));
}

#[test]
fn programs_get_every_shape() {
    let env = world();
    let enabled = env.guild(&["enable", "house", "--approve", "once"]);
    assert_eq!(enabled.code(), Some(0), "{enabled}");
    let json = envelope(&env.guild(&["--json", "registry"]).stdout());
    let text = serde_json::to_string_pretty(&json["data"]).unwrap();
    expect_file!["sessions/programs_get_every_shape.json"]
        .assert_eq(&(text.replace(env.root().to_str().unwrap(), "[ROOT]") + "\n"));
}

#[test]
fn of_two_that_collide_later_only_the_tool_that_collides_is_silent() {
    let env = world();
    for plugin in ["house", "twin"] {
        let manifest = env.project().join(format!(".guild/plugins/{plugin}/guild.plugin.json"));
        let text = std::fs::read_to_string(&manifest).unwrap();
        // Its tool has a name of its own until both are on.
        std::fs::write(
            &manifest,
            text.replace(
                "\"measure\", \"description\": \"Measures otherwise\"",
                "\"weigh\", \"description\": \"Weighs\"",
            ),
        )
        .unwrap();
        let enabled = env.guild(&["enable", plugin, "--approve", "once"]);
        assert_eq!(enabled.code(), Some(0), "{enabled}");
    }
    let manifest = env.project().join(".guild/plugins/twin/guild.plugin.json");
    let other = r#""tools": [{"name": "add", "description": "Adds", "command": ["true"]}, {"name": "weigh","#;
    let text = std::fs::read_to_string(&manifest).unwrap();
    std::fs::write(&manifest, text.replace(r#""tools": [{"name": "weigh","#, other)).unwrap();
    expect![[r#"
        $ guild tools list --provider plugin
        TOOL                  ACCESS  DESCRIPTION
        plugin:house/measure  looks   Measures a file
        plugin:twin/weigh     asks    Weighs
        plugin:twin/add: the tool `add` is claimed by Guildhall itself and by plugin `twin`, which has to name it otherwise
        [stderr]
        2 tools, and 1 provider cannot say
    "#]].assert_eq(&shown(&env, "guild tools list --provider plugin"));
}
