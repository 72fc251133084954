//! A tree as text, to be compared.

use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// A tree as text, links not followed.
pub fn tree(root: &Path) -> String {
    let mut text = String::new();
    walk(root, root, &mut text);
    text
}

fn walk(root: &Path, directory: &Path, text: &mut String) {
    let mut entries: Vec<_> = std::fs::read_dir(directory).unwrap().map(Result::unwrap).collect();
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        let metadata = path.symlink_metadata().unwrap();
        let name = path.strip_prefix(root).unwrap().display().to_string();
        let mode = metadata.permissions().mode() & 0o7777;
        if metadata.is_symlink() {
            writeln!(text, "{name} -> {}", std::fs::read_link(&path).unwrap().display()).unwrap();
        } else if metadata.is_dir() {
            writeln!(text, "{name}/ {mode:o}").unwrap();
            walk(root, &path, text);
        } else {
            let content = std::fs::read(&path).unwrap();
            let content = match content.as_slice() {
                [0, ..] => format!("{} zeros", content.len()),
                content => String::from_utf8_lossy(content).trim_end().to_owned(),
            };
            writeln!(text, "{name} {mode:o} = {content}").unwrap();
        }
    }
}
