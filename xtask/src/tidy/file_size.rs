//! No Rust file grows beyond 700 lines, tests not counted.
//!
//! Aim at 200 and ask at 400; those are for a reader, this one is for the machine. Functions are clippy's business.

use super::Finding;
use super::rust_source::{RustSource, rust_sources};
use super::tree::Tree;

const LIMIT: usize = 700;

/// Files that may be longer, each with the reason.
const ALLOWED: &[(&str, &str)] = &[];

/// Finds files that are too long, and exceptions that are not needed any more.
pub fn check(tree: &Tree) -> Vec<Finding> {
    check_with(tree, LIMIT, ALLOWED)
}

fn check_with(tree: &Tree, limit: usize, allowed: &[(&str, &str)]) -> Vec<Finding> {
    let is_long = |source: &RustSource<'_>| shipped_lines(source) > limit;
    let mut findings = Vec::new();
    let mut unused: Vec<&str> = allowed.iter().map(|(path, _)| *path).collect();
    for source in rust_sources(tree).filter(is_long) {
        if unused.contains(&source.path) {
            unused.retain(|path| *path != source.path);
            continue;
        }
        let problem = format!("{} lines without tests, and {limit} are the limit", shipped_lines(&source));
        let fix = "split the file by what it does, one thing a file; an exception goes into ALLOWED of xtask/src/tidy/file_size.rs with its reason";
        findings.push(Finding::in_file(source.path, problem, fix));
    }
    let stale = unused.iter().map(|path| {
        Finding::in_file(
            path,
            "has an exception that it does not need",
            "remove it from ALLOWED of xtask/src/tidy/file_size.rs",
        )
    });
    findings.extend(stale);
    findings
}

fn shipped_lines(source: &RustSource<'_>) -> usize {
    source.text.lines().count() - source.test_texts().map(|text| text.lines().count()).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::tidy::check_on;

    const FIXTURE: &str = "
        //- /crates/a/src/long.rs
        //! A
        fn b() {}
        fn c() {}
        fn d() {}
        #[cfg(test)]
        mod tests {
            fn e() {}
        }
        //- /crates/a/src/tested.rs
        //! A
        fn b() {}
        fn c() {}
        #[cfg(test)]
        mod tests {
            fn e() {}
        }
        //- /crates/a/tests/it.rs
        //! A
        fn b() {}
        fn c() {}
        fn d() {}
        ";

    #[test]
    fn long_files_are_found_and_tests_do_not_count() {
        check_on(
            |tree| check_with(tree, 3, &[]),
            FIXTURE,
            &expect![[r#"
                crates/a/src/long.rs: 4 lines without tests, and 3 are the limit
                    fix: split the file by what it does, one thing a file; an exception goes into ALLOWED of xtask/src/tidy/file_size.rs with its reason"#]],
        );
    }

    #[test]
    fn an_exception_holds_while_it_is_needed() {
        let allowed = [("crates/a/src/long.rs", "a table"), ("crates/a/src/tested.rs", "was long once")];
        let findings = check_with(&Tree::of(FIXTURE), 3, &allowed);
        let shown: Vec<String> = findings.iter().map(ToString::to_string).collect();
        expect![[r#"
            crates/a/src/tested.rs: has an exception that it does not need
                fix: remove it from ALLOWED of xtask/src/tidy/file_size.rs"#]]
        .assert_eq(&shown.join("\n"));
    }
}
