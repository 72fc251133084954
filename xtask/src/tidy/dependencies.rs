//! Which crates may name which dependencies from outside: SQL, the network and the kernel each have an owner.
//!
//! It looks at direct dependencies alone; what these pull in is the business of `cargo xtask audit`.

use super::Finding;
use super::cargo_toml::cargo_tomls;
use super::tree::Tree;

/// Packages that only some of our crates may name.
struct Rule {
    packages: &'static [&'static str],
    owners: &'static [&'static str],
    fix: &'static str,
}

const RULES: &[Rule] = &[
    Rule {
        packages: &[
            "diesel",
            "libsqlite3-sys",
            "postgres",
            "rusqlite",
            "sea-orm",
            "sqlite",
            "sqlx",
            "tokio-postgres",
            "tokio-rusqlite",
        ],
        owners: &["ledger"],
        fix: "only `ledger` speaks SQL: add the query there and call it through engine",
    },
    Rule {
        packages: &[
            "attohttpc",
            "bollard",
            "curl",
            "git2",
            "gix",
            "hyper",
            "hyper-util",
            "isahc",
            "reqwest",
            "russh",
            "ssh2",
            "surf",
            "tokio-tungstenite",
            "tungstenite",
            "ureq",
        ],
        owners: &["source", "sandbox", "mcp", "web", "agent"],
        fix: "only `source`, `sandbox` and the adapters `mcp`, `web` and `agent` reach the network: take what was fetched as an argument",
    },
    Rule {
        packages: &["caps", "landlock", "libc", "libseccomp", "nix", "seccompiler"],
        owners: &["sandbox"],
        fix: "only `sandbox` speaks to the kernel; the safe file calls of `rustix` are allowed anywhere",
    },
    Rule {
        packages: &["anyhow", "color-eyre", "eyre"],
        owners: &[],
        fix: "errors are typed: one `thiserror` enum per operation",
    },
];

/// Finds dependencies that stand in the wrong crate.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for manifest in cargo_tomls(tree) {
        for dependency in &manifest.dependencies {
            let rule = RULES.iter().find(|rule| rule.packages.contains(&dependency.package.as_str()));
            if let Some(rule) = rule.filter(|rule| !rule.owners.contains(&manifest.folder)) {
                let problem = format!("`{}` may not depend on `{}`", manifest.folder, dependency.package);
                findings.push(Finding::in_file(manifest.path, problem, rule.fix));
            }
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
    fn a_dependency_outside_its_owner_is_found_under_any_name() {
        check_on(
            check,
            r#"
            //- /Cargo.toml
            [workspace.dependencies]
            database = { package = "rusqlite", version = "1" }
            //- /crates/engine/Cargo.toml
            [dependencies]
            database.workspace = true
            ureq = "3"
            [dev-dependencies]
            libc = "0.2"
            //- /xtask/Cargo.toml
            [dependencies]
            anyhow = "1"
            "#,
            &expect![[r#"
                crates/engine/Cargo.toml: `engine` may not depend on `rusqlite`
                    fix: only `ledger` speaks SQL: add the query there and call it through engine
                crates/engine/Cargo.toml: `engine` may not depend on `ureq`
                    fix: only `source`, `sandbox` and the adapters `mcp`, `web` and `agent` reach the network: take what was fetched as an argument
                crates/engine/Cargo.toml: `engine` may not depend on `libc`
                    fix: only `sandbox` speaks to the kernel; the safe file calls of `rustix` are allowed anywhere
                xtask/Cargo.toml: `xtask` may not depend on `anyhow`
                    fix: errors are typed: one `thiserror` enum per operation"#]],
        );
    }

    #[test]
    fn owners_may_name_what_is_theirs() {
        check_on(
            check,
            r#"
            //- /crates/ledger/Cargo.toml
            [dependencies]
            rusqlite = "1"
            serde = "1"
            //- /crates/sandbox/Cargo.toml
            [dependencies]
            bollard = "1"
            libc = "0.2"
            "#,
            &expect![""],
        );
    }
}
