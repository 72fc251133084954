//! The bundled plugin as people meet it: listed, shown and vetted like any other, though it lies on no disk.

use crate::{env, envelope};
use expect_test::expect;
use guild_testkit::session;
use serde_json::Value as Json;

#[test]
fn samples_are_the_plugin_s_and_guildhall_s_own() {
    let env = env("//- /project/\n");
    for source in ["plugin", "builtin"] {
        let reply = envelope(&env.guild(&["list", "--source", source, "--json"]).stdout());
        let skills = reply["data"]["skills"].as_array().unwrap();
        let samples = skills.iter().filter(|skill| skill["plugin"] == "guild-samples");
        assert!(samples.clone().all(|skill| skill["scope"] == "builtin" && skill["kind"] == "script"));
        let plugin = envelope(&env.guild(&["plugins", "--json"]).stdout());
        assert_eq!(plugin["data"]["plugins"][0]["skill_count"], samples.count(), "{source}");
        assert_eq!(plugin["data"]["plugins"][0]["path"], "(builtin)/guild-samples");
    }
}

#[test]
fn every_sample_is_allowed_without_a_warning() {
    let env = env("//- /project/\n");
    let reply = envelope(&env.guild(&["vet", "--all", "--json"]).stdout());
    let skills = reply["data"]["skills"].as_array().unwrap();
    let mut samples =
        skills.iter().filter(|skill| skill["name"].as_str().unwrap().starts_with("guild-samples/"));
    assert!(samples.clone().count() > 0);
    assert!(
        samples.all(|skill| skill["verdict"] == "allow" && skill["findings"] == serde_json::json!([])),
        "{reply:#}"
    );
}

/// Whether a value has the types and fields that a schema asks for, as far as the samples' schemas go.
fn fits(schema: &Json, value: &Json) -> bool {
    let own = |key: &str| schema["properties"].get(key).or_else(|| schema.get("additionalProperties"));
    match schema["type"].as_str().unwrap() {
        "object" => {
            let fields = value.as_object().unwrap();
            let required = schema["required"].as_array().into_iter().flatten();
            required.into_iter().all(|name| fields.contains_key(name.as_str().unwrap()))
                && fields.iter().all(|(name, field)| own(name).is_some_and(|schema| fits(schema, field)))
        }
        "array" => value.as_array().unwrap().iter().all(|entry| fits(&schema["items"], entry)),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.as_i64().is_some_and(|number| number >= schema["minimum"].as_i64().unwrap()),
        // No sample has another type, and one that gets one is to be judged here first.
        _ => false,
    }
}

/// A JSON file of the crate that the samples lie in.
fn json(path: &str) -> Json {
    let whole = format!("{}/../catalog/{path}", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_slice(&std::fs::read(whole).unwrap()).unwrap()
}

#[test]
fn what_a_sample_answers_is_what_its_outputs_declare() {
    let env = env("//- /project/\n");
    for name in ["code-complexity", "scientific-debugging", "systemic-vulnerability-scan"] {
        let shown = envelope(&env.guild(&["show", name, "--json"]).stdout());
        let declared = shown["data"]["skill"]["contract"]["outputs"]["$ref"].as_str().unwrap();
        let outputs = json(&format!("builtins/guild-samples/skills/{name}/{declared}"));
        let answer = json(&format!("test_data/samples/{name}/answer.json"));
        assert!(fits(&outputs, &answer), "{name}: {outputs:#} does not describe {answer:#}");
        let declared = outputs["properties"].as_object().unwrap();
        assert_eq!(
            declared.len(),
            answer.as_object().unwrap().len(),
            "{name} declares what it never answers"
        );
    }
}

#[test]
fn a_sample_shows_its_script_parameters_and_files() {
    let shown = session(&env("//- /project/\n"), "guild show guild-samples/code-complexity");
    let facts: Vec<&str> = shown.lines().take_while(|line| !line.starts_with("digest")).skip(3).collect();
    expect![[r#"

        when to use  The user asks how complex Python code is, where to refactor first, which functions are hardest to test or maintain, or wants numbers before and after a change.
        kind         script
        source       builtin
        path         (builtin)/guild-samples/skills/code-complexity/SKILL.md
        eligible     yes
        enabled      yes
        for models   yes
        for people   yes
        script       scripts/complexity.py
        params       path*: string, threshold: integer, top_n: integer, format: string
        needs        workspace read, network none
        time-out     120 s
        activates on **/*.py
        files        SKILL.md, references/outputs.json, references/scoring.md, scripts/command.py, scripts/complexity.py, scripts/python_files.py"#]].assert_eq(&facts.join("\n"));
}
