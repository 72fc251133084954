//! The test binaries that the machine runs: built by cargo, or given by a path.
//!
//! It builds and lists; nothing is run here.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde::Deserialize;

use super::options::Options;
use super::plan::Binary;
use crate::process;

/// Builds the tests of the packages and targets in `options`.
pub fn build(root: &Path, options: &Options) -> Result<Vec<Binary>, String> {
    let targets = if options.tests.is_empty() {
        let metadata = ["metadata", "--format-version=1", "--no-deps", "--locked"];
        all_targets(&process::capture(root, "cargo", &metadata)?, &options.packages)?
    } else {
        options.tests.iter().flat_map(|test| ["--test".to_owned(), test.clone()]).collect()
    };
    let mut arguments = vec!["test", "--no-run", "--locked", "--message-format=json-render-diagnostics"];
    arguments.extend(options.packages.iter().flat_map(|package| ["--package", package]));
    arguments.extend(targets.iter().map(String::as_str));
    let output = process::command(root, "cargo", &arguments)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("cannot start `cargo`: {error}"))?;
    if !output.status.success() {
        return Err(format!("`{}` failed ({})", process::line("cargo", &arguments), output.status));
    }
    listed(&String::from_utf8_lossy(&output.stdout))
}

/// The binaries that `options` names by path.
pub fn given(options: &Options) -> Result<Vec<Binary>, String> {
    options.binaries.iter().map(|path| given_one(path)).collect()
}

fn given_one(path: &Path) -> Result<Binary, String> {
    let path = path.canonicalize().map_err(|error| format!("cannot find {}: {error}", path.display()))?;
    let target = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(Binary { target, directory: PathBuf::from("/"), path })
}

/// What cargo tells of the workspace, as far as it matters here.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    targets: Vec<Target>,
}

/// One line of what cargo prints, as far as it matters here.
#[derive(Deserialize)]
struct Message {
    manifest_path: Option<PathBuf>,
    executable: Option<PathBuf>,
    target: Option<Target>,
    profile: Option<Profile>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
}

#[derive(Deserialize)]
struct Profile {
    test: bool,
}

/// Cargo's options for the libraries and the test targets of `packages`.
///
/// Each is named, because cargo leaves out those with `test = false`, which only a machine like this one can run.
fn all_targets(metadata: &str, packages: &[String]) -> Result<Vec<String>, String> {
    let metadata: Metadata =
        serde_json::from_str(metadata).map_err(|error| format!("cannot read cargo's metadata: {error}"))?;
    let mut options = Vec::new();
    let chosen = metadata.packages.iter().filter(|package| packages.contains(&package.name));
    for target in chosen.flat_map(|package| &package.targets) {
        let is = |kind: &str| target.kind.iter().any(|candidate| candidate == kind);
        if is("lib") && !options.iter().any(|option| option == "--lib") {
            options.push("--lib".to_owned());
        } else if is("test") {
            options.extend(["--test".to_owned(), target.name.clone()]);
        }
    }
    Ok(options)
}

fn listed(messages: &str) -> Result<Vec<Binary>, String> {
    let mut binaries = Vec::new();
    for line in messages.lines().filter(|line| line.starts_with('{')) {
        let message: Message =
            serde_json::from_str(line).map_err(|error| format!("cannot read cargo's message: {error}"))?;
        if let (Some(path), Some(target), Some(profile)) =
            (message.executable, message.target, message.profile)
            && profile.test
        {
            let manifest = message.manifest_path.unwrap_or_default();
            let directory = manifest.parent().unwrap_or(Path::new("/")).to_owned();
            binaries.push(Binary { target: target.name, path, directory });
        }
    }
    if binaries.is_empty() { Err("cargo built no tests".to_owned()) } else { Ok(binaries) }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn libraries_and_test_targets_of_the_chosen_packages_are_built() {
        let metadata = r#"{"packages":[
            {"name":"a","targets":[{"name":"a","kind":["lib"]},{"name":"attacks","kind":["test"]}]},
            {"name":"b","targets":[{"name":"b","kind":["lib"]},{"name":"tool","kind":["bin"]}]},
            {"name":"c","targets":[{"name":"it","kind":["test"]}]}
        ]}"#;
        let options = all_targets(metadata, &["a".to_owned(), "b".to_owned()]).unwrap();
        expect!["--lib --test attacks"].assert_eq(&options.join(" "));
    }

    #[test]
    fn only_executables_for_tests_are_listed() {
        let messages = r#"
{"reason":"compiler-artifact","manifest_path":"/r/a/Cargo.toml","target":{"name":"a","kind":["lib"]},"profile":{"test":false},"executable":null}
{"reason":"compiler-artifact","manifest_path":"/r/a/Cargo.toml","target":{"name":"tool","kind":["bin"]},"profile":{"test":false},"executable":"/t/tool"}
{"reason":"compiler-artifact","manifest_path":"/r/a/Cargo.toml","target":{"name":"attacks","kind":["test"]},"profile":{"test":true},"executable":"/t/deps/attacks-1"}
{"reason":"build-finished","success":true}
"#;
        expect![[r#"[Binary { target: "attacks", path: "/t/deps/attacks-1", directory: "/r/a" }]"#]]
            .assert_eq(&format!("{:?}", listed(messages).unwrap()));
    }

    #[test]
    fn a_build_without_tests_is_an_error() {
        expect!["cargo built no tests"]
            .assert_eq(&listed(r#"{"reason":"build-finished","success":true}"#).unwrap_err());
    }
}
