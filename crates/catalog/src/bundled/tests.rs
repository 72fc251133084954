//! What is compiled in is what lies in the repository, and all of it is fit to be shipped.

use super::*;
use crate::directory::{self, Kind};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

/// Where the files of a bundle come from.
fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("builtins").join(name)
}

/// Every file below a directory, whether it is a program, and its bytes; a link would be no file.
fn on_disk(root: &Path, below: &Path, found: &mut BTreeMap<String, (bool, Vec<u8>)>) {
    for name in directory::names(&root.join(below)).unwrap() {
        let path = below.join(&name.name);
        match name.kind {
            Kind::Directory => on_disk(root, &path, found),
            Kind::File => {
                let whole = root.join(&path);
                let executable = fs::metadata(&whole).unwrap().permissions().mode() & 0o111 != 0;
                found.insert(path.to_str().unwrap().to_owned(), (executable, fs::read(&whole).unwrap()));
            }
            other => panic!("{} is {other:?}", path.display()),
        }
    }
}

#[test]
fn what_is_compiled_in_is_the_directory_and_nothing_else() {
    for bundle in PLUGINS {
        let mut expected = BTreeMap::new();
        on_disk(&source(bundle.name), Path::new(""), &mut expected);
        let compiled =
            bundle.files.iter().map(|file| (file.path.to_owned(), (file.executable, file.bytes.to_vec())));
        let compiled: Vec<_> = compiled.collect();
        assert!(compiled.is_sorted_by(|a, b| a.0 < b.0), "the table of `{}` is not sorted", bundle.name);
        let names = |files: &[(String, (bool, Vec<u8>))]| -> Vec<(String, bool)> {
            files.iter().map(|(path, (executable, _))| (path.clone(), *executable)).collect()
        };
        let expected: Vec<_> = expected.into_iter().collect();
        assert_eq!(names(&compiled), names(&expected));
        assert!(compiled == expected, "a file of `{}` has other bytes than the one compiled in", bundle.name);
    }
}

#[test]
fn programs_have_an_interpreter_and_nothing_else_has() {
    for file in PLUGINS.iter().flat_map(|bundle| bundle.files) {
        assert_eq!(file.bytes.starts_with(b"#!"), file.executable, "{}", file.path);
    }
}

/// Each skill runs from its own directory, so what they share is there several times.
#[test]
fn modules_of_one_name_are_one_module() {
    let mut known: BTreeMap<&OsStr, &BundledFile> = BTreeMap::new();
    for file in PLUGINS.iter().flat_map(|bundle| bundle.files).filter(|file| file.path.ends_with(".py")) {
        let name = Path::new(file.path).file_name().unwrap();
        let first = known.entry(name).or_insert(file);
        assert!(first.bytes == file.bytes, "{} differs from {}", file.path, first.path);
    }
}

#[test]
fn a_bundle_answers_as_a_directory_would() {
    let bundle = &PLUGINS[0];
    assert!(bundle.is_dir(".") && bundle.is_dir("skills") && bundle.is_dir("skills/code-complexity/scripts"));
    assert!(!bundle.is_dir("skill") && !bundle.is_dir("skills/code-complexity/SKILL.md"));
    assert!(bundle.is_file("skills/code-complexity/SKILL.md") && !bundle.is_file("skills"));
    assert_eq!(bundle.file("skills"), Found::NotAFile);
    assert_eq!(bundle.file("nothing"), Found::Missing);
    assert!(
        matches!(bundle.file(".claude-plugin/plugin.json"), Found::Bytes(bytes) if bytes.starts_with(b"{"))
    );
}
