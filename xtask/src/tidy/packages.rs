//! Packages are named after their folder: `guild-<folder>`, and `guild` for the command.
//!
//! It also sees that every crate inherits the workspace's lints, without which the other rules have holes.

use super::Finding;
use super::cargo_toml::cargo_tomls;
use super::tree::Tree;

/// Finds crates with the wrong package name, without a `Cargo.toml`, or without the workspace's lints.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let manifests = cargo_tomls(tree);
    let mut findings = Vec::new();
    for folder in tree.crate_folders() {
        if !manifests.iter().any(|manifest| manifest.folder == folder) {
            let fix = "remove the folder, or make it a crate";
            findings.push(Finding::in_file(&format!("crates/{folder}"), "has no Cargo.toml", fix));
        }
    }
    for manifest in &manifests {
        let name = expected_name(manifest.folder);
        if manifest.package != name {
            let problem = format!("the package is named `{}`", manifest.package);
            findings.push(Finding::in_file(
                manifest.path,
                problem,
                format!("name it `{name}`, after its folder"),
            ));
        }
        for binary in
            manifest.binaries.iter().filter(|binary| manifest.folder == "guild" && *binary != "guild")
        {
            let problem = format!("the binary is named `{binary}`");
            findings.push(Finding::in_file(manifest.path, problem, "the one command is `guild`"));
        }
        if !manifest.inherits_lints {
            let fix = "add `[lints]` with `workspace = true`";
            findings.push(Finding::in_file(manifest.path, "does not inherit the workspace's lints", fix));
        }
    }
    findings
}

fn expected_name(folder: &str) -> String {
    match folder {
        "guild" | "xtask" => folder.to_owned(),
        _ => format!("guild-{folder}"),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::tidy::check_on;

    #[test]
    fn wrong_names_and_missing_lints_are_found() {
        check_on(
            check,
            r#"
            //- /crates/catalog/Cargo.toml
            [package]
            name = "catalog"
            [lints]
            workspace = true
            //- /crates/empty/notes.md
            //- /crates/engine/Cargo.toml
            [package]
            name = "guild-engine"
            //- /crates/guild/Cargo.toml
            [package]
            name = "guild"
            [[bin]]
            name = "guildhall"
            [lints]
            workspace = true
            "#,
            &expect![[r#"
                crates/empty: has no Cargo.toml
                    fix: remove the folder, or make it a crate
                crates/catalog/Cargo.toml: the package is named `catalog`
                    fix: name it `guild-catalog`, after its folder
                crates/engine/Cargo.toml: does not inherit the workspace's lints
                    fix: add `[lints]` with `workspace = true`
                crates/guild/Cargo.toml: the binary is named `guildhall`
                    fix: the one command is `guild`"#]],
        );
    }

    #[test]
    fn packages_named_after_their_folder_are_fine() {
        check_on(
            check,
            r#"
            //- /crates/catalog/Cargo.toml
            package.name = "guild-catalog"
            lints.workspace = true
            //- /crates/guild/Cargo.toml
            package.name = "guild"
            lints.workspace = true
            //- /xtask/Cargo.toml
            package.name = "xtask"
            lints.workspace = true
            "#,
            &expect![""],
        );
    }
}
