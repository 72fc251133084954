//! The rules of Agent Plugins 1.0.0, each with a case on file: what loads, which servers it has, and what is told.

use super::*;
use serde_json::Value;

/// What a file of a case holds: text as it is, everything else as JSON.
fn content(value: &Value) -> Vec<u8> {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned).into_bytes()
}

fn told(case: &Value) -> Value {
    let mut fixture = Fixture::with("plugin.json", content(&case["manifest"]));
    if !case["mcp"].is_null() {
        fixture.put("mcp.json", Found::Bytes(content(&case["mcp"])));
    }
    for (path, text) in case["files"].as_object().into_iter().flatten() {
        fixture.put(path, Found::Bytes(content(text)));
    }
    let Some(reading) = read("directory", &fixture, Standing::Anywhere) else { return Value::Null };
    let is_ours = reading.plugin.as_ref().is_none_or(|plugin| plugin.dialect == Dialect::AgentPlugin);
    if !is_ours
        || reading
            .problems
            .iter()
            .any(|problem| problem.message.starts_with("invalid JSON") && problem.file == "plugin.json")
    {
        return Value::Null;
    }
    let servers = reading.plugin.iter().flat_map(|plugin| &plugin.mcp_servers).map(|server| &server.name);
    let mut codes: Vec<&str> = reading.problems.iter().map(|problem| problem.code.as_str()).collect();
    codes.dedup();
    serde_json::json!({
        "loads": reading.plugin.is_some(),
        "servers": servers.collect::<Vec<_>>(),
        "problems": codes,
    })
}

#[test]
fn every_rule_of_agent_plugins_is_kept() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("test_data/agent_plugins/rules.json");
    let cases: Vec<Value> = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    assert!(cases.len() > 100, "{} cases", cases.len());
    let mut wrong = Vec::new();
    for case in &cases {
        let expected = match &case["loads"] {
            Value::Null => Value::Null,
            loads => serde_json::json!({
                "loads": loads,
                "servers": case.get("servers").cloned().unwrap_or_else(|| serde_json::json!([])),
                "problems": case["problems"],
            }),
        };
        let told = told(case);
        if told != expected {
            wrong.push(format!("{}: {told}, not {expected}", case["rule"]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
