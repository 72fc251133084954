//! Agent Plugins 1.0.0 where something runs: discovery, expansion, working directories, the environment, the directory for data, and
//! what is left when a part is broken. What is only read is held to its rules in `guild-manifest`.

use crate::{env, envelope};
use expect_test::expect;
use guild_testkit::Env;
use serde_json::{Value as Json, json};
use std::fs;
use std::os::unix::fs::symlink;

/// A server whose one tool is described by what the server sees.
const PROBE: &str = r#"
import json, os, sys
kept = os.environ["PLUGIN_DATA"] + "/" + sys.argv[1]
open(kept, "a").write("x")
try:
    open(os.environ["PLUGIN_ROOT"] + "/written", "w")
    root = "writable"
except OSError:
    root = "read-only"
seen = {"cwd": os.getcwd(), "args": sys.argv[2:], "A": os.environ.get("A"), "root": root,
        "PLUGIN_ROOT": os.environ["PLUGIN_ROOT"], "PLUGIN_DATA": os.environ["PLUGIN_DATA"],
        "kept": sorted(os.listdir(os.environ["PLUGIN_DATA"]))[:1], "HOME": os.environ.get("HOME"), "SECRET": os.environ.get("SECRET")}
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    told = {"jsonrpc": "2.0", "id": asked["id"]}
    method = asked["method"]
    if method == "initialize":
        told["result"] = {"protocolVersion": asked["params"]["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "p", "version": "1"}}
    elif method == "tools/list":
        told["result"] = {"tools": [{"name": "probe", "description": json.dumps(seen), "inputSchema": {"type": "object"}}]}
    else:
        told["error"] = {"code": -32601, "message": "no"}
    print(json.dumps(told), flush=True)
"#;

/// A plugin of these servers, switched on.
#[track_caller]
fn plugin(servers: &Json) -> Env {
    let env = env("//- /home/.config/guild/config.toml\nbuiltins = false\n//- /project/.git/\n");
    let root = env.project().join(".guild/plugins/probe");
    fs::create_dir_all(root.join("sub")).unwrap();
    let write = |path: &str, text: &str| fs::write(root.join(path), text).unwrap();
    let schema = |kind: &str| format!("https://agent-plugins.org/schemas/1.0.0/{kind}.schema.json");
    write("plugin.json", &json!({"$schema": schema("plugin"), "name": "probe"}).to_string());
    write("mcp.json", &json!({"$schema": schema("mcp"), "mcpServers": servers}).to_string());
    write("probe.py", PROBE);
    write("sub/here", "");
    env
}

#[track_caller]
fn on(env: &Env) {
    let on = env.guild(&["enable", "probe", "--kind", "plugin"]);
    assert_eq!(on.code(), Some(0), "{on}");
}

/// A server of the probe with these fields beside.
fn server(name: &str, more: Json) -> Json {
    let mut server = json!({"type": "stdio", "command": "python3", "args": ["/plugin/probe.py", name]});
    server.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    server
}

/// What each server sees, by name.
#[track_caller]
fn seen(env: &Env) -> Json {
    let listed = envelope(&env.guild(&["tools", "list", "--provider", "mcp", "--json"]).stdout());
    assert_eq!(listed["data"]["silent"], json!([]), "{listed}");
    let tools = listed["data"]["tools"].as_array().unwrap().iter();
    let seen = tools.map(|tool| {
        let name = tool["name"].as_str().unwrap().strip_prefix("mcp:probe.").unwrap();
        let seen: Json = serde_json::from_str(tool["description"].as_str().unwrap()).unwrap();
        (name.strip_suffix("/probe").unwrap().to_owned(), seen)
    });
    Json::Object(seen.collect())
}

#[test]
fn a_server_starts_where_it_says_and_in_the_plugin_where_it_says_nothing() {
    let env = plugin(&json!({
        "none": server("none", json!({})),
        "root": server("root", json!({"cwd": "${PLUGIN_ROOT}"})),
        "below": server("below", json!({"cwd": "./sub"})),
        "placed": server("placed", json!({"cwd": "${PLUGIN_ROOT}/sub"})),
        "data": server("data", json!({"cwd": "${PLUGIN_DATA}"})),
    }));
    on(&env);
    let seen = seen(&env);
    let cwd = |name: &str| seen[name]["cwd"].as_str().unwrap_or("?").to_owned();
    assert_eq!((cwd("none"), cwd("root")), ("/plugin".to_owned(), "/plugin".to_owned()));
    assert_eq!((cwd("below"), cwd("placed")), ("/plugin/sub".to_owned(), "/plugin/sub".to_owned()));
    assert_eq!(cwd("data"), "/plugin-data");
}

#[test]
fn two_names_are_expanded_once_in_arguments_and_values_and_nothing_else_is() {
    let env = plugin(&json!({
        "x": server("x", json!({
            "args": ["${PLUGIN_ROOT}/probe.py", "x", "${PLUGIN_DATA}/a", "$PLUGIN_ROOT", "${HOME}", "${CLAUDE_PLUGIN_ROOT}", "${PLUGIN_ROOT"],
            "env": {"A": "${PLUGIN_DATA}:${SECRET}:${PLUGIN_ROOT}"},
        })),
    }));
    on(&env);
    let seen = seen(&env)["x"].clone();
    expect![[r#"["/plugin-data/a","$PLUGIN_ROOT","${HOME}","${CLAUDE_PLUGIN_ROOT}","${PLUGIN_ROOT"]"#]]
        .assert_eq(&seen["args"].to_string());
    assert_eq!(seen["A"], "/plugin-data:${SECRET}:/plugin");
    assert_eq!((&seen["PLUGIN_ROOT"], &seen["PLUGIN_DATA"]), (&json!("/plugin"), &json!("/plugin-data")));
    assert_eq!((&seen["root"], &seen["SECRET"]), (&json!("read-only"), &json!(null)), "{seen}");
}

#[test]
fn data_is_writable_kept_and_each_plugins_own() {
    let env = plugin(&json!({"a": server("first", json!({}))}));
    on(&env);
    assert_eq!(seen(&env)["a"]["kept"], json!(["first"]));
    let other = env.project().join(".guild/plugins/other");
    crate::plugin_tools::copy(&env.project().join(".guild/plugins/probe"), &other);
    let manifest = other.join("plugin.json");
    fs::write(&manifest, fs::read_to_string(&manifest).unwrap().replace("\"probe\"", "\"other\"")).unwrap();
    let servers = other.join("mcp.json");
    fs::write(&servers, fs::read_to_string(&servers).unwrap().replace("\"first\"", "\"second\"")).unwrap();
    assert_eq!(env.guild(&["enable", "other", "--kind", "plugin"]).code(), Some(0));
    let listed = env.guild(&["tools", "list", "--provider", "mcp", "--json"]).stdout();
    let kept: Vec<&str> =
        listed.split("\\\"kept\\\": [\\\"").skip(1).filter_map(|text| text.split('\\').next()).collect();
    assert_eq!(kept, ["second", "first"], "{listed}");
}

#[test]
fn what_is_broken_is_left_out_and_the_rest_works() {
    let env = plugin(&json!({
        "good": server("good", json!({})),
        "odd": server("odd", json!({"more": 1})),
        "away": server("away", json!({"cwd": "../"})),
        "far": {"type": "streamable-http", "url": "https://example.com/mcp"},
        "gone": {"type": "stdio", "command": "./no-such-program"},
    }));
    let root = env.project().join(".guild/plugins/probe");
    for (path, text) in [
        ("skills/good/SKILL.md", "---\nname: good\ndescription: Is there\n---\nSay so.\n"),
        ("skills/bad/SKILL.md", "no frontmatter"),
        ("skills/group/deep/SKILL.md", "---\nname: deep\ndescription: Is too deep\n---\nSay so.\n"),
        ("skills/lower/skill.md", "---\nname: lower\ndescription: Is another file\n---\nSay so.\n"),
    ] {
        fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
        fs::write(root.join(path), text).unwrap();
    }
    on(&env);
    let listed = envelope(&env.guild(&["tools", "list", "--provider", "mcp", "--json"]).stdout());
    assert_eq!(listed["data"]["tools"].as_array().unwrap().len(), 1, "{listed}");
    assert_eq!(listed["data"]["tools"][0]["name"], "mcp:probe.good/probe");
    let silent = listed["data"]["silent"].as_array().unwrap();
    let silent: Vec<&str> = silent.iter().map(|one| one["provider"].as_str().unwrap()).collect();
    assert_eq!(silent, ["mcp:probe.far", "mcp:probe.gone"], "{listed}");
    let skills = envelope(&env.guild(&["list", "--json"]).stdout());
    let skills = skills["data"]["skills"].as_array().unwrap();
    let names: Vec<&str> = skills.iter().map(|skill| skill["qualified_name"].as_str().unwrap()).collect();
    assert_eq!(names, ["probe/good"]);
}

#[test]
fn nothing_that_leaves_the_plugin_is_run_or_read() {
    let env = plugin(&json!({"a": server("a", json!({"cwd": "./out"}))}));
    let root = env.project().join(".guild/plugins/probe");
    symlink("/etc", root.join("out")).unwrap();
    on(&env);
    let listed = envelope(&env.guild(&["tools", "list", "--provider", "mcp", "--json"]).stdout());
    assert_eq!(listed["data"]["tools"], json!([]), "{listed}");
    assert_eq!(listed["data"]["silent"][0]["code"], "provider_policy_denied", "{listed}");
}
