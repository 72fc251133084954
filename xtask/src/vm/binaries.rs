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
    let mut arguments = vec!["test", "--no-run", "--locked", "--message-format=json-render-diagnostics"];
    arguments.extend(options.packages.iter().flat_map(|package| ["--package", package]));
    if options.tests.is_empty() {
        // The pattern also finds targets with `test = false`, which run in a machine like this one alone.
        arguments.extend(["--lib", "--test", "*"]);
    }
    arguments.extend(options.tests.iter().flat_map(|test| ["--test", test]));
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
}

#[derive(Deserialize)]
struct Profile {
    test: bool,
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
    fn only_executables_for_tests_are_listed() {
        let messages = r#"
{"reason":"compiler-artifact","manifest_path":"/r/a/Cargo.toml","target":{"name":"a"},"profile":{"test":false},"executable":null}
{"reason":"compiler-artifact","manifest_path":"/r/a/Cargo.toml","target":{"name":"tool"},"profile":{"test":false},"executable":"/t/tool"}
{"reason":"compiler-artifact","manifest_path":"/r/a/Cargo.toml","target":{"name":"attacks"},"profile":{"test":true},"executable":"/t/deps/attacks-1"}
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
