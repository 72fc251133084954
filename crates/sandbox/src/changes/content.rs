//! The content of what differs, for showing it: read like everything else here, without following a link and within a bound.

use std::io::{self, Read};
use std::path::Path;

use super::change::{Change, Node};
use super::layer::{Layer, LayerError};
use super::set::ChangeSet;
use super::tree::Tree;

/// What a file holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// There is no regular file.
    None,
    /// All of it.
    Bytes(Vec<u8>),
    /// It is longer than was asked for.
    TooLong,
}

/// What a file was and what it became.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contents {
    /// In the source, as it is now.
    pub base: Content,
    /// In the layer.
    pub new: Content,
}

impl ChangeSet {
    /// What a change does to a file's content; files longer than `limit` are not read.
    pub fn contents(&self, change: &Change, limit: u64) -> Result<Contents, LayerError> {
        let is_file = |node: &Option<Node>| matches!(node, Some(Node::File { .. }));
        let read = |tree: &Tree| match read(tree, &change.path, limit) {
            Ok(content) => content,
            // What is gone or was replaced meanwhile is told when somebody applies.
            Err(_) => Content::None,
        };
        let base = match Tree::open(&self.source) {
            Ok(source) if is_file(&change.base) => read(&source),
            _ => Content::None,
        };
        let new =
            if is_file(&change.new) { read(&Layer::open(&self.layer)?.content()?) } else { Content::None };
        Ok(Contents { base, new })
    }
}

fn read(tree: &Tree, path: &Path, limit: u64) -> io::Result<Content> {
    let mut bytes = Vec::new();
    tree.file(path)?.take(limit + 1).read_to_end(&mut bytes)?;
    Ok(if bytes.len() as u64 > limit { Content::TooLong } else { Content::Bytes(bytes) })
}
