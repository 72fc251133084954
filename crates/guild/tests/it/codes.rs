//! `docs/codes.md` and `docs/cli.md` are made from what the program itself says.

use crate::help::help_of;
use crate::{env, subcommands};
use expect_test::expect_file;
use guild_engine::Code as Outcome;
use guild_engine::manifest::Code as Problem;
use std::fmt::Write as _;

#[test]
fn the_page_of_codes_is_current() {
    expect_file!["../../../../docs/codes.md"].assert_eq(&page_of_codes());
}

#[test]
fn the_page_of_commands_is_current() {
    expect_file!["../../../../docs/cli.md"].assert_eq(&page_of_commands());
}

#[test]
fn every_code_is_snake_case_and_is_used_once() {
    let problems = Problem::ALL.iter().map(|code| code.as_str());
    let mut codes: Vec<&str> = problems.chain(Outcome::ALL.iter().map(|code| code.as_str())).collect();
    for code in &codes {
        assert!(
            code.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_'),
            "{code}"
        );
    }
    let count = codes.len();
    codes.sort_unstable();
    codes.dedup();
    assert_eq!(codes.len(), count);
}

#[test]
fn every_code_can_be_explained() {
    let env = env("");
    let problems = Problem::ALL.iter().map(|code| (code.as_str(), code.about()));
    for (code, about) in problems.chain(Outcome::ALL.iter().map(|code| (code.as_str(), code.about()))) {
        let text = env.guild(&["explain", code]).stdout();
        assert!(text.starts_with(code) && text.contains(about), "{text}");
    }
}

fn page_of_codes() -> String {
    let mut page = String::from(
        "# Codes

Codes are API: they are never renamed and never mean something else. `guild explain CODE` says the same as this page.
This file is generated; `UPDATE_EXPECT=1 cargo test -p guild` writes it.

## Outcomes

An outcome is the `code` of an envelope. The command ends with its exit code: 0 ok, 1 failed, 2 wrong usage, 3 denied,
4 no container runtime, 70 a defect of ours.

| code | exit code | meaning |
| --- | --- | --- |
",
    );
    for code in Outcome::ALL {
        writeln!(page, "| `{}` | {} | {} |", code.as_str(), code.exit_code(), code.about()).unwrap();
    }
    page.push_str(
        "
## Problems

A problem is something wrong with a file; it has a place and a hint. The severity is that of the lenient profile; the strict and
the upload profile make errors of some. What is kept out is not loaded, and still keeps its name from lower roots.

| code | severity | keeps it out | meaning |
| --- | --- | --- | --- |
",
    );
    for code in Problem::ALL {
        let out = if code.excludes() { "yes" } else { "no" };
        writeln!(page, "| `{}` | {} | {out} | {} |", code.as_str(), code.severity(), code.about()).unwrap();
    }
    page
}

fn page_of_commands() -> String {
    let env = env("");
    let mut page = String::from(
        "# Commands

What `guild --help` and `guild COMMAND --help` print. This file is generated; `UPDATE_EXPECT=1 cargo test -p guild` writes it.
",
    );
    let mut add = |title: &str, text: &str| {
        write!(page, "\n## {title}\n\n```text\n{}\n```\n", text.trim_end()).unwrap();
    };
    add("guild", &help_of(&env, &["--help"]));
    for command in subcommands() {
        let arguments: Vec<&str> = command.split(' ').chain(["--help"]).collect();
        add(&format!("guild {command}"), &help_of(&env, &arguments));
    }
    page
}
