//! Tests of the configuration as its callers see it: text in, what is in effect and what is wrong out.

mod hostile;
mod layering;
mod mistakes;
mod questions;
mod reading;
mod sandbox;
mod trust;

use super::{Config, Layer, merge, read};
use crate::Problem;
use expect_test::Expect;
use std::fmt::Write;

/// The digest of an empty table, in quotes.
const EMPTY: &str = "\"sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a\"";

/// The layers of one case, read from TOML and merged.
fn layered(layers: &[(Layer, &str)]) -> (Config, Vec<Problem>) {
    let mut problems = Vec::new();
    let mut settings = Vec::new();
    for (layer, text) in layers {
        let reading = read(file_of(*layer), text.as_bytes(), *layer);
        problems.extend(reading.problems);
        settings.push((*layer, reading.settings));
    }
    let config = merge(settings);
    problems.extend(config.problems.iter().cloned());
    (config, problems)
}

/// What is in effect and differs from the defaults, then the problems.
#[track_caller]
fn check(layers: &[(Layer, &str)], expect: Expect) {
    let (config, problems) = layered(layers);
    expect.assert_eq(&show(&config, &problems));
}

#[track_caller]
fn check_user(text: &str, expect: Expect) {
    check(&[(Layer::User, text)], expect);
}

#[track_caller]
fn check_file(file: &str, bytes: &[u8], expect: Expect) {
    let reading = read(file, bytes, Layer::User);
    expect.assert_eq(&show(&merge(vec![(Layer::User, reading.settings)]), &reading.problems));
}

fn show(config: &Config, problems: &[Problem]) -> String {
    let json = |config: &Config| serde_json::to_value(config).unwrap();
    let (shown, usual) = (json(config), json(&Config::default()));
    let mut out = String::new();
    for (key, value) in shown.as_object().unwrap() {
        if usual[key] != *value {
            writeln!(out, "{key}: {}", value.to_string().replace(EMPTY, "{}")).unwrap();
        }
    }
    for problem in problems {
        writeln!(out, "{problem}\n  hint: {}", problem.hint).unwrap();
    }
    out
}

fn file_of(layer: Layer) -> &'static str {
    match layer {
        Layer::System => "/etc/g/c.toml",
        Layer::User => "/home/u/c.toml",
        Layer::Project => "guild.toml",
    }
}
