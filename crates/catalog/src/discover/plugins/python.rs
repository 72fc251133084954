//! Plugins inside installed Python packages: `python:package` and `python:package:sub/path`.
//!
//! The package is found by looking where interpreters keep packages. No interpreter is started.

use crate::Machine;
use crate::bounds::leaves;
use std::fs;
use std::path::PathBuf;

/// A package and the directory in it.
pub struct Package<'a> {
    name: &'a str,
    below: &'a str,
}

/// The package that a configured plugin names, if it names one.
pub fn package(spec: &str) -> Option<Package<'_>> {
    let rest = ["python:", "pkg:", "module:"].iter().find_map(|prefix| spec.strip_prefix(prefix))?;
    let (name, below) = rest.split_once(':').unwrap_or((rest, ""));
    let is_name = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || c == '_');
    (name.split('.').all(is_name) && !leaves(below)).then_some(Package { name, below })
}

/// Where the package lies, if it is installed.
pub fn find(machine: &Machine, package: &Package<'_>) -> Option<PathBuf> {
    let parts = package.name.split('.').chain(package.below.split('/').filter(|part| !part.is_empty()));
    let relative: PathBuf = parts.collect();
    package_directories(machine).into_iter().map(|path| path.join(&relative)).find(|path| path.is_dir())
}

fn package_directories(machine: &Machine) -> Vec<PathBuf> {
    let mut found = machine.directories("PYTHONPATH");
    let virtual_env = machine.variable("VIRTUAL_ENV").map(PathBuf::from);
    let local = machine.home.as_ref().map(|home| home.join(".local"));
    let prefixes = [virtual_env, local, Some("/usr/local".into()), Some("/usr".into())];
    for prefix in prefixes.into_iter().flatten() {
        let mut versions: Vec<(u32, PathBuf)> = Vec::new();
        for entry in fs::read_dir(prefix.join("lib")).into_iter().flatten().flatten() {
            let minor =
                entry.file_name().to_string_lossy().strip_prefix("python3.").and_then(|n| n.parse().ok());
            versions.extend(minor.map(|minor| (minor, entry.path())));
        }
        versions.sort();
        found.extend(
            versions.iter().rev().flat_map(|(_, v)| [v.join("site-packages"), v.join("dist-packages")]),
        );
    }
    // Where distributions install for every version of Python 3.
    found.push("/usr/lib/python3/dist-packages".into());
    found
}
