//! The rest of the house: plugins and their settings, tools, the registry, configuration, health and numbers.

use super::Server;
use crate::env;
use crate::serve::{SKILLS, Served};
use serde_json::json;

const SHOP: &str = r#"
//- /project/.guild/plugins/shop/guild.plugin.json
{"id": "shop", "name": "Shop", "version": "1.0.0", "description": "Sells", "defaultEnabled": false,
 "capabilities": ["prompt"], "promptSections": [{"heading": "Shop", "content": "Be kind."}],
 "settings": {"till": {"type": "number", "title": "Till", "description": "How much is in it"}}}
//- /project/.guild/plugins/shop/skills/sell/SKILL.md
---
name: sell
description: Sells things
---
Sell it, and be kind to whoever buys.
"#;

#[test]
fn plugins_are_switched_and_set_by_an_admin() {
    let server = Server::start(&format!("{SKILLS}{SHOP}"));
    let (viewer, admin) = (server.person("viewer"), server.person("admin"));
    assert_eq!(viewer.get("/plugins").data("200 ok")["plugins"][0]["name"], "shop");
    let set = json!({"value": "7"});
    assert_eq!(viewer.put("/plugins/shop/settings/till", &set).told(), "403 role_insufficient");
    assert_eq!(
        admin.put("/plugins/shop/settings/till", &json!({"value": "much"})).told(),
        "422 setting_invalid"
    );
    assert_eq!(admin.put("/plugins/shop/settings/till", &set).told(), "200 ok");
    assert_eq!(viewer.get("/plugins/shop/settings").data("200 ok")["values"][0]["value"], "7");
    assert_eq!(viewer.get("/plugins/shap/settings").told(), "404 plugin_not_found");
    assert_eq!(admin.delete("/plugins/shop/settings/till").told(), "200 ok");
    assert_eq!(admin.delete("/plugins/shop/settings/till").told(), "404 config_not_set");
    assert_eq!(viewer.get("/registry").data("200 ok")["plugins"], json!([]));
    assert_eq!(
        viewer.put("/plugins/shop/enabled", &json!({"enabled": true})).told(),
        "403 role_insufficient"
    );
    assert_eq!(admin.put("/plugins/shop/enabled", &json!({"enabled": true})).told(), "200 ok");
    assert_eq!(viewer.get("/registry").data("200 ok")["plugins"][0]["name"], "shop");
    assert_eq!(admin.put("/plugins/shop/enabled", &json!({"enabled": false})).told(), "200 ok");
    assert_eq!(viewer.get("/skills/shop%2Fsell").data("200 ok")["skill"]["enabled"], false);
}

#[test]
fn the_house_tells_of_itself() {
    let server = Server::start(SKILLS);
    let viewer = server.person("viewer");
    let me = viewer.get("/me").data("200 ok");
    assert_eq!(me, json!({"kind": "person", "agent": "default", "role": "viewer", "via": "http"}));
    let tools = viewer.get("/tools?provider=builtin").data("200 ok");
    let first = tools["tools"][0]["name"].as_str().unwrap();
    assert_eq!(viewer.get(&format!("/tools/{first}")).data("200 ok")["name"], first);
    assert_eq!(viewer.get("/tools/builtin:nothing").told(), "404 provider_tool_unregistered");
    assert_eq!(viewer.get("/tools?provider=nobody").told(), "404 provider_unbound");
    let config = viewer.get("/config").data("200 ok");
    assert_eq!(config["settings"]["builtins"], false);
    assert_eq!(viewer.get("/roots").data("200 ok")["roots"][0]["scope"], "project");
    assert_eq!(viewer.get("/doctor").data("200 ok")["checks"][0]["name"], "workspace");
    assert_eq!(viewer.post("/reload", &json!({})).data("200 ok")["skill_count"], 1);
}

#[test]
fn numbers_and_readiness_are_told() {
    let server = Server::start(SKILLS);
    let viewer = server.person("viewer");
    let public =
        |path: &str| server.served.ask(&format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n")).unwrap();
    assert_eq!(public("/ready").told(), "200 ok");
    assert_eq!(public("/metrics").told(), "401 not_authenticated");
    assert_eq!(viewer.get("/skills").told(), "200 ok");
    assert_eq!(
        server.agent("writer").post("/runs", &json!({"skill": "greet", "input": {"who": "x"}})).head.status,
        202
    );
    let metrics = viewer.get("/metrics").body;
    for line in [
        "guild_http_requests_total{method=\"GET\",route=\"/api/v1/skills\",status=\"200\"} 1",
        "guild_http_requests_total{method=\"GET\",route=\"/ready\",status=\"200\"} 1",
        "guild_receipts_total{kind=\"asked\",code=\"approval_required\"} 1",
        "guild_approvals_pending 1",
        "guild_skills 1",
    ] {
        assert!(metrics.lines().any(|known| known == line), "{line}\n{metrics}");
    }
    // Counted once, however often it is asked for.
    let again = viewer.get("/metrics").body;
    assert!(again.contains("guild_receipts_total{kind=\"asked\",code=\"approval_required\"} 1\n"), "{again}");
    assert!(again.contains("route=\"/metrics\",status=\"200\"} 1\n"), "{again}");
}

/// Neither a token nor anything of an address or a body.
#[test]
fn a_line_is_written_for_each_request_and_tells_no_secret() {
    let env = env(SKILLS);
    let served = Served::start(&env, &["--log", "json"]);
    let server = Server { env, served };
    let writer = server.agent("writer");
    assert_eq!(writer.get("/skills/hush-1?x=hush-2").told(), "422 request_invalid");
    assert_eq!(
        writer.post("/runs", &json!({"skill": "hush-3", "input": {"who": "hush-4"}})).told(),
        "404 skill_not_found"
    );
    let Server { mut served, .. } = server;
    let mut lines = (0..3).map(|_| served.running.error_line());
    assert!(lines.next().unwrap().contains("nobody has a token yet"));
    let lines: Vec<String> = lines.collect();
    assert!(lines.iter().all(|line| !line.contains("hush") && !line.contains("tok_")), "{lines:?}");
    let line: serde_json::Value = serde_json::from_str(&lines[0]).unwrap();
    let told = [&line["method"], &line["route"], &line["status"], &line["agent"], &line["level"]];
    assert_eq!(json!(told), json!(["GET", "/api/v1/skills/{name}", 422, "writer", "info"]));
}
