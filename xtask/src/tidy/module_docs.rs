//! Every Rust file opens with `//!`: what the module is, and what it deliberately does not do.
//!
//! Whether the sentence is a good one is for a reader to say.

use super::Finding;
use super::rust_source::rust_sources;
use super::tree::Tree;

/// Finds Rust files whose first line is no module doc.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let undocumented = rust_sources(tree).filter(|source| !is_documented(source.text));
    let fix =
        "begin the file with `//! ` and one sentence of what it is, then what it deliberately does not do";
    undocumented.map(|source| Finding::at(source.path, 1, "the module has no doc", fix)).collect()
}

fn is_documented(text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    first.strip_prefix("//!").is_some_and(|doc| !doc.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::tidy::check_on;

    #[test]
    fn files_without_a_doc_on_the_first_line_are_found() {
        check_on(
            check,
            "
            //- /crates/a/src/empty.rs
            //- /crates/a/src/good.rs
            //! What it is.
            //- /crates/a/src/late.rs
            use std::fmt;
            //! Too late.
            //- /crates/a/src/void.rs
            //!
            //- /crates/a/test_data/sample.rs
            fn a() {}
            //- /xtask/src/main.rs
            fn main() {}
            ",
            &expect![[r#"
                crates/a/src/empty.rs:1: the module has no doc
                    fix: begin the file with `//! ` and one sentence of what it is, then what it deliberately does not do
                crates/a/src/late.rs:1: the module has no doc
                    fix: begin the file with `//! ` and one sentence of what it is, then what it deliberately does not do
                crates/a/src/void.rs:1: the module has no doc
                    fix: begin the file with `//! ` and one sentence of what it is, then what it deliberately does not do
                xtask/src/main.rs:1: the module has no doc
                    fix: begin the file with `//! ` and one sentence of what it is, then what it deliberately does not do"#]],
        );
    }
}
