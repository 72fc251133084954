//! Which crate of ours may depend on which: the layers of ARCHITECTURE.md as a table.
//!
//! It looks at names in `Cargo.toml` alone. Crates that are planned stand in the table already, so that they are
//! right from their first commit; a folder that is not in the table fails.

use super::Finding;
use super::cargo_toml::{CargoToml, Dependency, Kind, cargo_tomls};
use super::tree::Tree;

/// A crate's folder and the crates of ours that it may depend on.
const LAYERS: &[(&str, &[&str])] = &[
    // L0: text to types, and policy to process. Neither knows the other, nor anything above.
    ("manifest", &[]),
    ("sandbox", &[]),
    // L1: each does one job on manifest's types, and none knows another.
    ("catalog", &["manifest"]),
    ("vet", &["manifest"]),
    ("source", &["manifest"]),
    ("ledger", &["manifest"]),
    // L2: the operations, and the facade.
    ("engine", &["manifest", "catalog", "vet", "source", "ledger", "sandbox"]),
    // L3: adapters implement the traits that engine defines.
    ("mcp", &["engine"]),
    ("web", &["engine"]),
    ("agent", &["engine"]),
    // L4: the command wires the adapters in.
    ("guild", &["engine", "mcp", "web", "agent"]),
    // Test fixtures may implement engine's traits; generation may render what the facade and the command declare.
    ("testkit", &["engine"]),
    ("xtask", &["engine", "guild"]),
];

/// Finds dependencies between our crates that the layers do not allow, and crates that have no layer.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = unknown_folders(tree);
    for manifest in cargo_tomls(tree) {
        let Some(allowed) = allowed_for(manifest.folder) else { continue };
        for dependency in &manifest.dependencies {
            if let Some(folder) =
                dependency.our_folder().filter(|folder| !is_allowed(&manifest, dependency, allowed, folder))
            {
                findings.push(refusal(&manifest, folder, allowed));
            }
        }
    }
    findings
}

fn unknown_folders(tree: &Tree) -> Vec<Finding> {
    let unknown = tree.crate_folders().into_iter().filter(|folder| allowed_for(folder).is_none());
    let fix = "give it a row in LAYERS of xtask/src/tidy/layers.rs and a paragraph in ARCHITECTURE.md";
    unknown
        .map(|folder| Finding::in_file(&format!("crates/{folder}"), "this crate has no layer", fix))
        .collect()
}

fn allowed_for(folder: &str) -> Option<&'static [&'static str]> {
    LAYERS.iter().find(|(name, _)| *name == folder).map(|(_, allowed)| *allowed)
}

fn is_allowed(manifest: &CargoToml<'_>, dependency: &Dependency, allowed: &[&str], folder: &str) -> bool {
    let for_tests = dependency.kind == Kind::Dev && (folder == "testkit" || folder == manifest.folder);
    for_tests || allowed.contains(&folder)
}

fn refusal(manifest: &CargoToml<'_>, folder: &str, allowed: &[&str]) -> Finding {
    let problem = format!("`{}` may not depend on `{folder}`", manifest.folder);
    let fix = match (folder, allowed) {
        ("testkit", _) => "testkit is for tests: put it under [dev-dependencies]".to_owned(),
        (_, []) => "it depends on no crate of ours: pass what it needs as an argument".to_owned(),
        (_, allowed) => {
            format!(
                "it may depend on {} alone: move the code, or define a trait below and implement it above",
                allowed.join(", ")
            )
        }
    };
    Finding::in_file(manifest.path, problem, fix)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::tidy::check_on;

    #[test]
    fn edges_against_the_layers_are_found() {
        check_on(
            check,
            r#"
            //- /crates/manifest/Cargo.toml
            [dependencies]
            guild-catalog.workspace = true
            //- /crates/web/Cargo.toml
            [dependencies]
            guild-engine.workspace = true
            [target.'cfg(unix)'.dependencies]
            box = { package = "guild-sandbox", path = "../sandbox" }
            [dev-dependencies]
            guild-ledger.workspace = true
            //- /crates/source/Cargo.toml
            [build-dependencies]
            guild-testkit.workspace = true
            "#,
            &expect![[r#"
                crates/manifest/Cargo.toml: `manifest` may not depend on `catalog`
                    fix: it depends on no crate of ours: pass what it needs as an argument
                crates/source/Cargo.toml: `source` may not depend on `testkit`
                    fix: testkit is for tests: put it under [dev-dependencies]
                crates/web/Cargo.toml: `web` may not depend on `sandbox`
                    fix: it may depend on engine alone: move the code, or define a trait below and implement it above
                crates/web/Cargo.toml: `web` may not depend on `ledger`
                    fix: it may depend on engine alone: move the code, or define a trait below and implement it above"#]],
        );
    }

    #[test]
    fn edges_along_the_layers_and_testkit_for_tests_are_fine() {
        check_on(
            check,
            r"
            //- /crates/manifest/Cargo.toml
            [dev-dependencies]
            guild-testkit.workspace = true
            //- /crates/engine/Cargo.toml
            [dependencies]
            guild-catalog.workspace = true
            guild-manifest.workspace = true
            guildline = '1'
            [dev-dependencies]
            guild-engine.workspace = true
            ",
            &expect![""],
        );
    }

    #[test]
    fn a_folder_without_a_layer_is_found() {
        check_on(
            check,
            "//- /crates/mystery/src/lib.rs\n//- /crates/web/src/lib.rs\n",
            &expect![[r#"
                crates/mystery: this crate has no layer
                    fix: give it a row in LAYERS of xtask/src/tidy/layers.rs and a paragraph in ARCHITECTURE.md"#]],
        );
    }

    #[test]
    fn the_table_goes_down_only() {
        let rank = |name: &str| LAYERS.iter().position(|(candidate, _)| *candidate == name);
        for (name, allowed) in LAYERS {
            for below in *allowed {
                assert!(rank(below) < rank(name), "{name} → {below}");
            }
        }
    }
}
