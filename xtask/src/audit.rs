//! `cargo xtask audit`: licences, duplicate versions and sources of every locked package, checked offline.
//!
//! It reads `cargo metadata` and nothing else. Advisories and yanked versions cannot be known without the
//! network, so it does not look for them and says so.

mod licence;

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use crate::process;

const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// Packages that may be locked in several versions, each with the reason.
const DUPLICATES: &[(&str, &str)] = &[
    ("base64", "oci-client takes 0.22, the reqwest below it 0.23"),
    ("block-buffer", "below sha2"),
    ("cpufeatures", "below sha2"),
    ("crypto-common", "below sha2"),
    ("digest", "below sha2"),
    ("embedded-io", "postcard takes 0.4 and 0.6 as optional dependencies; neither is compiled"),
    ("getrandom", "ring takes 0.2, ahash below jsonschema 0.3, tempfile 0.4"),
    ("hashbrown", "hashlink, below sqlx, has not followed indexmap to 0.17"),
    ("r-efi", "below getrandom, for machines without an operating system; never compiled here"),
    ("sha2", "sqlx-core has not left 0.10, where the rest is at 0.11"),
    ("strum", "oci-spec takes 0.27, jsonschema 0.28"),
    ("strum_macros", "below strum"),
    ("syn", "some derive macros have not followed the others to 3"),
    ("windows-sys", "ring takes 0.52, all others 0.61; neither is compiled here"),
];

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
    license: Option<String>,
    /// Absent for the packages of the workspace.
    source: Option<String>,
}

/// Audits what `Cargo.lock` holds and prints what is wrong with it.
pub fn run(root: &Path) -> Result<(), String> {
    let metadata = process::capture(root, "cargo", &["metadata", "--locked", "--format-version", "1"])?;
    let metadata: Metadata =
        serde_json::from_str(&metadata).map_err(|error| format!("cannot read cargo's metadata: {error}"))?;
    let findings = audit(&metadata.packages, DUPLICATES);
    for finding in &findings {
        println!("{finding}");
    }
    let count = metadata.packages.len();
    println!(
        "audited {count} packages: licences, duplicates, sources (advisories and yanks need the network)"
    );
    if findings.is_empty() { Ok(()) } else { Err(format!("findings: {}", findings.len())) }
}

fn audit(packages: &[Package], allowed_duplicates: &[(&str, &str)]) -> Vec<String> {
    let foreign: Vec<&Package> = packages.iter().filter(|package| package.source.is_some()).collect();
    let mut findings = Vec::new();
    findings.extend(packages.iter().filter_map(check_licence));
    findings.extend(foreign.iter().filter_map(|package| check_source(package)));
    findings.extend(check_duplicates(&foreign, allowed_duplicates));
    findings
}

fn check_licence(package: &Package) -> Option<String> {
    let fix = "replace the package, or, if its licence is compatible with MIT OR Apache-2.0, add it to xtask/src/audit/licence.rs";
    match &package.license {
        Some(expression) if licence::is_allowed(expression) => None,
        Some(expression) => {
            Some(finding(package, &format!("the licence `{expression}` is not allowed"), fix))
        }
        None => Some(finding(package, "states no licence", fix)),
    }
}

fn check_source(package: &Package) -> Option<String> {
    let source = package.source.as_deref().filter(|source| *source != REGISTRY)?;
    Some(finding(package, &format!("comes from `{source}`"), "take a release from crates.io"))
}

fn check_duplicates(packages: &[&Package], allowed: &[(&str, &str)]) -> Vec<String> {
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for package in packages {
        versions.entry(&package.name).or_default().push(&package.version);
    }
    versions.retain(|_, versions| versions.len() > 1);
    let mut findings = Vec::new();
    for (name, versions) in
        versions.iter().filter(|(name, _)| !allowed.iter().any(|(allowed, _)| allowed == *name))
    {
        findings.push(format!(
            "{name}: locked as {}\n    fix: `cargo tree -i {name}` shows who asks for which; agree on one version, or add it to DUPLICATES of xtask/src/audit.rs with its reason",
            versions.join(" and ")
        ));
    }
    for (name, _) in allowed.iter().filter(|(name, _)| !versions.contains_key(name)) {
        findings.push(format!("{name}: has an exception that it does not need\n    fix: remove it from DUPLICATES of xtask/src/audit.rs"));
    }
    findings
}

fn finding(package: &Package, problem: &str, fix: &str) -> String {
    format!("{} {}: {problem}\n    fix: {fix}", package.name, package.version)
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    /// Packages as lines of `name version source licence`.
    #[track_caller]
    fn check(packages: &str, allowed: &[(&str, &str)], expect: &Expect) {
        let package = |line: &str| {
            let words: Vec<&str> = line.trim().splitn(4, ' ').collect();
            let sources =
                [("own", None), ("crates.io", Some(REGISTRY)), ("git", Some("git+https://example.org/a"))];
            Package {
                name: words[0].to_owned(),
                version: words[1].to_owned(),
                source: sources.iter().find(|(name, _)| *name == words[2]).unwrap().1.map(str::to_owned),
                license: words.get(3).map(|licence| (*licence).to_owned()),
            }
        };
        let packages: Vec<Package> = packages.trim().lines().map(package).collect();
        expect.assert_eq(&audit(&packages, allowed).join("\n"));
    }

    #[test]
    fn licences_that_are_not_allowed_or_absent_are_found() {
        check(
            "a 1.0.0 crates.io GPL-3.0-only
             b 1.0.0 crates.io
             c 1.0.0 crates.io MIT OR GPL-3.0-only
             d 1.0.0 own Proprietary",
            &[],
            &expect![[r#"
                a 1.0.0: the licence `GPL-3.0-only` is not allowed
                    fix: replace the package, or, if its licence is compatible with MIT OR Apache-2.0, add it to xtask/src/audit/licence.rs
                b 1.0.0: states no licence
                    fix: replace the package, or, if its licence is compatible with MIT OR Apache-2.0, add it to xtask/src/audit/licence.rs
                d 1.0.0: the licence `Proprietary` is not allowed
                    fix: replace the package, or, if its licence is compatible with MIT OR Apache-2.0, add it to xtask/src/audit/licence.rs"#]],
        );
    }

    #[test]
    fn sources_other_than_the_registry_are_found() {
        check(
            "a 1.0.0 git MIT
             b 1.0.0 crates.io MIT
             c 1.0.0 own MIT",
            &[],
            &expect![[r#"
                a 1.0.0: comes from `git+https://example.org/a`
                    fix: take a release from crates.io"#]],
        );
    }

    #[test]
    fn duplicates_need_a_reason_and_reasons_need_a_duplicate() {
        check(
            "a 1.0.0 crates.io MIT
             a 2.0.0 crates.io MIT
             b 1.0.0 crates.io MIT
             b 2.0.0 crates.io MIT
             c 1.0.0 crates.io MIT",
            &[("b", "two users"), ("c", "had two users once")],
            &expect![[r#"
                a: locked as 1.0.0 and 2.0.0
                    fix: `cargo tree -i a` shows who asks for which; agree on one version, or add it to DUPLICATES of xtask/src/audit.rs with its reason
                c: has an exception that it does not need
                    fix: remove it from DUPLICATES of xtask/src/audit.rs"#]],
        );
    }
}
