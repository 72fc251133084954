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
    metadata: Option<Sections>,
}

/// `package.metadata` in a `Cargo.toml`.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Sections {
    vm_test: Option<Section>,
}

/// `package.metadata.vm-test`: the test targets that concern the kernel.
#[derive(Deserialize)]
struct Section {
    tests: Vec<String>,
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

/// Cargo's options for the test targets of `packages` that concern the kernel.
///
/// Each is named, because cargo leaves out those with `test = false`, which only a machine like this one can run. What a package's
/// `metadata.vm-test` does not list is left out: it was tested outside, and is slow where the machine is emulated.
fn all_targets(metadata: &str, packages: &[String]) -> Result<Vec<String>, String> {
    let metadata: Metadata =
        serde_json::from_str(metadata).map_err(|error| format!("cannot read cargo's metadata: {error}"))?;
    let mut options = Vec::new();
    for package in metadata.packages.iter().filter(|package| packages.contains(&package.name)) {
        let section = package.metadata.as_ref().and_then(|sections| sections.vm_test.as_ref());
        let chosen = |name: &String| section.is_none_or(|section| section.tests.contains(name));
        let is_test = |target: &&Target| target.kind.iter().any(|kind| kind == "test");
        let targets = package.targets.iter().filter(is_test).map(|target| &target.name);
        options
            .extend(targets.filter(|name| chosen(name)).flat_map(|name| ["--test".to_owned(), name.clone()]));
    }
    if options.is_empty() { Err("there is no such package with tests".to_owned()) } else { Ok(options) }
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
    fn test_targets_are_built_that_a_package_lists_or_else_all() {
        let metadata = r#"{"packages":[
            {"name":"a","targets":[{"name":"a","kind":["lib"]},{"name":"attacks","kind":["test"]},{"name":"texts","kind":["test"]}],
             "metadata":{"vm-test":{"tests":["attacks"]},"docs":{}}},
            {"name":"b","targets":[{"name":"b","kind":["lib"]},{"name":"tool","kind":["bin"]}],"metadata":null},
            {"name":"c","targets":[{"name":"it","kind":["test"]}],"metadata":{}},
            {"name":"d","targets":[{"name":"other","kind":["test"]}],"metadata":null}
        ]}"#;
        let options = |packages: &[&str]| {
            let packages: Vec<String> = packages.iter().copied().map(str::to_owned).collect();
            all_targets(metadata, &packages).map(|options| options.join(" ")).unwrap_or_else(|error| error)
        };
        expect!["--test attacks --test it"].assert_eq(&options(&["a", "b", "c"]));
        expect!["there is no such package with tests"].assert_eq(&options(&["b"]));
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
