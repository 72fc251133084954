//! Compares a source with what a set was made from.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, Stat};

use super::super::bounds::{Bounds, ReadError};
use super::super::change::{Change, Node};
use super::super::tree::{Found, Tree};
use super::error::{ApplyError, Conflict, ConflictKind};

/// What the source has at the paths that a set changes.
pub type SeenPaths = BTreeMap<PathBuf, Stat>;

/// Says what the source has at every path of the set, or every path at which it is not what the set was made from.
pub fn check(changes: &[Change], source: &Tree) -> Result<SeenPaths, ApplyError> {
    let by_path: BTreeMap<&Path, &Change> =
        changes.iter().map(|change| (change.path.as_path(), change)).collect();
    let mut seen = SeenPaths::new();
    let mut conflicts = Vec::new();
    for change in changes {
        let kind = compare(change, source, &mut seen)?.or_else(|| parent(change, source, &by_path));
        conflicts.extend(kind.map(|kind| Conflict { path: change.path.clone(), kind }));
        if change.base.as_ref().is_some_and(Node::is_directory) {
            conflicts.extend(unlisted(change, source, &by_path));
        }
    }
    conflicts.sort_by(|left, right| left.path.cmp(&right.path));
    if conflicts.is_empty() { Ok(seen) } else { Err(ApplyError::Conflict { conflicts }) }
}

fn compare(change: &Change, source: &Tree, seen: &mut SeenPaths) -> Result<Option<ConflictKind>, ReadError> {
    if change.edited_meanwhile {
        return Ok(Some(ConflictKind::EditedMeanwhile));
    }
    let bytes = match &change.base {
        Some(Node::File { size, .. }) => *size,
        _ => 0,
    };
    let found = match source.look(&change.path, &mut Bounds { entries: 0, bytes }.budget()) {
        // Larger than it was: there is no need to read it.
        Err(ReadError::TooLarge { .. }) if change.base.is_none() => return Ok(Some(ConflictKind::Appeared)),
        Err(ReadError::TooLarge { .. }) => return Ok(Some(ConflictKind::Changed)),
        found => found?,
    };
    Ok(match (found, &change.base) {
        (Found::Nothing, None) => None,
        (Found::Nothing, Some(_)) => Some(ConflictKind::Vanished),
        (Found::Node(node, stat), Some(base)) if node == *base => {
            seen.insert(change.path.clone(), stat);
            None
        }
        (_, Some(_)) => Some(ConflictKind::Changed),
        (_, None) => Some(ConflictKind::Appeared),
    })
}

/// What is added needs a directory, in the source or of the same set.
fn parent(change: &Change, source: &Tree, by_path: &BTreeMap<&Path, &Change>) -> Option<ConflictKind> {
    let parent = change.path.parent().filter(|parent| change.new.is_some() && *parent != Path::new(""))?;
    let is_directory = match by_path.get(parent) {
        Some(change) => change.new.as_ref().is_some_and(Node::is_directory),
        None => source.stat(parent).is_ok_and(|stat| stat.is_some_and(|stat| is_directory(&stat))),
    };
    (!is_directory).then_some(ConflictKind::NoDirectory)
}

/// What is in a directory that goes, and does not go with it.
fn unlisted(change: &Change, source: &Tree, by_path: &BTreeMap<&Path, &Change>) -> Vec<Conflict> {
    if change.new.as_ref().is_some_and(Node::is_directory) {
        return Vec::new();
    }
    let names = source.names(&change.path, u64::MAX).unwrap_or_default();
    let paths = names.into_iter().map(|name| change.path.join(name));
    paths
        .filter(|path| !by_path.contains_key(path.as_path()))
        .map(|path| Conflict { path, kind: ConflictKind::Appeared })
        .collect()
}

fn is_directory(stat: &Stat) -> bool {
    FileType::from_raw_mode(stat.st_mode) == FileType::Directory
}
