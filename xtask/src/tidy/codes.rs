//! Every code of `docs/codes.md` occurs in some test: a code that no test provokes is a promise nobody keeps.
//!
//! Codes stand in the first column of the page's tables, in backquotes. A mention in any test or test data
//! counts; what the test asserts about it is for a reader to judge.

use super::Finding;
use super::rust_source::{RustSource, rust_sources, words_at};
use super::tree::{Tree, is_test_data};

const PATH: &str = "docs/codes.md";

/// Finds codes that no test mentions, or an absent page.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let Some(page) = tree.text(PATH) else {
        return vec![Finding::in_file(
            PATH,
            "is absent",
            "run the tests with UPDATE_EXPECT=1 and commit the file",
        )];
    };
    let sources: Vec<_> = rust_sources(tree).filter(|source| source.crate_name() != "xtask").collect();
    let data =
        tree.texts().filter(|(path, _)| path.starts_with("crates/") && is_test(path)).map(|(_, text)| text);
    let tests: Vec<&str> = sources.iter().flat_map(RustSource::test_texts).chain(data).collect();
    let untested =
        codes(page).filter(|(_, code)| !tests.iter().any(|test| words_at(test, code).next().is_some()));
    let finding = |(line, code): (usize, &str)| {
        let fix = "add a test that provokes it, or remove the code where it is declared";
        Finding::at(PATH, line, format!("no test mentions the code `{code}`"), fix)
    };
    untested.map(finding).collect()
}

/// Whether the file is test data or lies beside integration tests, as snapshots do.
fn is_test(path: &str) -> bool {
    is_test_data(path) || path.split('/').nth(2) == Some("tests")
}

/// The codes of the page, with their lines.
fn codes(page: &str) -> impl Iterator<Item = (usize, &str)> {
    page.lines().enumerate().filter_map(|(at, line)| {
        let cell = line.trim_start().strip_prefix('|')?.split('|').next()?;
        Some((at + 1, cell.trim().strip_prefix('`')?.strip_suffix('`')?))
    })
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::tidy::check_on;

    #[test]
    fn codes_that_no_test_mentions_are_found() {
        check_on(
            check,
            r#"
            //- /docs/codes.md
            The code `in_prose` is none.

            | code | meaning |
            | --- | --- |
            | `in_module` | … |
            | `in_integration` | … |
            | `in_snapshot` | … |
            | `in_data` | … |
            | `shipped_only` | … |
            | `part` | `second_column` |
            //- /crates/a/src/lib.rs
            const CODE: &str = "shipped_only";
            #[cfg(test)]
            mod tests { const A: &str = "in_module and part_of_a_word"; }
            //- /crates/a/tests/it.rs
            const B: &str = "in_integration";
            //- /crates/a/tests/tour.txt
            error[in_snapshot]: …
            //- /crates/a/test_data/err/a.txt
            in_data
            "#,
            &expect![[r#"
                docs/codes.md:9: no test mentions the code `shipped_only`
                    fix: add a test that provokes it, or remove the code where it is declared
                docs/codes.md:10: no test mentions the code `part`
                    fix: add a test that provokes it, or remove the code where it is declared"#]],
        );
    }

    #[test]
    fn an_absent_page_is_found() {
        check_on(
            check,
            "",
            &expect![[r#"
                docs/codes.md: is absent
                    fix: run the tests with UPDATE_EXPECT=1 and commit the file"#]],
        );
    }
}
