//! What a library may not touch: the environment, the clock, the terminal and other processes.
//!
//! It looks for names in shipped code, groups of imports written out, comments and literals left out. Clippy's
//! `disallowed_methods` catches calls behind an alias; this check also catches what clippy has no list for.

use super::Finding;
use super::rust_source::{mentions, rust_sources};
use super::tree::Tree;

/// Names that do not occur in the shipped code of some crates.
struct Ban {
    names: &'static [&'static str],
    scope: Scope,
    fix: &'static str,
}

/// The crates that a ban holds for.
enum Scope {
    Only(&'static [&'static str]),
    AllBut(&'static [&'static str]),
}

const BANS: &[Ban] = &[
    Ban {
        names: &["std::fs", "std::env", "std::process", "std::net", "std::time::SystemTime"],
        scope: Scope::Only(&["manifest"]),
        fix: "`manifest` does no I/O: take text or bytes as an argument and let the caller read",
    },
    Ban {
        names: &[
            "env::var",
            "env::vars",
            "env::args",
            "env::current_dir",
            "env::current_exe",
            "env::home_dir",
            "env::temp_dir",
        ],
        scope: Scope::AllBut(&["guild", "testkit", "xtask", "manifest"]),
        fix: "read the environment in `guild` and pass what is needed as an argument",
    },
    Ban {
        names: &["println!", "print!", "eprintln!", "eprint!", "io::stdout", "io::stderr", "io::stdin"],
        scope: Scope::AllBut(&["guild", "testkit", "xtask"]),
        fix: "return the text, or write to an `io::Write` that the caller passes; `guild` prints",
    },
    Ban {
        names: &["SystemTime::now"],
        scope: Scope::AllBut(&["guild", "testkit", "xtask"]),
        fix: "take the time as an argument; `guild` reads the clock",
    },
    Ban {
        names: &["Command::new", "std::process::Command", "tokio::process"],
        scope: Scope::AllBut(&["guild", "testkit", "xtask", "sandbox"]),
        fix: "only `sandbox` starts processes: call it through engine",
    },
];

/// Finds banned names in shipped code.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in rust_sources(tree) {
        let shipped = source.shipped();
        for ban in BANS.iter().filter(|ban| ban.scope.covers(source.crate_name())) {
            for name in ban.names {
                for line in mentions(&shipped, name) {
                    let problem = format!("`{name}` in `{}`", source.crate_name());
                    findings.push(Finding::at(source.path, line, problem, ban.fix));
                }
            }
        }
    }
    findings
}

impl Scope {
    fn covers(&self, crate_name: &str) -> bool {
        match self {
            Self::Only(names) => names.contains(&crate_name),
            Self::AllBut(names) => !names.contains(&crate_name),
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::tidy::check_on;

    #[test]
    fn manifest_does_no_io() {
        check_on(
            check,
            r"
            //- /crates/manifest/src/lib.rs
            use std::{collections::BTreeMap, fs};

            fn a() { std::net::TcpStream::connect(b) }
            ",
            &expect![[r#"
                crates/manifest/src/lib.rs:1: `std::fs` in `manifest`
                    fix: `manifest` does no I/O: take text or bytes as an argument and let the caller read
                crates/manifest/src/lib.rs:3: `std::net` in `manifest`
                    fix: `manifest` does no I/O: take text or bytes as an argument and let the caller read"#]],
        );
    }

    #[test]
    fn libraries_touch_no_environment_clock_terminal_or_process() {
        check_on(
            check,
            r#"
            //- /crates/catalog/src/scan.rs
            fn a() { std::env::var("HOME") }
            fn b() { println!("found") }
            fn c() { SystemTime::now() }
            fn d() { Command::new("git") }
            fn e() { std::io::stdout() }
            "#,
            &expect![[r#"
                crates/catalog/src/scan.rs:1: `env::var` in `catalog`
                    fix: read the environment in `guild` and pass what is needed as an argument
                crates/catalog/src/scan.rs:2: `println!` in `catalog`
                    fix: return the text, or write to an `io::Write` that the caller passes; `guild` prints
                crates/catalog/src/scan.rs:5: `io::stdout` in `catalog`
                    fix: return the text, or write to an `io::Write` that the caller passes; `guild` prints
                crates/catalog/src/scan.rs:3: `SystemTime::now` in `catalog`
                    fix: take the time as an argument; `guild` reads the clock
                crates/catalog/src/scan.rs:4: `Command::new` in `catalog`
                    fix: only `sandbox` starts processes: call it through engine"#]],
        );
    }

    #[test]
    fn the_command_the_sandbox_and_tests_may() {
        check_on(
            check,
            r#"
            //- /crates/guild/src/main.rs
            fn a() { std::env::args(); println!(); SystemTime::now() }
            //- /crates/sandbox/src/spawn.rs
            fn a() { Command::new(b) }
            //- /crates/manifest/tests/corpus.rs
            fn a() { std::fs::read(b) }
            //- /crates/manifest/src/lib.rs
            //! Never calls `std::fs::read`.
            const NAME: &str = "std::fs";
            #[cfg(test)]
            mod tests { use std::fs; }
            "#,
            &expect![""],
        );
    }
}
