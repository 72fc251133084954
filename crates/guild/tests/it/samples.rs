//! The bundled plugin as people meet it: listed, shown and vetted like any other, though it lies on no disk.

use crate::{env, envelope};
use expect_test::expect;
use guild_testkit::session;

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
        files        SKILL.md, references/scoring.md, scripts/command.py, scripts/complexity.py, scripts/python_files.py"#]].assert_eq(&facts.join("\n"));
}
