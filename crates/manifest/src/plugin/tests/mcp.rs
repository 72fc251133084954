//! Servers in the closed form of Agent Plugins and in the vendors' open one.

use super::*;
use expect_test::expect;

#[track_caller]
fn check_closed(document: &str, expect: Expect) {
    let manifest =
        r#"{"$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json", "name": "a"}"#;
    let mut fixture = Fixture::with("plugin.json", manifest);
    fixture.put("mcp.json", Found::Bytes(document.as_bytes().to_vec()));
    expect.assert_eq(&show(read("d", &fixture, Standing::Anywhere)));
}

#[track_caller]
fn check_open(document: &str, expect: Expect) {
    let mut fixture = Fixture::with(".claude-plugin/plugin.json", r#"{"name": "a"}"#);
    fixture.put(".mcp.json", Found::Bytes(document.as_bytes().to_vec()));
    expect.assert_eq(&show(read("d", &fixture, Standing::Anywhere)));
}

#[test]
fn a_bad_document_disables_servers_and_nothing_else() {
    check_closed(
        "{",
        expect![[r#"
        agent-plugin from plugin.json
        name: "a"
        mcp.json:1:1: warning[server_invalid]: invalid JSON: unterminated object
          hint: check commas, quotes and brackets on this line
    "#]],
    );
    check_closed(
        "[]",
        expect![[r#"
        agent-plugin from plugin.json
        name: "a"
        mcp.json:1:1: warning[server_invalid]: the file holds a list, not an object
          hint: write an object: {}
    "#]],
    );
    check_closed(
        r#"{"mcpServers": {}}"#,
        expect![[r#"
        agent-plugin from plugin.json
        name: "a"
        mcp.json:1:1: warning[server_invalid]: `$schema` is missing
          hint: add `$schema`
    "#]],
    );
}

#[test]
fn a_document_of_another_form_disables_servers_too() {
    check_closed(
        r#"{"$schema": "https://agent-plugins.org/schemas/1.1.0/mcp.schema.json", "mcpServers": {}}"#,
        expect![[r#"
            agent-plugin from plugin.json
            name: "a"
            mcp.json:1:13: warning[server_invalid]: `$schema` is `https://agent-plugins.org/schemas/1.1.0/mcp.schema.json`, so no server is read
              hint: write `https://agent-plugins.org/schemas/1.0.0/mcp.schema.json`
        "#]],
    );
    check_closed(
        r#"{"$schema": "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json", "mcpServers": {}, "more": 1}"#,
        expect![[r#"
            agent-plugin from plugin.json
            name: "a"
            mcp.json:1:90: warning[server_invalid]: `more` does not belong in this file, so no server is read
              hint: keep `$schema` and `mcpServers` only
        "#]],
    );
    check_closed(
        r#"{"$schema": "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json"}"#,
        expect![[r#"
            agent-plugin from plugin.json
            name: "a"
            mcp.json:1:1: warning[server_invalid]: `mcpServers` is missing
              hint: add `mcpServers`
        "#]],
    );
    check_closed(
        r#"{"$schema": "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json", "mcpServers": []}"#,
        expect![[r#"
            agent-plugin from plugin.json
            name: "a"
            mcp.json:1:86: warning[server_invalid]: `mcpServers` is a list, but takes an object
              hint: write an object
        "#]],
    );
}

#[test]
fn a_later_server_of_one_name_counts() {
    check(
        r#"
        //- .claude-plugin/plugin.json
        {"name": "a", "mcpServers": ["./more.json", {"x": {"command": "third"}}]}
        //- .mcp.json
        {"mcpServers": {"x": {"command": "first"}, "y": {"command": "y"}}}
        //- more.json
        {"x": {"command": "second"}}
        "#,
        expect![[r#"
            claude from .claude-plugin/plugin.json
            name: "a"
            mcp_servers: {"name":"x","enabled":true,"transport":{"Stdio":{"command":"third","args":[],"env":[],"cwd":null}}}
            mcp_servers: {"name":"y","enabled":true,"transport":{"Stdio":{"command":"y","args":[],"env":[],"cwd":null}}}
        "#]],
    );
}

#[test]
fn a_bad_server_file_does_not_touch_the_plugin() {
    check_open(
        "{\n  \"a\": {,",
        expect![[r#"
        claude from .claude-plugin/plugin.json
        name: "a"
        .mcp.json:2:9: warning[server_invalid]: invalid JSON: unexpected token in object
          hint: check commas, quotes and brackets on this line
    "#]],
    );
    check(
        r#"
        //- .claude-plugin/plugin.json
        {"name": "a"}
        //- .mcp.json (link)
        "#,
        expect![[r#"
            claude from .claude-plugin/plugin.json
            name: "a"
            .mcp.json:1:1: warning[server_invalid]: this is no regular file
              hint: put the file itself here, not a link or a directory
        "#]],
    );
}
