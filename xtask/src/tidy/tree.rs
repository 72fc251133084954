//! The repository's files in memory: what every check of `tidy` looks at.
//!
//! It lists what git tracks or would track and reads it once. It judges nothing, and checks never
//! touch the disk themselves, so that each can be tested on made-up files.

use std::fs;
use std::path::Path;

use crate::process;

/// The files of a repository, sorted by path.
#[derive(Debug, Default)]
pub struct Tree {
    files: Vec<File>,
}

/// One file of the repository.
#[derive(Debug)]
pub struct File {
    /// The path from the repository's root, with forward slashes.
    pub path: String,
    /// The content, if it is text.
    pub text: Option<String>,
}

impl Tree {
    /// Reads every file below `root` that git tracks or does not ignore.
    pub fn read(root: &Path) -> Result<Self, String> {
        // A clone may belong to another user than the one who checks it, and listing files runs nothing in it.
        let list = ["-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"];
        let listing = process::capture(root, "git", &list)?;
        let mut tree = Self::default();
        for path in listing.split('\0').filter(|path| !path.is_empty()) {
            let on_disk = root.join(path);
            // A link has no content of its own, and a deleted file stays listed until the deletion is staged.
            if fs::symlink_metadata(&on_disk).is_ok_and(|meta| meta.is_file()) {
                let bytes = fs::read(&on_disk).map_err(|error| format!("cannot read {path}: {error}"))?;
                tree.add(path, bytes);
            }
        }
        tree.files.sort_by(|a, b| a.path.cmp(&b.path));
        tree.files.dedup_by(|a, b| a.path == b.path);
        Ok(tree)
    }

    /// All files.
    pub fn files(&self) -> impl Iterator<Item = &File> {
        self.files.iter()
    }

    /// All files that are text, with their text.
    pub fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().filter_map(|file| Some((file.path.as_str(), file.text.as_deref()?)))
    }

    /// The text of the file at `path`, if there is one.
    pub fn text(&self, path: &str) -> Option<&str> {
        self.texts().find(|(candidate, _)| *candidate == path).map(|(_, text)| text)
    }

    /// The folders below `crates/`, sorted, each once.
    pub fn crate_folders(&self) -> Vec<&str> {
        let mut folders: Vec<&str> = self.files.iter().filter_map(|file| crate_folder(&file.path)).collect();
        folders.dedup();
        folders
    }

    fn add(&mut self, path: &str, bytes: Vec<u8>) {
        let text = if bytes.contains(&0) { None } else { String::from_utf8(bytes).ok() };
        self.files.push(File { path: path.to_owned(), text });
    }
}

/// The folder below `crates/` that `path` lies in.
pub fn crate_folder(path: &str) -> Option<&str> {
    path.strip_prefix("crates/")?.split_once('/').map(|(folder, _)| folder)
}

/// Whether `path` lies in a folder of test data, whose files may look like anything.
pub fn is_test_data(path: &str) -> bool {
    path.split('/').any(|part| part == "test_data")
}

#[cfg(test)]
impl Tree {
    /// The files of a fixture text, for the tests of the checks.
    pub fn of(fixture: &str) -> Self {
        let mut tree = Self::default();
        for entry in guild_testkit::Fixture::parse(fixture) {
            if let guild_testkit::Content::File(bytes) = entry.content {
                tree.add(&entry.path, bytes);
            }
        }
        tree.files.sort_by(|a, b| a.path.cmp(&b.path));
        tree
    }
}

#[cfg(test)]
mod tests {
    use guild_testkit::Fixture;

    use super::*;

    #[test]
    fn tracked_and_new_files_are_read_and_ignored_ones_are_not() {
        let fixture = Fixture::write(
            "
            //- /.gitignore
            /target
            //- /target/junk
            //- /crates/b/new.rs
            new
            //- /crates/a/tracked.rs
            tracked
            //- /picture bytes:0001
            //- /link link:/crates
            ",
        );
        process::capture(fixture.path(), "git", &["init", "--quiet"]).unwrap();
        process::capture(fixture.path(), "git", &["add", "crates/a"]).unwrap();
        let tree = Tree::read(fixture.path()).unwrap();
        let paths: Vec<_> = tree.files().map(|file| (file.path.as_str(), file.text.is_some())).collect();
        assert_eq!(
            paths,
            [
                (".gitignore", true),
                ("crates/a/tracked.rs", true),
                ("crates/b/new.rs", true),
                ("picture", false)
            ]
        );
        assert_eq!(tree.crate_folders(), ["a", "b"]);
        assert_eq!(tree.text("crates/b/new.rs"), Some("new\n"));
    }
}
