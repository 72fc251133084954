//! Names that say nothing are forbidden for files, folders and modules.
//!
//! It compares whole names and a few affixes. Names of types and functions are for a reader to judge.

use super::Finding;
use super::rust_source::{RustSource, line_of, rust_sources, words_at};
use super::tree::{Tree, is_test_data};

const FORBIDDEN: &[&str] =
    &["common", "core", "helper", "helpers", "impl", "manager", "misc", "service", "types", "util", "utils"];

const FORBIDDEN_PREFIXES: &[&str] = &["legacy_", "new_"];

const FIX: &str = "name it by what it holds (a noun) or does (a verb); there is one version of each thing, and git has the old one";

/// Finds files, folders and modules whose name is forbidden.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for file in tree.files().filter(|file| is_checked(&file.path)) {
        let parts = file.path.split('/').map(|part| part.split('.').next().unwrap_or_default());
        for part in parts.filter(|part| is_forbidden(part)) {
            findings.push(Finding::in_file(&file.path, format!("`{part}` is no name"), FIX));
        }
    }
    for source in rust_sources(tree) {
        for (line, module) in modules(&source) {
            if is_forbidden(&module) {
                findings.push(Finding::at(source.path, line, format!("`mod {module}` is no name"), FIX));
            }
        }
    }
    findings
}

fn is_checked(path: &str) -> bool {
    (path.starts_with("crates/") || path.starts_with("xtask/")) && !is_test_data(path)
}

fn is_forbidden(name: &str) -> bool {
    FORBIDDEN.contains(&name)
        || FORBIDDEN_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        || has_version(name)
}

/// Whether `name` ends like `_v2`.
fn has_version(name: &str) -> bool {
    let digits = name.rsplit_once("_v").map(|(_, digits)| digits);
    digits.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

fn modules(source: &RustSource<'_>) -> Vec<(usize, String)> {
    let named = |at: usize| {
        let rest = source.code.get(at + "mod".len()..)?.trim_start();
        let name = rest.split(|char: char| !char.is_alphanumeric() && char != '_').next()?;
        Some((line_of(&source.code, at), name.to_owned()))
    };
    words_at(&source.code, "mod").filter_map(named).collect()
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::tidy::check_on;

    #[test]
    fn names_that_say_nothing_are_found() {
        check_on(
            check,
            r#"
            //- /crates/core/src/lib.rs
            //- /crates/a/src/utils.rs
            //- /crates/a/src/parser_v2.rs
            //- /crates/a/src/new_parser/mod.rs
            //- /crates/a/src/lib.rs
            mod reader;
            pub mod helpers;
            mod types { }
            "#,
            &expect![[r#"
                crates/a/src/new_parser/mod.rs: `new_parser` is no name
                    fix: name it by what it holds (a noun) or does (a verb); there is one version of each thing, and git has the old one
                crates/a/src/parser_v2.rs: `parser_v2` is no name
                    fix: name it by what it holds (a noun) or does (a verb); there is one version of each thing, and git has the old one
                crates/a/src/utils.rs: `utils` is no name
                    fix: name it by what it holds (a noun) or does (a verb); there is one version of each thing, and git has the old one
                crates/core/src/lib.rs: `core` is no name
                    fix: name it by what it holds (a noun) or does (a verb); there is one version of each thing, and git has the old one
                crates/a/src/lib.rs:2: `mod helpers` is no name
                    fix: name it by what it holds (a noun) or does (a verb); there is one version of each thing, and git has the old one
                crates/a/src/lib.rs:3: `mod types` is no name
                    fix: name it by what it holds (a noun) or does (a verb); there is one version of each thing, and git has the old one"#]],
        );
    }

    #[test]
    fn good_names_and_test_data_are_fine() {
        check_on(
            check,
            "
            //- /crates/a/src/new.rs
            //- /crates/a/src/query_types.rs
            //- /crates/a/src/lib.rs
            // mod utils is a comment
            mod score;
            //- /crates/a/test_data/core/utils.md
            //- /docs/common.md
            ",
            &expect![""],
        );
    }
}
