//! ARCHITECTURE.md stays short, and has a line for every dependency from outside.
//!
//! Whether that line gives a good reason is for a reader to say.

use std::collections::BTreeSet;

use super::Finding;
use super::cargo_toml::cargo_tomls;
use super::tree::Tree;

const PATH: &str = "ARCHITECTURE.md";
const LIMIT: usize = 200;

/// Finds a page that is absent or too long, and dependencies that it does not name.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let Some(text) = tree.text(PATH) else {
        let fix = "write it: the layers, the invariants, and one line per dependency";
        return vec![Finding::in_file(PATH, "is absent", fix)];
    };
    let mut findings = Vec::new();
    let lines = text.lines().count();
    if lines >= LIMIT {
        let problem = format!("has {lines} lines, and stays under {LIMIT}");
        findings.push(Finding::in_file(PATH, problem, "move detail into the module docs"));
    }
    let manifests = cargo_tomls(tree);
    let dependencies = manifests.iter().flat_map(|manifest| &manifest.dependencies);
    let outside = dependencies.filter(|dependency| dependency.our_folder().is_none());
    for package in outside.map(|dependency| dependency.package.as_str()).collect::<BTreeSet<_>>() {
        if !text.contains(&format!("`{package}`")) {
            let problem = format!("does not name the dependency `{package}`");
            let fix = format!(
                "add a line with `{package}` in backquotes that says what it is for and why this one"
            );
            findings.push(Finding::in_file(PATH, problem, fix));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::tidy::check_on;

    #[test]
    fn dependencies_without_a_line_are_found() {
        check_on(
            check,
            r#"
            //- /ARCHITECTURE.md
            - `serde`: wire types
            - toml is not in backquotes
            //- /crates/a/Cargo.toml
            [dependencies]
            serde = "1"
            guild-manifest.workspace = true
            [dev-dependencies]
            toml = "1"
            "#,
            &expect![[r#"
                ARCHITECTURE.md: does not name the dependency `toml`
                    fix: add a line with `toml` in backquotes that says what it is for and why this one"#]],
        );
    }

    #[test]
    fn an_absent_or_long_page_is_found() {
        check_on(
            check,
            "",
            &expect![[r#"
                ARCHITECTURE.md: is absent
                    fix: write it: the layers, the invariants, and one line per dependency"#]],
        );
        check_on(
            check,
            &format!("//- /ARCHITECTURE.md\n{}", "line\n".repeat(200)),
            &expect![[r#"
                ARCHITECTURE.md: has 200 lines, and stays under 200
                    fix: move detail into the module docs"#]],
        );
        check_on(check, &format!("//- /ARCHITECTURE.md\n{}", "line\n".repeat(199)), &expect![""]);
    }
}
