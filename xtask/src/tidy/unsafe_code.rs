//! `unsafe` lives in `sandbox` alone, tests included.
//!
//! The `unsafe_code` lint forbids it elsewhere; this check holds even for a crate that forgets to inherit the lints.

use super::Finding;
use super::rust_source::{mentions, rust_sources};
use super::tree::Tree;

/// Finds `unsafe` outside `crates/sandbox`.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in rust_sources(tree).filter(|source| source.crate_name() != "sandbox") {
        for line in mentions(&source.code, "unsafe") {
            let fix = "use a safe call (`rustix` has most), or move the code to `crates/sandbox`";
            findings.push(Finding::at(source.path, line, "`unsafe` outside `sandbox`", fix));
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
    fn unsafe_outside_the_sandbox_is_found() {
        check_on(
            check,
            "
            //- /crates/catalog/src/lib.rs
            // unsafe is a word here
            #![forbid(unsafe_code)]
            fn a() { unsafe { b() } }
            //- /crates/guild/tests/it.rs
            #[unsafe(no_mangle)]
            //- /crates/sandbox/src/lib.rs
            unsafe fn a() {}
            ",
            &expect![[r#"
                crates/catalog/src/lib.rs:3: `unsafe` outside `sandbox`
                    fix: use a safe call (`rustix` has most), or move the code to `crates/sandbox`
                crates/guild/tests/it.rs:1: `unsafe` outside `sandbox`
                    fix: use a safe call (`rustix` has most), or move the code to `crates/sandbox`"#]],
        );
    }
}
