//! The merged view: what the plugins that a person has switched on bring.

use super::{shown, world};
use crate::envelope;
use expect_test::expect_file;

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
        guild registry
        guild disable house
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
