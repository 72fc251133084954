//! Every code with examples: what provokes it, and what looks like it and does not.

use crate::world::World;
use guild_vet::Code;
use std::fs;
use std::path::PathBuf;

/// Codes that other checks find and hand in as remarks; they are tested where those are made.
const HANDED_IN: &[Code] = &[Code::UnknownTool, Code::Structure];

fn directory() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("test_data/rules")
}

/// The examples of a file: whether the code is expected, the title, the fixture.
fn examples(text: &str) -> Vec<(bool, String, String)> {
    let parts = text.split("### ").filter(|part| !part.trim().is_empty());
    parts
        .map(|part| {
            let (head, fixture) = part.split_once('\n').expect("an example has a title and a text");
            let (kind, title) = head.split_once(": ").expect("a title says true or false");
            (kind == "true", title.to_owned(), fixture.to_owned())
        })
        .collect()
}

#[test]
fn every_code_has_examples_that_hold() {
    let mut wrong = Vec::new();
    for code in Code::ALL.iter().filter(|code| !HANDED_IN.contains(code)) {
        let path = directory().join(format!("{code}.txt"));
        let text = fs::read_to_string(&path).unwrap_or_default();
        let examples = examples(&text);
        let has = |kind: bool| examples.iter().any(|(expected, _, _)| *expected == kind);
        if !has(true) || !has(false) {
            wrong.push(format!("{code}: needs a true and a false example"));
        }
        for (expected, title, fixture) in examples {
            let found: Vec<Code> = World::read(&fixture).vet().codes().collect();
            if found.contains(code) != expected {
                let found: Vec<&str> = found.iter().map(|code| code.as_str()).collect();
                wrong.push(format!("{code}: `{title}` should be {expected}; found {found:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn every_file_of_examples_belongs_to_a_code() {
    for entry in fs::read_dir(directory()).expect("the examples") {
        let name = entry.expect("an entry").file_name().into_string().expect("a name");
        let code = name.strip_suffix(".txt").expect("a text");
        assert!(Code::named(code).is_some(), "`{code}` is no code");
    }
}
