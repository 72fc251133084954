//! `cargo xtask tidy`: the house rules as code, one check a file.
//!
//! A check is a pure function from the repository's files to findings, and each finding says how to mend it.
//! What the compiler and clippy can check is left to them.

mod architecture;
mod cargo_toml;
mod codes;
mod dependencies;
mod file_size;
mod layers;
mod lockfile;
mod module_docs;
mod names;
mod packages;
mod purity;
mod rust_source;
mod tree;
mod unsafe_code;
mod whitespace;

use std::fmt;
use std::path::Path;

use tree::Tree;

/// A check, by the name that is printed with its findings.
type Check = (&'static str, fn(&Tree) -> Vec<Finding>);

const CHECKS: &[Check] = &[
    ("packages", packages::check),
    ("layers", layers::check),
    ("dependencies", dependencies::check),
    ("purity", purity::check),
    ("unsafe code", unsafe_code::check),
    ("module docs", module_docs::check),
    ("file size", file_size::check),
    ("names", names::check),
    ("lock file", lockfile::check),
    ("whitespace", whitespace::check),
    ("architecture", architecture::check),
    ("codes", codes::check),
];

/// Something that breaks a house rule.
#[derive(Debug)]
struct Finding {
    path: String,
    line: Option<usize>,
    problem: String,
    fix: String,
}

/// Runs every check over the repository at `root` and prints what they find.
pub fn run(root: &Path) -> Result<(), String> {
    let tree = Tree::read(root)?;
    let mut count = 0;
    for (name, check) in CHECKS {
        for finding in check(&tree) {
            println!("{finding} [{name}]");
            count += 1;
        }
    }
    if count == 0 { Ok(()) } else { Err(format!("findings: {count}")) }
}

impl Finding {
    fn in_file(path: &str, problem: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line: None, problem: problem.into(), fix: fix.into() }
    }

    fn at(path: &str, line: usize, problem: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { line: Some(line), ..Self::in_file(path, problem, fix) }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {}\n    fix: {}", self.problem, self.fix)
    }
}

/// Compares the findings of one check on made-up files with a snapshot.
#[cfg(test)]
#[track_caller]
fn check_on(check: fn(&Tree) -> Vec<Finding>, fixture: &str, expect: &expect_test::Expect) {
    let findings: Vec<String> = check(&Tree::of(fixture)).iter().map(ToString::to_string).collect();
    expect.assert_eq(&findings.join("\n"));
}
