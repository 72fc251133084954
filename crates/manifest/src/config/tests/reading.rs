//! One file: keys, spellings, syntax.

use super::super::{Layer, Syntax, merge, read};
use super::{check_file, check_user};
use expect_test::expect;

const EVERYTHING_TOML: &str = r#"
builtins = false

[skills]
paths = ["~/skills", "${TEAM}/skills"]
extra_paths = ["more"]
disabled = ["noisy"]

[skills.entries.review]
enabled = true
inject = true
config = { depth = 3, tags = ["a", "b"] }

[plugins]
load = ["./plugins/x", { path = "/opt/y", enabled = false, settings = { key = "v" }, hooks = { "message:received" = { enabled = false, priority = -5, timeout_ms = 200 } } }]
paths = ["~/plugins"]
extra_paths = "one"
disabled = ["loud"]

[agents.code]
skills = ["github", "tools:file", "shell"]
tools = ["builtin:read", "mcp:gh/issues"]

[agents.idle]

[limits]
max_file_bytes = 65536
max_depth = 3
max_entries = 0x100

[prompt]
budget = 4000
format = "bullets"

[config.browser]
enabled = true

[mcp.servers.x]
command = "x"
"#;

const EVERYTHING_YAML: &str = "
builtins: off
skills:
  paths: [~/skills, '${TEAM}/skills']
  extraPaths: [more]
  disabled:
    - noisy
  entries:
    review: {enabled: yes, inject: true, config: {depth: 3, tags: [a, b]}}
plugins:
  load:
    - ./plugins/x
    - path: /opt/y
      enabled: false
      settings: {key: v}
      hooks:
        message:received: {enabled: false, priority: -5, timeout-ms: 200}
  paths: [~/plugins]
  extra-paths: one
  disabled: [loud]
agents:
  code:
    skills: [github, 'tools:file', shell]
    tools: ['builtin:read', 'mcp:gh/issues']
  idle:
limits: {maxFileBytes: 65536, max-depth: 3, max_entries: 256}
prompt: {budget: 4000, format: Bullets}
config: {browser: {enabled: true}}
mcp: {servers: {x: {command: x}}}
ledger:
";

#[test]
fn every_key_is_read() {
    check_user(
        EVERYTHING_TOML,
        expect![[r#"
            skill_paths: [{"path":"~/skills","layer":"user","file":"/home/u/c.toml"},{"path":"${TEAM}/skills","layer":"user","file":"/home/u/c.toml"}]
            extra_skill_paths: [{"path":"more","layer":"user","file":"/home/u/c.toml"}]
            skills: {"noisy":{"enabled":false,"inject":false,"config":{}},"review":{"enabled":true,"inject":true,"config":"sha256:36660c880c5ee7f9ac93e6e50b261007b5420ebefa7cbbe1ee9abd0ac6bc8700"}}
            plugins: [{"place":{"path":"./plugins/x","layer":"user","file":"/home/u/c.toml"},"enabled":true,"settings":{},"hooks":{}},{"place":{"path":"/opt/y","layer":"user","file":"/home/u/c.toml"},"enabled":false,"settings":"sha256:37f19d05e79bae8c370b8ed7c66f076fbfb9fe1c0ccf2a27b1c5c2f89c35f365","hooks":{"message:received":{"enabled":false,"priority":-5,"timeout_ms":200}}}]
            plugin_paths: [{"path":"~/plugins","layer":"user","file":"/home/u/c.toml"}]
            extra_plugin_paths: [{"path":"one","layer":"user","file":"/home/u/c.toml"}]
            disabled_plugins: ["loud"]
            agents: {"code":{"skills":{"only":["github","tools/file","shell"]},"tools":["builtin:read","mcp:gh/issues"]},"default":{"skills":"everything","tools":null},"idle":{"skills":{"only":[]},"tools":null}}
            builtins: false
            limits: {"max_file_bytes":65536,"max_depth":3,"max_entries":256}
            prompt: {"budget":4000,"format":"bullets"}
            data: "sha256:11809cee5186e6886228ec7ffef89aa598ff7e5a41f2aa3982ba487054943919"
            sections: [{"name":"mcp","layer":"user","data":"sha256:8b64fc05034b921a6ccb8c5774fbb1cbad77831f805ef2ffed66e080e2408b61"}]
        "#]],
    );
}

#[test]
fn yaml_says_the_same_as_toml() {
    let of = |file: &str, text: &str| {
        let reading = read(file, text.as_bytes(), Layer::User);
        assert_eq!(reading.problems, []);
        let config = merge(vec![(Layer::User, reading.settings)]);
        serde_json::to_string(&config).unwrap().replace(file, "FILE")
    };
    assert_eq!(of("c.toml", EVERYTHING_TOML), of("c.yaml", EVERYTHING_YAML));
}

#[test]
fn the_name_says_the_syntax() {
    for (path, syntax) in [
        ("guild.toml", Syntax::Toml),
        ("/a.yaml/config", Syntax::Toml),
        ("config.YAML", Syntax::Yaml),
        ("x.y.yml", Syntax::Yaml),
        ("yaml", Syntax::Toml),
        ("", Syntax::Toml),
    ] {
        assert_eq!(Syntax::of(path), syntax, "{path}");
    }
}

#[test]
fn plugins_may_be_a_plain_list() {
    check_user(
        "plugins = ['./a', {path = 'b', enabled = 'no'}]",
        expect![[r#"
            plugins: [{"place":{"path":"./a","layer":"user","file":"/home/u/c.toml"},"enabled":true,"settings":{},"hooks":{}},{"place":{"path":"b","layer":"user","file":"/home/u/c.toml"},"enabled":false,"settings":{},"hooks":{}}]
        "#]],
    );
    check_user(
        "[[plugins]]\npath = '~/a'\n[plugins.hooks.h]\npriority = 1\n",
        expect![[r#"
            plugins: [{"place":{"path":"~/a","layer":"user","file":"/home/u/c.toml"},"enabled":true,"settings":{},"hooks":{"h":{"enabled":null,"priority":1,"timeout_ms":null}}}]
        "#]],
    );
}

#[test]
fn an_empty_file_sets_nothing() {
    for file in ["c.toml", "c.yaml"] {
        for text in ["", "\n\n", "# nothing\n"] {
            check_file(file, text.as_bytes(), expect![""]);
        }
    }
    check_file("c.yml", b"---\n~\n", expect![""]);
}

#[test]
fn two_spellings_of_one_skill_add_up() {
    check_user(
        "[skills.entries.'p/a']\nenabled = false\n[skills.entries.'p:a']\ninject = true\n",
        expect![[r#"
            skills: {"p/a":{"enabled":false,"inject":true,"config":{}}}
        "#]],
    );
}

#[test]
fn off_in_the_list_holds_against_on_in_the_entry() {
    check_user(
        "[skills]\ndisabled = ['a']\n[skills.entries.a]\nenabled = true\n",
        expect![[r#"
            skills: {"a":{"enabled":false,"inject":false,"config":{}}}
        "#]],
    );
}

#[test]
fn a_byte_order_mark_is_told_and_does_no_harm() {
    check_file(
        "c.toml",
        b"\xef\xbb\xbfbuiltins = false\r\n",
        expect![[r#"
        builtins: false
        c.toml:1:1: warning[byte_order_mark]: the file begins with a byte order mark
          hint: save the file as UTF-8 without a mark
    "#]],
    );
}
