//! What other installers hold the files of a skill to: one digest over names and contents, or the id of git's tree.

use crate::store::{Store, StoreError};
use guild_manifest::{Digest, DigestBuilder, FileEntry, TreeManifest};
use ring::digest::{Context, SHA1_FOR_LEGACY_USE_ONLY};
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// What the files of a skill were, as a lock says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FolderHash {
    /// SHA-256 over every path and content.
    Computed(Digest),
    /// The id of git's tree, in hexadecimal digits.
    Git(String),
}

impl FolderHash {
    /// Whether the files of a tree are what it says.
    ///
    /// # Errors
    /// Where a file is not in the store.
    pub fn is_of(&self, store: &Store, tree: &TreeManifest) -> Result<bool, StoreError> {
        match self {
            // Which order files come in has changed between releases.
            Self::Computed(digest) => {
                Ok(*digest == computed_hash(store, tree)? || *digest == over(store, tree.files().iter())?)
            }
            Self::Git(id) => Ok(*id == git_tree(store, tree)?),
        }
    }
}

/// Hexadecimal digits in either case, with or without the name of the algorithm before them.
pub(super) fn read_computed(text: &str) -> Option<FolderHash> {
    let digits = text.strip_prefix("sha256-").or(text.strip_prefix("sha256:")).unwrap_or(text);
    format!("sha256:{}", digits.to_ascii_lowercase()).parse().ok().map(FolderHash::Computed)
}

pub(super) fn read_git(text: &str) -> Option<FolderHash> {
    let is_id = text.len() == 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_id.then(|| FolderHash::Git(text.to_ascii_lowercase()))
}

/// The digest that `skills-lock.json` has of a skill: files in the order of a person's alphabet, each with its path and its content.
///
/// # Errors
/// Where a file is not in the store.
pub fn computed_hash(store: &Store, tree: &TreeManifest) -> Result<Digest, StoreError> {
    let mut files: Vec<&FileEntry> = tree.files().iter().collect();
    files.sort_by(|one, other| alphabetical(&one.path, &other.path));
    over(store, files.into_iter())
}

fn over<'a>(store: &Store, files: impl Iterator<Item = &'a FileEntry>) -> Result<Digest, StoreError> {
    let mut builder = DigestBuilder::default();
    let is_skipped = |path: &str| path.split('/').any(|name| matches!(name, ".git" | "node_modules"));
    for file in files.filter(|file| !is_skipped(&file.path)) {
        builder.add(file.path.as_bytes());
        builder.add(&store.get(&file.digest)?);
    }
    Ok(builder.finish())
}

/// The order of ASCII in the root collation of CLDR, letters without regard to their case.
const ALPHABET: &str = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789abcdefghijklmnopqrstuvwxyz";

/// Compares two paths as the alphabet of the root locale does: by letters first, and small ones before capitals where they are the same.
fn alphabetical(one: &str, other: &str) -> Ordering {
    let place = |char: char| {
        ALPHABET.find(char.to_ascii_lowercase()).map_or((1, u32::from(char)), |at| (0, at as u32))
    };
    let letters = one.chars().map(place).cmp(other.chars().map(place));
    letters.then_with(|| {
        one.chars()
            .map(|char| char.is_ascii_uppercase())
            .cmp(other.chars().map(|char| char.is_ascii_uppercase()))
    })
}

/// The id that git has for a tree of these files.
///
/// # Errors
/// Where a file is not in the store.
pub fn git_tree(store: &Store, tree: &TreeManifest) -> Result<String, StoreError> {
    let files: Vec<(&str, &FileEntry)> = tree.files().iter().map(|file| (file.path.as_str(), file)).collect();
    Ok(hex(&directory(store, &files)?))
}

/// The id of a directory: its files, and the directories in it by the first part of their paths.
fn directory(store: &Store, files: &[(&str, &FileEntry)]) -> Result<Vec<u8>, StoreError> {
    let mut inner: BTreeMap<&str, Vec<(&str, &FileEntry)>> = BTreeMap::new();
    // Git sorts directories as if their names ended in a slash.
    let mut lines: BTreeMap<Vec<u8>, Vec<u8>> = BTreeMap::new();
    for (path, file) in files {
        match path.split_once('/') {
            Some((name, rest)) => inner.entry(name).or_default().push((rest, file)),
            None => {
                let id = object("blob", &store.get(&file.digest)?);
                let mode = if file.executable { "100755" } else { "100644" };
                lines.insert(path.as_bytes().to_vec(), line(mode, path, &id));
            }
        }
    }
    for (name, files) in inner {
        let id = directory(store, &files)?;
        lines.insert(format!("{name}/").into_bytes(), line("40000", name, &id));
    }
    Ok(object("tree", &lines.into_values().flatten().collect::<Vec<u8>>()))
}

fn line(mode: &str, name: &str, id: &[u8]) -> Vec<u8> {
    [mode.as_bytes(), b" ", name.as_bytes(), b"\0", id].concat()
}

fn object(kind: &str, content: &[u8]) -> Vec<u8> {
    let mut context = Context::new(&SHA1_FOR_LEGACY_USE_ONLY);
    context.update(format!("{kind} {}\0", content.len()).as_bytes());
    context.update(content);
    context.finish().as_ref().to_vec()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As `localeCompare` sorts it.
    #[test]
    fn paths_are_sorted_as_a_person_sorts_them() {
        let sorted = [
            "a b",
            "a_b",
            "a-b",
            "a.md",
            "a/b",
            "a/B",
            "A/b",
            "a1",
            "a10",
            "a2",
            "LICENSE.txt",
            "README.md",
            "reference/x.md",
            "scripts/run.sh",
            "SKILL.md",
        ];
        let mut shuffled = sorted;
        shuffled.reverse();
        shuffled.sort_by(|one, other| alphabetical(one, other));
        assert_eq!(shuffled, sorted);
    }
}
