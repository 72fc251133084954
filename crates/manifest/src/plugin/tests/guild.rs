//! Our own strict manifest.

use super::*;
use expect_test::expect;

/// Checks a manifest that has everything it must have, with `more` after it.
#[track_caller]
fn check_more(more: &str, expect: Expect) {
    let manifest = format!(
        "{{\"id\": \"demo\", \"name\": \"Demo\", \"description\": \"\", \"version\": \"1.0.0\", \"capabilities\": \
         [\"tools\", \"actions\", \"components\", \"prompt\", \"queries\"],\n{more}}}"
    );
    let mut fixture = Fixture::with("guild.plugin.json", manifest);
    fixture.put("tool.py", Found::Bytes(Vec::new()));
    expect.assert_eq(&show(read("the-directory", &fixture, Standing::Anywhere)));
}

#[test]
fn tools_may_be_a_list() {
    check_more(
        r#""tools": [{"name": "a", "description": "A", "command": "run-a"}]"#,
        expect![[r#"
            guild from guild.plugin.json
            name: "demo"
            title: "Demo"
            version: "1.0.0"
            tools: {"name":"a","description":"A","run":{"Command":["run-a"]},"input_schema":null,"output_schema":null,"read_only":false,"warm":false}
            capabilities: "Tools"
            capabilities: "Actions"
            capabilities: "Components"
            capabilities: "Prompt"
            capabilities: "Queries"
        "#]],
    );
}

#[test]
fn contributions_have_to_be_declared() {
    check(
        r#"
        //- guild.plugin.json
        {
          "id": "sly", "name": "Sly", "description": "", "version": "1.0.0", "capabilities": ["prompt"],
          "tools": [{"name": "a", "description": "A", "command": "a"}, {"name": "a", "description": "B", "command": "b"}],
          "components": [{"type": "c", "description": "C"}]
        }
        "#,
        expect![[r#"
            nothing from guild.plugin.json
            guild.plugin.json:3:12: error[plugin_invalid]: `tools` is given, but `capabilities` does not name `tools`
              hint: add "tools" to `capabilities`
            guild.plugin.json:3:64: error[plugin_invalid]: the tool `a` is declared twice
              hint: give each tool a name of its own
            guild.plugin.json:4:17: error[plugin_invalid]: `components` is given, but `capabilities` does not name `components`
              hint: add "components" to `capabilities`
        "#]],
    );
}

#[test]
fn a_tool_whose_file_is_not_there_is_left_out() {
    check_more(
        r#""tools": [
          {"name": "gone", "description": "x", "entrypoint": "gone.py"},
          {"name": "out", "description": "x", "entrypoint": "../out.py"},
          {"name": "here", "description": "x", "entrypoint": "tool.py", "input": "none.json"}
        ],
        "queryTypes": [{"name": "q", "description": "d", "tool": "gone"}]"#,
        expect![[r#"
            guild from guild.plugin.json
            name: "demo"
            title: "Demo"
            version: "1.0.0"
            capabilities: "Tools"
            capabilities: "Actions"
            capabilities: "Components"
            capabilities: "Prompt"
            capabilities: "Queries"
            guild.plugin.json:3:62: error[plugin_path]: `tools[0].entrypoint`: nothing of that kind is at `gone.py`; it was ignored
              hint: correct the path, or add what it names to the plugin
            guild.plugin.json:4:61: error[plugin_path]: `tools[1].entrypoint`: the path `../out.py` leads upwards with `..`; it was ignored
              hint: write a path below the plugin's directory, such as `./skills`
            guild.plugin.json:5:82: error[plugin_path]: `tools[2].inputSchema`: nothing of that kind is at `none.json`; it was ignored
              hint: correct the path, or add what it names to the plugin
            guild.plugin.json:7:66: warning[plugin_field]: `queryTypes[0].tool` is `gone`, which cannot be used either
              hint: mend the tool first
        "#]],
    );
}

#[test]
fn pre_releases_and_builds_are_versions() {
    for (version, good) in [
        ("1.0.0-alpha.1", true),
        ("1.0.0+build.5", true),
        ("1.0.0-rc.1+x", true),
        ("1.0", false),
        ("v1.0.0", false),
        ("01.0.0", false),
        ("1.0.0-01", false),
        ("99999999999999999999.0.0", false),
        ("", false),
    ] {
        let manifest = format!(
            "{{\"id\": \"a\", \"name\": \"a\", \"description\": \"\", \"version\": {version:?}, \"capabilities\": []}}"
        );
        let reading = read("d", &Fixture::with("guild.plugin.json", manifest), Standing::Anywhere).unwrap();
        assert_eq!(reading.plugin.is_some(), good, "{version}: {:?}", reading.problems);
    }
}

#[test]
fn what_has_to_be_there_is_asked_for() {
    check(
        "//- guild.plugin.json\n{}",
        expect![[r#"
        nothing from guild.plugin.json
        guild.plugin.json:1:1: error[plugin_invalid]: `id` is missing
          hint: add `id`
        guild.plugin.json:1:1: error[plugin_invalid]: `name` is missing
          hint: add `name`
        guild.plugin.json:1:1: error[plugin_invalid]: `description` is missing
          hint: add `description`
        guild.plugin.json:1:1: error[plugin_invalid]: `version` is missing
          hint: add `version`
        guild.plugin.json:1:1: error[plugin_invalid]: `capabilities` is missing
          hint: add `capabilities`
    "#]],
    );
}
