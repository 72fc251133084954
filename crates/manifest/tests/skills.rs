//! Every file of `test_data/skill` is read, and what comes of it stands beside it as text.
//!
//! To add a case, drop a file in and run with `UPDATE_EXPECT=1`; then read the difference. A file's name says what
//! it shows. Files under `err` must not load, files under `ok` must.

#![expect(clippy::unwrap_used, reason = "a test that cannot read its data must fail")]

use expect_test::expect_file;
use guild_manifest::skill::{self, KNOWN_KEYS, Profile, Source};
use serde_json::Value as Json;
use std::path::{Path, PathBuf};
use std::{fmt::Write as _, fs};

#[test]
fn files_under_ok_load() {
    check_folder("ok", true);
}

#[test]
fn files_under_err_do_not_load_and_say_where_and_why() {
    check_folder("err", false);
}

#[test]
fn a_file_of_128_kb_loads_and_one_over_the_limit_does_not() {
    let text =
        |bytes: usize| format!("---\nname: long\ndescription: Long.\n---\n{}", "word \n".repeat(bytes / 6));
    let codes = |text: &str| {
        let reading = skill::read(&Source::new("SKILL.md", "long", text.as_bytes()), Profile::Lenient);
        reading.problems.iter().map(|problem| problem.code.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(codes(&text(128 * 1024)), ["body_long"]);
    assert_eq!(codes(&text(300 * 1024)), ["file_too_large"]);
}

#[test]
fn the_line_of_a_problem_counts_from_the_top_of_the_file() {
    let text = "\n---\nname: a\ndescription: b\nuser-invocable: perhaps\n---\nbody\n";
    let reading = skill::read(&Source::new("SKILL.md", "a", text.as_bytes()), Profile::Lenient);
    let lines: Vec<u32> = reading.problems.iter().map(|problem| problem.at.line).collect();
    assert_eq!((lines, reading.body_line), (vec![1, 5], 7));
}

#[test]
fn a_skill_without_a_name_is_told_the_one_that_lists_show() {
    let source = Source::new("SKILL.md", "my notes", b"---\ndescription: d\n---\nbody\n");
    let reading = skill::read(&source, Profile::Lenient);
    assert_eq!(reading.skill.map(|skill| skill.name).as_deref(), Some("my-notes"));
    let told: Vec<&str> = reading.problems.iter().map(|problem| problem.message.as_str()).collect();
    assert_eq!(told, ["the skill has no name; `my-notes` is used"]);
}

#[test]
fn activation_globs_match_at_the_top_too() {
    let matches = |glob: &str, file: &str| {
        let text = format!("---\nname: a\ndescription: b\npaths: '{glob}'\n---\nbody\n");
        let reading = skill::read(&Source::new("SKILL.md", "a", text.as_bytes()), Profile::Lenient);
        reading.skill.unwrap().matches_path(Path::new(file))
    };
    for (glob, file) in [
        ("**/*.py", "a.py"),
        ("**/*.py", "src/deep/a.py"),
        ("*.py", "src/a.py"),
        ("src/{a,b}/*.ts", "src/b/x.ts"),
        ("docs/**", "docs/a/b.md"),
        ("x.rs, *.py", "a.py"),
        ("docs/", "docs/a/b.md"),
        ("./docs/", "docs/a.md"),
        ("./lib/*.js", "lib/a.js"),
        ("./*.js", "a.js"),
    ] {
        assert!(matches(glob, file), "{glob} should match {file}");
    }
    for (glob, file) in [
        ("src/*.ts", "src/a/b.ts"),
        ("**/*.py", "a.pyc"),
        ("src/*.ts", "x.ts"),
        ("./*.js", "deep/a.js"),
        ("docs/", "docs"),
        ("docs/", "a/docs/b"),
    ] {
        assert!(!matches(glob, file), "{glob} should not match {file}");
    }
}

#[test]
fn a_glob_that_no_matcher_can_be_made_of_is_told_and_matches_nothing() {
    let deep = format!("{}a{}", "{".repeat(400), "}".repeat(400));
    let text = format!("---\nname: s\ndescription: d\npaths: ['{deep}', '*.md']\n---\nbody\n");
    let reading = skill::read(&Source::new("SKILL.md", "s", text.as_bytes()), Profile::Lenient);
    let told: Vec<String> = reading.problems.iter().map(ToString::to_string).collect();
    let shown = "{".repeat(60);
    let expected = format!(
        "SKILL.md:4:8: warning[glob_invalid]: `{shown}…` is no valid glob: its braces are nested deeper than 16"
    );
    assert_eq!(told, [expected]);
    let mut skill = reading.skill.unwrap();
    assert_eq!(skill.paths, ["*.md"]);
    // An index that an older release wrote may hold one.
    skill.paths = vec![deep];
    assert!(!skill.matches_path(Path::new("a")));
}

fn check_folder(folder: &str, loads: bool) {
    let directory = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("test_data/skill").join(folder);
    let mut files: Vec<PathBuf> =
        fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "md"));
    files.sort();
    assert!(!files.is_empty());
    for file in files {
        let stem = file.file_stem().unwrap().to_string_lossy().into_owned();
        let bytes = fs::read(&file).unwrap();
        let sidecar = fs::read(file.with_extension("openai.yaml")).ok();
        let shown = show(&stem, &bytes, sidecar.as_deref());
        expect_file![file.with_extension("txt")].assert_eq(&shown);
        let source = Source { sidecar: sidecar.as_deref(), ..Source::new("SKILL.md", &stem, &bytes) };
        let reading = skill::read(&source, Profile::Lenient);
        assert_eq!(reading.skill.is_some(), loads, "{}", file.display());
    }
}

/// The skill as JSON without what is empty, the body's place, and the problems under each profile.
fn show(stem: &str, bytes: &[u8], sidecar: Option<&[u8]>) -> String {
    let source = Source { sidecar, ..Source::new("SKILL.md", stem, bytes) };
    let mut out = String::new();
    let lenient = skill::read(&source, Profile::Lenient);
    if let Some(skill) = &lenient.skill {
        let mut json = serde_json::to_value(skill).unwrap();
        let hints = serde_json::to_value(&lenient.hints).unwrap();
        json.as_object_mut().unwrap().insert("hints".to_owned(), hints);
        let json = pruned(json);
        writeln!(out, "{}", serde_json::to_string_pretty(&json).unwrap()).unwrap();
        let known = |key: &str| KNOWN_KEYS.contains(&key) && key != "metadata";
        for entry in lenient.frontmatter.entries().iter().filter(|entry| !known(&entry.key)) {
            writeln!(out, "kept {}: {}", entry.key, entry.value.to_data().to_json()).unwrap();
        }
        if let Some(params) = skill.contract.as_ref().and_then(|contract| contract.params.as_ref()) {
            writeln!(out, "schema {}", params.schema()).unwrap();
        }
    }
    let first: String = lenient.body.trim().chars().take(40).collect();
    writeln!(out, "body from line {}: {first:?}", lenient.body_line).unwrap();
    let mut before: Vec<String> = lenient.problems.iter().map(ToString::to_string).collect();
    for problem in &lenient.problems {
        writeln!(out, "{problem}\n    hint: {}", problem.hint).unwrap();
    }
    for (name, profile) in [("strict", Profile::Strict), ("upload", Profile::Upload)] {
        for problem in skill::read(&source, profile).problems.iter().map(ToString::to_string) {
            if !before.contains(&problem) {
                writeln!(out, "{name}: {problem}").unwrap();
                before.push(problem);
            }
        }
    }
    out
}

fn pruned(value: Json) -> Json {
    let is_dull = |value: &Json| {
        matches!(value, Json::Null | Json::Bool(false))
            || value.as_array().is_some_and(Vec::is_empty)
            || value.as_object().is_some_and(serde_json::Map::is_empty)
            || value.as_str().is_some_and(str::is_empty)
    };
    match value {
        Json::Object(map) => map
            .into_iter()
            .map(|(key, value)| (key, pruned(value)))
            .filter(|(_, value)| !is_dull(value))
            .collect(),
        Json::Array(items) => items.into_iter().map(pruned).collect(),
        other => other,
    }
}
