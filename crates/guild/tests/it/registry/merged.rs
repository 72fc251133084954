//! The merged view: what the plugins that a person has switched on bring.

use super::{shown, world};
use crate::envelope;
use expect_test::expect;

#[test]
fn what_is_switched_on_is_merged_and_a_tool_has_one_owner() {
    expect![[r#"
        $ guild registry
        WHAT    NAME  FROM       ABOUT
        prompt  tone  tone (80)  Write as one speaks.
        [stderr]
        0 plugins, 0 tools
        $ guild enable house --approve once
        [stderr]
        plugin `house` is on
        $ guild registry
        WHAT       NAME     FROM        ABOUT
        tool       measure  house       Measures a file
        prompt     First    house (10)  Say hello.
        prompt     Middle   house (50)  Be plain.
        prompt     tone     tone (80)   Write as one speaks.
        prompt     Last     house (90)  Say goodbye.
        component  gauge    house       Shows a number
        query      largest  house       The largest files
        action     add      house       Adds two
        [stderr]
        1 plugin, 1 tool
        $ guild prompt --format sections
        ## First

        Say hello.

        ## Middle

        Be plain.

        ## tone

        Write as one speaks.

        ## Last

        Say goodbye.
        $ guild disable house --agent ci
        [stderr]
        plugin `house` is off for agent `ci`
        $ guild registry --agent ci
        WHAT    NAME  FROM       ABOUT
        prompt  tone  tone (80)  Write as one speaks.
        [stderr]
        0 plugins, 0 tools
        $ guild enable twin
        [stderr]
        plugin `twin` is on
        $ guild registry
        [stderr]
        error[tool_conflict]: the tool `measure` is claimed by plugin `house` and by plugin `twin`; switch one off with `guild disable`
        [exit 1]
        $ guild disable house
        [stderr]
        plugin `house` is off
        $ guild registry
        WHAT    NAME     FROM       ABOUT
        tool    measure  twin       Measures otherwise
        prompt  tone     tone (80)  Write as one speaks.
        [stderr]
        1 plugin, 1 tool
        $ guild enable adder
        [stderr]
        plugin `adder` is on
        $ guild registry
        [stderr]
        error[tool_conflict]: the tool `add` is claimed by Guildhall itself and by plugin `adder`; switch one off with `guild disable`
        [exit 1]
    "#]].assert_eq(&shown(
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
    expect![[r#"
        {
          "plugins": [
            {
              "name": "house",
              "version": "2.0.0",
              "path": "[ROOT]/project/.guild/plugins/house"
            }
          ],
          "tools": [
            {
              "name": "measure",
              "qualified_name": "plugin:house/measure",
              "plugin": "house",
              "description": "Measures a file",
              "read_only": true,
              "input_schema": {
                "type": "object",
                "required": [
                  "path"
                ]
              },
              "output_schema": null
            }
          ],
          "prompt_sections": [
            {
              "heading": "First",
              "content": "Say hello.",
              "priority": 10,
              "plugin": "house",
              "skill": null
            },
            {
              "heading": "Middle",
              "content": "Be plain.",
              "priority": 50,
              "plugin": "house",
              "skill": null
            },
            {
              "heading": "tone",
              "content": "Write as one speaks.",
              "priority": 80,
              "plugin": null,
              "skill": "tone"
            },
            {
              "heading": "Last",
              "content": "Say goodbye.",
              "priority": 90,
              "plugin": "house",
              "skill": null
            }
          ],
          "components": [
            {
              "type": "gauge",
              "description": "Shows a number",
              "props": {
                "value": "number"
              },
              "plugin": "house"
            }
          ],
          "query_types": [
            {
              "name": "largest",
              "description": "The largest files",
              "tool": "plugin:house/measure",
              "plugin": "house"
            }
          ],
          "action_handlers": [
            {
              "action": "add",
              "description": "Adds two",
              "tool": "builtin:add",
              "plugin": "house"
            }
          ],
          "denied": []
        }"#]]
    .assert_eq(&text.replace(env.root().to_str().unwrap(), "[ROOT]"));
}
