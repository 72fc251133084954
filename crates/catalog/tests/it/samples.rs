//! The bundled plugin `guild-samples`: found without any set-up, whole, and replaced by a person's plugin of that name.
//!
//! What its scripts do is told by `tests/samples`, in the language that they are written in; those tests run here too.

use crate::world::{World, check};
use expect_test::{Expect, expect};
use guild_catalog::{Entry, Scope, Snapshot, bundled, bytes, files};
use guild_manifest::skill::{Kind, Network, Workspace};
use std::path::Path;
use std::process::Command;

const PLUGIN: &str = "guild-samples";

/// The skills of the bundled plugin.
fn samples(snapshot: &Snapshot) -> impl Iterator<Item = &Entry> {
    let is_sample = |entry: &&Entry| entry.place.plugin.as_deref() == Some(PLUGIN);
    snapshot.skills.iter().filter(is_sample)
}

/// The plugin and its skills as discovery shows them.
#[track_caller]
fn check_samples(text: &str, expect: &Expect) {
    let snapshot = World::new(text).discover();
    let plugins = snapshot.plugins.iter().filter(|entry| entry.plugin.name == PLUGIN).map(|entry| {
        let state = if entry.enabled { "on" } else { "off" };
        format!("plugin {} {state}, skills: {}\n", entry.directory.display(), entry.skill_count)
    });
    let skills = samples(&snapshot).map(|entry| {
        let state = if entry.is_offered() { "offered" } else { "not offered" };
        format!("{} ({}) {state}\n", entry.qualified_name(), entry.place.scope.as_str())
    });
    expect.assert_eq(&plugins.chain(skills).collect::<String>());
}

#[test]
fn it_is_there_without_any_root() {
    check_samples(
        "",
        &expect![[r#"
            plugin (builtin)/guild-samples on, skills: 3
            guild-samples/code-complexity (builtin) offered
            guild-samples/scientific-debugging (builtin) offered
            guild-samples/systemic-vulnerability-scan (builtin) offered
        "#]],
    );
}

#[test]
fn it_goes_with_the_built_in_skills() {
    check_samples("//- /home/.config/guild/config.toml\nbuiltins = false\n", &expect![[""]]);
    check_samples("//- /project/guild.toml\nbuiltins = false\n", &expect![[""]]);
}

#[test]
fn it_can_be_switched_off_like_any_plugin() {
    check_samples(
        "//- /home/.config/guild/config.toml\nplugins.disabled = ['guild-samples']\n",
        &expect![[r#"
            plugin (builtin)/guild-samples off, skills: 3
            guild-samples/code-complexity (builtin) not offered
            guild-samples/scientific-debugging (builtin) not offered
            guild-samples/systemic-vulnerability-scan (builtin) not offered
        "#]],
    );
}

#[test]
fn a_plugin_of_that_name_takes_its_place_whole() {
    check(
        "
        //- /home/.guild/plugins/guild-samples/.claude-plugin/plugin.json
        {\"name\": \"guild-samples\"}
        //- /home/.guild/plugins/guild-samples/skills/other/SKILL.md
        @other Mine.
        ",
        expect![[r#"
            guild-samples/other (plugin) /home/.guild/plugins/guild-samples/skills/other/SKILL.md
            plugin guild-samples (user) /home/.guild/plugins/guild-samples, skills: 1
            collision plugin:guild-samples: user /home/.guild/plugins/guild-samples over builtin (builtin)/guild-samples
        "#]],
    );
}

#[test]
fn every_skill_of_it_is_a_script_that_asks_for_no_more_than_it_needs_and_declares_what_it_takes_and_gives() {
    let snapshot = World::new("").discover();
    for entry in samples(&snapshot) {
        let name = &entry.skill.name;
        assert_eq!((&entry.problems, entry.skill.kind), (&Vec::new(), Kind::Script), "{name}");
        assert!(entry.place.directory.ends_with(name));
        let contract = entry.skill.contract.as_deref().unwrap();
        assert!(contract.outputs.is_some() && contract.limits.timeout_seconds.is_some(), "{name}");
        let params = contract.params.as_ref().unwrap();
        assert!(params.closed && params.list.iter().all(|param| param.description.is_some()), "{name}");
        let path = params.list.iter().find(|param| param.name == "path");
        assert!(path.is_none_or(|param| param.format.as_deref() == Some("path")), "{name}");
        let needed = if path.is_some() { Workspace::Read } else { Workspace::None };
        assert_eq!((contract.workspace, contract.network), (needed, Network::None), "{name}");
        let script = contract.script.as_deref().unwrap();
        let own = bundled::files(&entry.place).unwrap();
        let program = own.iter().find(|file| file.path == script).unwrap();
        assert!(program.executable && program.bytes.starts_with(b"#!/usr/bin/env python3\n"), "{name}");
    }
}

#[test]
fn the_files_of_a_skill_are_those_of_the_plugin_below_it() {
    let snapshot = World::new("").discover();
    let whole = bundled::plugin(PLUGIN).unwrap();
    let mut count = 0;
    for entry in samples(&snapshot) {
        let own = bundled::files(&entry.place).unwrap();
        count += own.len();
        for file in &own {
            let path = format!("skills/{}/{}", entry.skill.name, file.path);
            let twin = whole.iter().find(|twin| twin.path == path).unwrap();
            assert_eq!((twin.bytes, twin.executable), (file.bytes, file.executable));
        }
        assert_eq!(files(&entry.place), own.iter().map(|file| file.path).collect::<Vec<_>>());
        let text = own.iter().find(|file| file.path == "SKILL.md").unwrap().bytes;
        assert_eq!(bytes(entry).unwrap(), text);
    }
    assert_eq!(count + 1, whole.len(), "beside the skills' files there is the manifest alone");
}

#[test]
fn what_lies_on_a_disk_is_not_bundled() {
    let world = World::new("//- /project/.guild/skills/review/SKILL.md\n@review Ours.\n");
    let snapshot = world.discover();
    let review = snapshot.skills.iter().find(|entry| entry.skill.name == "review").unwrap();
    assert_eq!((review.place.scope, bundled::files(&review.place)), (Scope::Project, None));
    assert_eq!(bundled::plugin("review"), None);
}

/// Runs a file of Python tests, all of which pass and of which there are some.
#[track_caller]
fn run_python_tests(module: &str) {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples");
    #[expect(clippy::disallowed_methods, reason = "the samples' own tests are written in Python")]
    let mut command = Command::new("python3");
    let output = command.args(["-B", "-m", "unittest", module]).current_dir(directory).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !said.contains("Ran 0 tests"), "{module}:\n{said}");
}

#[test]
fn tests_of_every_sample() {
    run_python_tests("test_every_sample");
}

#[test]
fn tests_of_code_complexity() {
    run_python_tests("test_code_complexity");
}

#[test]
fn tests_of_scientific_debugging() {
    run_python_tests("test_scientific_debugging");
}

#[test]
fn tests_of_systemic_vulnerability_scan() {
    run_python_tests("test_systemic_vulnerability_scan");
}
