//! What is installed over HTTP: looked at first, added, compared, updated and removed, with progress for those who want it.

use super::Server;
use crate::serve::SKILLS;
use serde_json::json;

const SOURCE: &str = r"
//- /project/.git/
//- /elsewhere/skills/one/SKILL.md
---
name: one
description: The first of two
---
Do the first thing, and then look at it.
//- /elsewhere/skills/two/SKILL.md
---
name: two
description: The second of two
---
Do the second thing, and then look at it.
";

#[test]
fn a_source_is_looked_at_added_compared_and_removed() {
    let server = Server::start(&format!("{SKILLS}{SOURCE}"));
    let (viewer, operator, admin) =
        (server.person("viewer"), server.person("operator"), server.person("admin"));
    let source = server.env.root().join("elsewhere").to_string_lossy().into_owned();
    let preview = json!({"source": source, "preview": true});
    assert_eq!(operator.post("/sources", &preview).told(), "403 role_insufficient");
    let listed = admin.post("/sources", &preview).data("200 ok");
    assert_eq!(listed["candidates"].as_array().unwrap().len(), 2);
    assert_eq!(viewer.get("/sources").data("200 ok")["count"], 0);
    assert_eq!(admin.post("/sources", &json!({"source": source})).told(), "422 choice_required");
    assert_eq!(admin.post("/sources", &json!({"source": "no such thing"})).told(), "422 source_invalid");
    // Progress comes first, and the envelope last.
    let mut stream = admin.follow("POST", "/sources", &json!({"source": source, "all": true}).to_string());
    let mut last = stream.event().unwrap();
    while let Some(next) = stream.event() {
        assert!(last["message"].is_string(), "{last}");
        last = next;
    }
    assert_eq!((&last["code"], last["data"]["installed"].as_array().unwrap().len()), (&json!("ok"), 2));
    assert_eq!(viewer.get("/skills/one").told(), "200 ok");
    assert_eq!(viewer.get("/sources").data("200 ok")["count"], 2);
    assert_eq!(viewer.get("/sources/verify").data("200 ok")["checked"], 2);
    assert_eq!(viewer.get("/sources/outdated?name=one").data("200 ok")["skills"][0]["state"], "current");
    server.env.write("//- /elsewhere/skills/one/SKILL.md\n---\nname: one\ndescription: Newer\n---\nDo it anew, and then look at it.\n");
    assert_eq!(viewer.get("/sources/outdated").data("200 ok")["count"], 1);
    // What would change is shown before anybody agrees.
    assert_eq!(operator.post("/sources/update", &json!({"agreed": true})).told(), "403 role_insufficient");
    let planned = admin.post("/sources/update", &json!({})).data("200 not_confirmed");
    assert_eq!(planned["updates"][0]["state"], "update");
    assert_eq!(admin.post("/sources/update", &json!({"agreed": true})).told(), "200 ok");
    assert_eq!(viewer.get("/skills/one").data("200 ok")["skill"]["description"], "Newer");
    server.env.write("//- /project/.guild/skills/two/SKILL.md\n---\nname: two\ndescription: Edited\n---\nEdited by hand, as one does.\n");
    assert_eq!(viewer.get("/sources/verify").told(), "200 verify_failed");
    assert_eq!(admin.delete("/sources/two").told(), "409 locally_edited");
    assert_eq!(operator.delete("/sources/two?force=true").told(), "403 role_insufficient");
    assert_eq!(admin.delete("/sources/two?force=true").told(), "200 ok");
    assert_eq!(admin.delete("/sources/two").told(), "404 not_installed");
    assert_eq!(viewer.get("/skills/two").told(), "404 skill_not_found");
}

#[test]
fn an_agents_wish_to_install_waits_for_an_admin() {
    let server = Server::start(&format!("{SKILLS}{SOURCE}"));
    let (writer, admin) = (server.agent("writer"), server.person("admin"));
    let source = server.env.root().join("elsewhere").to_string_lossy().into_owned();
    let wished =
        writer.post("/sources", &json!({"source": source, "names": ["one"]})).data("202 approval_required");
    assert_eq!(admin.get("/sources").data("200 ok")["count"], 0);
    let path = format!("/approvals/{}", wished["request"].as_str().unwrap());
    let decided = admin.post(&path, &json!({"decision": "once"})).data("200 ok");
    assert_eq!(decided["wished"]["installed"][0]["name"], "one");
    assert_eq!(writer.get("/skills/one").told(), "200 ok");
    let wished = writer.delete("/sources/one").data("202 approval_required");
    let path = format!("/approvals/{}", wished["request"].as_str().unwrap());
    assert_eq!(admin.post(&path, &json!({"decision": "once"})).told(), "200 ok");
    assert_eq!(writer.get("/skills/one").told(), "404 skill_not_found");
}

/// What waits for a person who stands elsewhere is not done here.
#[test]
fn a_wish_of_another_workspace_is_answered_there() {
    let server = Server::start(&format!("{SKILLS}{SOURCE}//- /other/.git/\n"));
    let admin = server.person("admin");
    let other = server.env.root().join("other").to_string_lossy().into_owned();
    let source = server.env.root().join("elsewhere/skills/one").to_string_lossy().into_owned();
    let asked = server.env.guild(&["--directory", &other, "add", &source, "--agent", "writer", "--json"]);
    let asked = crate::envelope(&asked.stdout());
    let path = format!("/approvals/{}", asked["data"]["request"].as_str().unwrap());
    assert_eq!(admin.post(&path, &json!({"decision": "once"})).told(), "403 approval_way_forbidden");
    assert_eq!(admin.post(&path, &json!({"decision": "deny"})).told(), "200 ok");
}
