//! The example program that has the engine in it, run as anybody would run it.

use std::path::{Path, PathBuf};
use std::process::Command;

use guild_testkit::Fixture;
use serde_json::Value;

/// The program, which is built beside the tests.
fn embed() -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let built = tests.ancestors().find(|directory| directory.join("examples").is_dir()).unwrap();
    built.join("examples/embed")
}

#[expect(clippy::disallowed_methods, reason = "a test of a program runs it")]
fn run(project: &Path, home: &Path, tool: &str, input: &str) -> Value {
    let told = Command::new(embed()).args([project, home]).args([tool, input]).output().unwrap();
    assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
    serde_json::from_slice(&told.stdout).unwrap()
}

#[test]
fn a_program_of_a_few_lines_calls_tools() {
    let fixture = Fixture::write("//- /home/\n//- /project/.git/\n");
    let (project, home) = (fixture.join("project"), fixture.join("home"));
    let added = run(&project, &home, "builtin:add", r#"{"a": 20, "b": 22}"#);
    assert_eq!((&added["code"], &added["message"]), (&"ok".into(), &"42".into()), "{added}");
    assert!(added["data"]["receipt"].as_str().unwrap().starts_with("rcp_"), "{added}");
    let missing = run(&project, &home, "plugin:nobody/nothing", "{}");
    assert_eq!(missing["code"], "provider_tool_unregistered", "{missing}");
}
