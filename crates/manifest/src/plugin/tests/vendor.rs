//! Claude, Codex, Cursor, Copilot, Gemini, and no manifest at all.

use super::*;
use expect_test::expect;

#[test]
fn a_name_is_all_a_claude_plugin_needs_and_even_that_can_be_the_directorys() {
    check(
        r#"
        //- .claude-plugin/plugin.json
        {"name": "small"}
        "#,
        expect![[r#"
            claude from .claude-plugin/plugin.json
            name: "small"
        "#]],
    );
    check(
        r#"
        //- .claude-plugin/plugin.json
        {}
        //- SKILL.md
        "#,
        expect![[r#"
            claude from .claude-plugin/plugin.json
            name: "the-directory"
            skill_dirs: {"path":".","scan":"Itself"}
            .claude-plugin/plugin.json:1:1: warning[name_missing]: the manifest has no usable name; the directory's is used
              hint: add `name`
        "#]],
    );
    check(
        r#"
        //- .claude-plugin/plugin.json
        {"name": ["a"], "skills": "."}
        //- SKILL.md
        //- skills/x/SKILL.md
        "#,
        expect![[r#"
            claude from .claude-plugin/plugin.json
            name: "the-directory"
            skill_dirs: {"path":"skills","scan":"Children"}
            skill_dirs: {"path":".","scan":"Itself"}
            .claude-plugin/plugin.json:1:10: warning[plugin_field]: `name` is a list, but takes text
              hint: write text
            .claude-plugin/plugin.json:1:10: warning[name_missing]: the manifest has no usable name; the directory's is used
              hint: add `name`
        "#]],
    );
}

#[test]
fn a_name_that_cannot_qualify_skills_is_shown_and_not_used() {
    check(
        r#"
        //- .claude-plugin/plugin.json
        {"name": "../../My Plugin"}
        "#,
        expect![[r#"
            claude from .claude-plugin/plugin.json
            name: "the-directory"
            title: "../../My Plugin"
            .claude-plugin/plugin.json:1:10: warning[name_invalid]: the name `../../My Plugin` cannot qualify skills; the directory's is used
              hint: use lower-case words joined by single hyphens, such as `code-tools`
        "#]],
    );
    check(
        r#"
        //- .claude-plugin/plugin.json
        {"name": "My_Plugin"}
        "#,
        expect![[r#"
            claude from .claude-plugin/plugin.json
            name: "My_Plugin"
            .claude-plugin/plugin.json:1:10: warning[plugin_field]: the name `My_Plugin` breaks the rule of its host, which may refuse it
              hint: use lower-case words joined by single hyphens, such as `code-tools`
        "#]],
    );
}

#[test]
fn cursor_reads_mcp_json_and_variables() {
    check(
        r#"
        //- .cursor-plugin/plugin.json
        {"name": "acme.tools", "variables": {"type": "object"}, "rules": "./rules"}
        //- skills/a/SKILL.md
        //- agents/a.md
        //- mcp.json
        {"mcpServers": {"a": {"url": "https://example.org/mcp", "headers": {"X-A": "b"}}}}
        //- .mcp.json
        {"unread": 1}
        "#,
        expect![[r#"
            cursor from .cursor-plugin/plugin.json
            name: "acme.tools"
            skill_dirs: {"path":"skills","scan":"Children"}
            agents: "agents"
            mcp_servers: {"name":"a","enabled":true,"transport":{"Http":{"kind":"Streamable","url":"https://example.org/mcp","headers":[["X-A","b"]]}}}
            settings_schema: {"Map":[["type",{"Text":"object"}]]}
            extra: ["rules",{"Text":"./rules"}]
        "#]],
    );
}

#[test]
fn copilot_manifests_lie_in_three_places() {
    for (path, dialect) in [
        (".plugin/plugin.json", Dialect::OpenPlugin),
        (".github/plugin/plugin.json", Dialect::Github),
        ("plugin.json", Dialect::Copilot),
    ] {
        let fixture = Fixture::with(path, r#"{"name": "pilot", "extensions": ["./x"]}"#);
        let reading = read("d", &fixture, Standing::Anywhere).unwrap();
        assert_eq!(reading.problems, []);
        assert_eq!((reading.plugin.unwrap().dialect, reading.manifest), (dialect, Some(path)));
    }
}

#[test]
fn a_layout_is_a_plugin_only_among_plugins() {
    let layout = r#"
        //- skills/a/SKILL.md
        //- commands/c.md
        //- hooks/hooks.json
        {}
        //- .mcp.json
        {"mcpServers": {"a": {"command": "a"}}}
        "#;
    check(
        layout,
        expect![[r#"
        bare without a manifest
        name: "the-directory"
        skill_dirs: {"path":"skills","scan":"Children"}
        commands: "commands"
        hooks: {"File":"hooks/hooks.json"}
        mcp_servers: {"name":"a","enabled":true,"transport":{"Stdio":{"command":"a","args":[],"env":[],"cwd":null}}}
    "#]],
    );
    assert_eq!(read("d", &Fixture::parse(layout), Standing::Anywhere), None);
    check(
        "//- SKILL.md\n",
        expect![[r#"
        bare without a manifest
        name: "the-directory"
        skill_dirs: {"path":".","scan":"Itself"}
    "#]],
    );
    check(
        "//- README.md\n",
        expect![[r#"
        no plugin
    "#]],
    );
}

#[test]
fn the_first_manifest_decides_even_if_it_is_bad() {
    check(
        r#"
        //- guild.plugin.json
        []
        //- .claude-plugin/plugin.json
        {"name": "good"}
        "#,
        expect![[r#"
            nothing from guild.plugin.json
            guild.plugin.json:1:1: error[plugin_invalid]: the file holds a list, not an object
              hint: write an object: {}
        "#]],
    );
    check(
        r#"
        //- .claude-plugin/plugin.json
        {"name": "good"}
        //- plugin.json
        {"broken"
        "#,
        expect![[r#"
            claude from .claude-plugin/plugin.json
            name: "good"
        "#]],
    );
}

#[test]
fn a_manifest_that_is_no_file_is_refused_outright() {
    check(
        r#"
        //- plugin.json (link)
        //- .claude-plugin/plugin.json
        {"name": "good"}
        "#,
        expect![[r#"
            nothing from plugin.json
            plugin.json:1:1: error[plugin_invalid]: this is no regular file
              hint: put the file itself here, not a link or a directory
        "#]],
    );
    check(
        "//- .codex-plugin/plugin.json (unreadable)\n",
        expect![[r#"
            nothing from .codex-plugin/plugin.json
            .codex-plugin/plugin.json:1:1: error[unreadable_file]: the file cannot be read: permission denied
              hint: check who may read it
        "#]],
    );
}
