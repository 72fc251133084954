//! Ways past a scanner, one technique a file, with the verdict that is expected.
//!
//! The first line of a file says `verdict: what the technique is`. A technique that no rule can see is expected to pass,
//! and its line names the wall that contains it. All of them are inert.

use crate::world::World;
use guild_vet::{Code, Policy};
use std::fs;
use std::path::Path;

/// Blank lines for the technique that needs a hundred thousand of them.
const PADDING: usize = 100_000;

fn fixtures() -> Vec<(String, String)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("test_data/evasion");
    let mut found: Vec<(String, String)> = fs::read_dir(directory)
        .expect("the fixtures")
        .map(|entry| {
            let entry = entry.expect("an entry");
            let text = fs::read_to_string(entry.path()).expect("a text");
            (entry.file_name().into_string().expect("a name"), text)
        })
        .collect();
    found.sort();
    found
}

#[test]
fn every_technique_meets_its_verdict() {
    let fixtures = fixtures();
    assert!(fixtures.len() >= 30);
    let mut wrong = Vec::new();
    for (name, text) in fixtures {
        let (head, fixture) = text.split_once('\n').expect("a head");
        let (expected, _) = head.split_once(": ").expect("a verdict");
        let report = World::read(&fixture.replace("@@BLANK@@", &"\n".repeat(PADDING))).vet();
        let verdict = report.verdict(&Policy::default()).as_str();
        if verdict != expected {
            let codes: Vec<&str> = report.codes().map(Code::as_str).collect();
            wrong.push(format!("{name}: expected {expected}, got {verdict} {codes:?}"));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
