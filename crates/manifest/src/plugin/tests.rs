//! Manifests as text in, the model and the problems as text out: one file of tests for each dialect.

mod agent_plugin;
mod conformance;
mod foreign;
mod guild;
mod hooks;
mod hostile;
mod marketplace;
mod mcp;
mod vendor;

use super::*;
use expect_test::{Expect, expect_file};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// A plugin directory written as text: `//- path` begins a file, `//- path (link)` something that is none.
#[derive(Default)]
struct Fixture {
    files: BTreeMap<String, Found>,
}

impl Fixture {
    fn parse(text: &str) -> Self {
        let indent = text.lines().filter(|line| !line.trim().is_empty());
        let indent = indent.map(|line| line.len() - line.trim_start().len()).min().unwrap_or(0);
        let mut fixture = Self::default();
        for section in text.split("//- ").skip(1) {
            let (header, body) = section.split_once('\n').unwrap_or((section, ""));
            let body: String =
                body.lines().map(|line| format!("{}\n", line.get(indent..).unwrap_or(""))).collect();
            match header.trim().split_once(" (") {
                Some((path, "link)")) => fixture.put(path, Found::NotAFile),
                Some((path, _)) => fixture.put(path, Found::Unreadable("permission denied".to_owned())),
                None => fixture.put(header.trim(), Found::Bytes(body.trim_end().as_bytes().to_vec())),
            }
        }
        fixture
    }

    fn with(path: &str, bytes: impl Into<Vec<u8>>) -> Self {
        let mut fixture = Self::default();
        fixture.put(path, Found::Bytes(bytes.into()));
        fixture
    }

    fn put(&mut self, path: &str, found: Found) {
        self.files.insert(path.to_owned(), found);
    }
}

impl Files for Fixture {
    fn file(&self, path: &str) -> Found {
        self.files.get(path).cloned().unwrap_or(Found::Missing)
    }

    fn is_dir(&self, path: &str) -> bool {
        path == "." || self.files.keys().any(|file| file.starts_with(&format!("{path}/")))
    }
}

/// Every file under `test_data/plugin` reads as the file of the same name that ends in `.out`.
#[test]
fn every_plugin_on_file_reads_as_expected() {
    check_files("plugin", |text| show(read("the-directory", &Fixture::parse(text), Standing::Candidate)));
}

#[track_caller]
fn check_files(folder: &str, read: impl Fn(&str) -> String) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("test_data").join(folder);
    let paths = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let inputs: Vec<_> =
        paths.filter(|path| path.extension().is_some_and(|ending| ending == "txt")).collect();
    assert!(!inputs.is_empty(), "{} holds no fixture", folder.display());
    for input in inputs {
        let text = std::fs::read_to_string(&input).unwrap();
        expect_file![input.with_extension("out")].assert_eq(&read(&text));
    }
}

#[track_caller]
fn check(fixture: &str, expect: Expect) {
    let reading = read("the-directory", &Fixture::parse(fixture), Standing::Candidate);
    expect.assert_eq(&show(reading));
}

/// The model as one line for each field that says something, then the problems with their hints.
fn show(reading: Option<Reading>) -> String {
    let Some(reading) = reading else { return "no plugin\n".to_owned() };
    let mut out = match (&reading.plugin, reading.manifest) {
        (Some(plugin), Some(manifest)) => format!("{} from {manifest}\n", plugin.dialect.as_str()),
        (Some(plugin), None) => format!("{} without a manifest\n", plugin.dialect.as_str()),
        (None, _) => format!("nothing from {}\n", reading.manifest.unwrap_or_default()),
    };
    if let Some(plugin) = &reading.plugin {
        out += &show_fields(&serde_json::to_value(plugin).unwrap(), &["dialect"]);
    }
    out + &show_problems(&reading.problems)
}

fn show_fields(value: &serde_json::Value, hidden: &[&str]) -> String {
    let mut out = String::new();
    for (key, value) in value.as_object().unwrap() {
        let says_nothing = value.is_null()
            || value.as_array().is_some_and(Vec::is_empty)
            || (*value == serde_json::Value::Bool(true)
                && matches!(key.as_str(), "default_enabled" | "strict"));
        match value.as_array() {
            _ if says_nothing || hidden.contains(&key.as_str()) => {}
            Some(items) => items.iter().for_each(|item| writeln!(out, "{key}: {item}").unwrap()),
            None => writeln!(out, "{key}: {value}").unwrap(),
        }
    }
    out
}

fn show_problems(problems: &[Problem]) -> String {
    problems.iter().map(|problem| format!("{problem}\n  hint: {}\n", problem.hint)).collect()
}
