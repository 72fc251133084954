//! The tests of the benchmarks themselves: a figure that is taken wrongly is worse than none.
//!
//! Every directory of `bench` that can be run has a `tests.py`; nothing is measured here.

use std::fs;
use std::path::Path;

use crate::process;

/// Runs the tests of every benchmark.
pub fn run(root: &Path) -> Result<(), String> {
    for name in benchmarks(&root.join("bench"))? {
        let tests = format!("bench/{name}/tests.py");
        process::capture(root, "python3", &[&tests])?;
    }
    Ok(())
}

/// The directories that hold a program `run`, in order.
fn benchmarks(bench: &Path) -> Result<Vec<String>, String> {
    let unreadable = |error: std::io::Error| format!("cannot read {}: {error}", bench.display());
    let mut names = Vec::new();
    for entry in fs::read_dir(bench).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        if entry.path().join("run").is_file() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_benchmark_is_found_and_has_tests() {
        let bench = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("bench");
        let names = benchmarks(&bench).unwrap();
        assert!(names.contains(&"sandbox".to_owned()), "{names:?}");
        let without: Vec<_> =
            names.iter().filter(|name| !bench.join(name).join("tests.py").is_file()).collect();
        assert!(without.is_empty(), "{without:?}");
    }
}
