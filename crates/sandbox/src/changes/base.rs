//! What a layer is compared with: the source itself, or the manifest that was taken of it when it was copied.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::bounds::{Budget, ReadError};
use super::change::{Node, Reason};
use super::path_text;
use super::tree::{Found, Tree};

/// The newest version of a manifest.
pub const MANIFEST_VERSION: u32 = 1;

/// What a source was when it was copied.
#[derive(Debug, Serialize, Deserialize)]
pub struct Manifest {
    version: u32,
    entries: Vec<ManifestEntry>,
}

/// One path of a manifest.
#[derive(Debug, Serialize, Deserialize)]
pub struct ManifestEntry {
    /// Relative to the source.
    #[serde(with = "path_text")]
    pub path: PathBuf,
    /// What was there.
    pub node: Node,
}

/// What a layer is compared with.
#[derive(Debug)]
pub enum Base {
    /// The source as it is now.
    Source {
        /// The source.
        tree: Tree,
        /// When the layer was made: what was changed later, was changed behind the command's back.
        made: (i64, i64),
        /// How much may be read of it.
        budget: Budget,
    },
    /// The source as it was copied.
    Manifest {
        /// What was there.
        nodes: BTreeMap<PathBuf, Node>,
        /// The names in each directory.
        names: BTreeMap<PathBuf, Vec<OsString>>,
    },
}

/// What the base has at a path.
#[derive(Debug)]
pub enum BaseNode {
    /// Nothing.
    Nothing,
    /// A file, directory or link.
    Node {
        /// Which.
        node: Node,
        /// Whether it was changed after the layer was made.
        edited_meanwhile: bool,
    },
    /// Something that is not replaced.
    Refused(Reason),
}

impl Manifest {
    /// The manifest of these entries, which are sorted.
    pub fn new(entries: Vec<ManifestEntry>) -> Manifest {
        Manifest { version: MANIFEST_VERSION, entries }
    }

    /// As something to compare with.
    pub fn into_base(self) -> Base {
        let mut names: BTreeMap<PathBuf, Vec<OsString>> = BTreeMap::new();
        for entry in &self.entries {
            if let (Some(parent), Some(name)) = (entry.path.parent(), entry.path.file_name()) {
                names.entry(parent.to_owned()).or_default().push(name.to_owned());
            }
        }
        let nodes = self.entries.into_iter().map(|entry| (entry.path, entry.node)).collect();
        Base::Manifest { nodes, names }
    }
}

impl Base {
    /// What stands at `path`.
    pub fn look(&mut self, path: &Path) -> Result<BaseNode, ReadError> {
        match self {
            Base::Manifest { nodes, .. } => Ok(match nodes.get(path) {
                Some(node) => BaseNode::Node { node: node.clone(), edited_meanwhile: false },
                None => BaseNode::Nothing,
            }),
            Base::Source { tree, made, budget } => Ok(match tree.look(path, budget)? {
                Found::Nothing => BaseNode::Nothing,
                Found::Node(node, stat) => {
                    let changed = (stat.st_ctime, i64::try_from(stat.st_ctime_nsec).unwrap_or_default());
                    // A directory changes with every name in it, which are looked at on their own.
                    let edited_meanwhile = !node.is_directory() && changed > *made;
                    BaseNode::Node { node, edited_meanwhile }
                }
                Found::Special(..) => BaseNode::Refused(Reason::BaseSpecial),
                Found::Unreadable => BaseNode::Refused(Reason::BaseUnreadable),
                Found::OtherFileSystem => BaseNode::Refused(Reason::OtherFileSystem),
            }),
        }
    }

    /// The names in the directory at `path`, sorted; none where there is no directory.
    pub fn names(&mut self, path: &Path) -> Result<Vec<OsString>, ReadError> {
        match self {
            Base::Manifest { names, .. } => Ok(names.get(path).cloned().unwrap_or_default()),
            Base::Source { tree, budget, .. } => match tree.stat(path) {
                Ok(Some(stat)) if stat.st_mode & 0o170_000 == 0o040_000 => tree
                    .names(path, budget.entries_left())
                    .map_err(|source| ReadError::Io { path: path.to_owned(), source }),
                _ => Ok(Vec::new()),
            },
        }
    }

    /// Counts an entry that was read because the command deleted it.
    pub fn count(&mut self, path: &Path) -> Result<(), ReadError> {
        match self {
            Base::Manifest { .. } => Ok(()),
            Base::Source { budget, .. } => budget.entry(path),
        }
    }

    /// What the link at `path` says, where there is one.
    pub fn link(&self, path: &Path) -> Option<PathBuf> {
        match self {
            Base::Manifest { nodes, .. } => match nodes.get(path) {
                Some(Node::Link { target }) => Some(target.clone()),
                _ => None,
            },
            Base::Source { tree, .. } => tree.link(path),
        }
    }
}
