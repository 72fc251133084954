//! The files of a tree by path and digest: what is staged, hashed, locked and served.
//!
//! Directories and links are no entries: a tree is the files in it. Who reads them is another's business.

use crate::{Digest, canonical};
use serde::{Deserialize, Serialize};

/// The version of the form in which trees are written and hashed.
const VERSION: u32 = 1;

/// One file of a tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileEntry {
    /// Where it lies below the root, with `/` between names.
    pub path: String,
    /// Whether it may be executed, which is all of its mode that counts.
    pub executable: bool,
    /// Its bytes.
    pub size: u64,
    /// The SHA-256 of its content and of nothing else.
    pub digest: Digest,
}

/// All files of a tree, sorted by path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Written")]
pub struct TreeManifest {
    version: u32,
    files: Vec<FileEntry>,
}

/// Why files make no tree.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotATree {
    /// A path that leads nowhere below a root, or has two spellings.
    #[error("`{path}` is no path of a file in a tree")]
    Path {
        /// The path.
        path: String,
    },
    /// One path for two files, or for a file and a directory.
    #[error("`{path}` is there twice")]
    Twice {
        /// The path.
        path: String,
    },
    /// A form that this program does not know.
    #[error("it is written in version {version}, and this program knows {VERSION}")]
    Version {
        /// The version it is written in.
        version: u32,
    },
    /// Files in another order than that of their paths.
    #[error("its files are not sorted by path")]
    Unsorted,
}

impl TreeManifest {
    /// The tree of these files, in whatever order they come.
    ///
    /// # Errors
    /// Where a path is none, or one stands in the way of another.
    pub fn new(mut files: Vec<FileEntry>) -> Result<Self, NotATree> {
        files.sort_by(|one, other| one.path.cmp(&other.path));
        Self::sorted(files)
    }

    fn sorted(files: Vec<FileEntry>) -> Result<Self, NotATree> {
        if let Some(wrong) = files.iter().find(|file| !is_path(&file.path)) {
            return Err(NotATree::Path { path: wrong.path.clone() });
        }
        let tree = Self { version: VERSION, files };
        for (file, next) in tree.files.iter().zip(tree.files.iter().skip(1)) {
            if file.path == next.path {
                return Err(NotATree::Twice { path: file.path.clone() });
            }
        }
        // What lies below a file's path does not come right after it: `a`, `a-b`, `a/c`.
        let is_directory = |path: &str| {
            let below = format!("{path}/");
            let first = tree.files.partition_point(|file| file.path < below);
            tree.files.get(first).is_some_and(|file| file.path.starts_with(&below))
        };
        match tree.files.iter().find(|file| is_directory(&file.path)) {
            Some(file) => Err(NotATree::Twice { path: file.path.clone() }),
            None => Ok(tree),
        }
    }

    /// The files, sorted by path.
    pub fn files(&self) -> &[FileEntry] {
        &self.files
    }

    /// The file of this path.
    pub fn file(&self, path: &str) -> Option<&FileEntry> {
        let at = self.files.binary_search_by(|file| file.path.as_str().cmp(path)).ok()?;
        self.files.get(at)
    }

    /// The bytes of all files together.
    pub fn size(&self) -> u64 {
        self.files.iter().fold(0, |sum, file| sum.saturating_add(file.size))
    }

    /// The canonical text, whose SHA-256 is the digest of the tree.
    pub fn text(&self) -> String {
        let files = self.files.iter().map(|file| {
            serde_json::json!({
                "path": file.path,
                "executable": file.executable,
                "size": file.size,
                "digest": file.digest.to_string(),
            })
        });
        canonical::text_of(
            &serde_json::json!({ "version": self.version, "files": files.collect::<Vec<_>>() }),
        )
    }

    /// The digest that names the tree.
    pub fn digest(&self) -> Digest {
        Digest::of(self.text().as_bytes())
    }
}

/// A manifest as it is written, before anybody has looked at it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    version: u32,
    files: Vec<FileEntry>,
}

impl TryFrom<Written> for TreeManifest {
    type Error = NotATree;

    fn try_from(written: Written) -> Result<Self, NotATree> {
        let Written { version, files } = written;
        if version != VERSION {
            return Err(NotATree::Version { version });
        }
        if !files.is_sorted_by(|one, other| one.path <= other.path) {
            return Err(NotATree::Unsorted);
        }
        Self::sorted(files)
    }
}

/// Whether a path is relative, leads downwards alone and has one spelling.
fn is_path(path: &str) -> bool {
    let is_name = |name: &str| !matches!(name, "" | "." | "..");
    !path.contains('\0') && path.split('/').all(is_name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn tree(paths: &[&str]) -> Result<TreeManifest, NotATree> {
        let file = |path: &&str| {
            let content = path.as_bytes();
            let (size, digest) = (content.len() as u64, Digest::of(content));
            FileEntry { path: (*path).to_owned(), executable: path.ends_with(".sh"), size, digest }
        };
        TreeManifest::new(paths.iter().map(file).collect())
    }

    #[track_caller]
    fn check(json: &str, expect: &Expect) {
        let read = serde_json::from_str::<TreeManifest>(json);
        expect.assert_eq(&read.map_or_else(|error| error.to_string(), |tree| tree.text()));
    }

    /// A golden vector: whoever changes it changes what every lock and approval refers to.
    #[test]
    fn a_tree_is_its_files_in_order_and_its_digest_that_of_its_text() {
        let tree = tree(&["run.sh", "SKILL.md"]).unwrap();
        expect![[r#"{"files":[{"digest":"sha256:0e95f5a3666031d6fac42bc6ca698b40b61648f4974c8ec355181ed4888c5c26","executable":false,"path":"SKILL.md","size":8},{"digest":"sha256:d31ce0453051853c17ba2a5225b3d1bfab548e095bab0967d6acfd1b3ce1b35d","executable":true,"path":"run.sh","size":6}],"version":1}"#]].assert_eq(&tree.text());
        expect!["sha256:e7a5db0a4a5885fca2cafb29d9bf0e76ded40d00377cb59fdb719a8a1878d087"]
            .assert_eq(&tree.digest().to_string());
        assert_eq!(serde_json::from_str::<TreeManifest>(&tree.text()).unwrap(), tree);
        assert_eq!((tree.size(), tree.file("run.sh").unwrap().size, tree.file("run")), (14, 6, None));
    }

    #[test]
    fn paths_that_leave_or_have_two_spellings_are_none() {
        for path in ["", "/a", "a/", "a//b", "./a", "a/./b", "..", "a/../b", "a\0b"] {
            assert_eq!(tree(&[path]), Err(NotATree::Path { path: path.to_owned() }), "{path}");
        }
        assert!(tree(&["a/.../b", ".hidden", "with blank", "ä\n"]).is_ok());
    }

    #[test]
    fn one_path_is_one_file() {
        assert_eq!(tree(&["a", "b", "a"]), Err(NotATree::Twice { path: "a".to_owned() }));
        assert_eq!(tree(&["a", "a-b", "a/c"]), Err(NotATree::Twice { path: "a".to_owned() }));
        assert!(tree(&["a-b", "a/c", "a.b"]).is_ok());
    }

    #[test]
    fn what_is_written_otherwise_is_not_read() {
        let entry = |path: &str| {
            format!(
                r#"{{"path":"{path}","executable":false,"size":0,"digest":"sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}}"#
            )
        };
        check(
            r#"{"version":2,"files":[]}"#,
            &expect!["it is written in version 2, and this program knows 1"],
        );
        check(
            &format!(r#"{{"version":1,"files":[{},{}]}}"#, entry("b"), entry("a")),
            &expect!["its files are not sorted by path"],
        );
        check(
            &format!(r#"{{"version":1,"files":[{}]}}"#, entry("../a")),
            &expect!["`../a` is no path of a file in a tree"],
        );
        check(r#"{"version":1,"files":[]}"#, &expect![[r#"{"files":[],"version":1}"#]]);
    }
}
