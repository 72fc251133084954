//! OpenClaw and Mindroom.

use super::*;
use expect_test::expect;

#[test]
fn an_openclaw_plugin_without_id_or_schema_is_refused() {
    check(
        "//- openclaw.plugin.json\n{}",
        expect![[r#"
        nothing from openclaw.plugin.json
        openclaw.plugin.json:1:1: error[plugin_invalid]: `id` is missing
          hint: add `id`
        openclaw.plugin.json:1:1: error[plugin_invalid]: `configSchema` is missing
          hint: add `configSchema`
    "#]],
    );
    check(
        r#"
        //- openclaw.plugin.json
        {"id": " ", "configSchema": []}
        "#,
        expect![[r#"
            nothing from openclaw.plugin.json
            openclaw.plugin.json:1:8: error[plugin_invalid]: `id` is empty
              hint: give `id` a value
            openclaw.plugin.json:1:29: error[plugin_invalid]: `configSchema` is a list, but takes an object
              hint: write an object
        "#]],
    );
    check(
        r#"
        //- openclaw.plugin.json
        {"id": "a/b", "configSchema": {}}
        "#,
        expect![[r#"
            nothing from openclaw.plugin.json
            openclaw.plugin.json:1:8: error[plugin_invalid]: `id` is `a/b`, which cannot qualify skills
              hint: use letters, digits, hyphens and underscores
        "#]],
    );
}

#[test]
fn a_mindroom_plugin_names_modules_and_skills() {
    check(
        r#"
        //- mindroom.plugin.json
        {
          "name": " _demo ", "tools_module": "tools.py", "hooks_module": "./hooks.py", "oauth_module": "o.py",
          "skills": ["skills"], "description": 5
        }
        //- tools.py
        //- hooks.py
        //- skills/a/SKILL.md
        "#,
        expect![[r#"
            mindroom from mindroom.plugin.json
            name: "_demo"
            description: "5"
            skill_dirs: {"path":"skills","scan":"Children"}
            hooks: {"Module":"hooks.py"}
            tools_module: "tools.py"
            extra: ["oauth_module",{"Text":"o.py"}]
            mindroom.plugin.json:3:40: warning[value_invalid]: `description` is a number; it was read as text
              hint: put quotes around the value
        "#]],
    );
    check(
        r#"
        //- mindroom.plugin.json
        {"name": "-dash", "skills": null, "tools_module": "../tools.py", "hooks_module": "none.py"}
        "#,
        expect![[r#"
            mindroom from mindroom.plugin.json
            name: "-dash"
            mindroom.plugin.json:1:51: error[plugin_path]: `tools_module`: the path `../tools.py` leads upwards with `..`; it was ignored
              hint: write a path below the plugin's directory, such as `./skills`
            mindroom.plugin.json:1:82: error[plugin_path]: `hooks_module`: nothing of that kind is at `none.py`; it was ignored
              hint: correct the path, or add what it names to the plugin
        "#]],
    );
}

#[test]
fn mindroom_refuses_wrong_names_and_types() {
    for name in ["origin:plugin", "../../escaped", "UpperCase", ".hidden", " "] {
        let manifest = format!("{{\"name\": {name:?}}}");
        let reading =
            read("d", &Fixture::with("mindroom.plugin.json", manifest), Standing::Anywhere).unwrap();
        assert_eq!(reading.plugin, None, "{name}");
        assert_eq!(reading.problems.len(), 1);
    }
    check(
        r#"
        //- mindroom.plugin.json
        {"name": "a", "tools_module": ["t.py"], "skills": "skills"}
        "#,
        expect![[r#"
            nothing from mindroom.plugin.json
            mindroom.plugin.json:1:31: error[plugin_invalid]: `tools_module` is a list, but takes text
              hint: write text
            mindroom.plugin.json:1:51: error[plugin_invalid]: `skills` is text, but takes a list of text
              hint: write a list of text
        "#]],
    );
    check(
        "//- mindroom.plugin.json\n{\"name\": 5}",
        expect![[r#"
        nothing from mindroom.plugin.json
        mindroom.plugin.json:1:10: error[plugin_invalid]: `name` is a number, but takes text
          hint: write text
    "#]],
    );
}
