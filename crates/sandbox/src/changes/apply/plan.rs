//! The order in which things are moved, so that each has a directory to go to and each directory is empty when it goes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use rustix::fs::Stat;

use super::super::change::{Change, Node};
use super::super::tree::Tree;
use super::check::SeenPaths;
use super::error::{ApplyError, at};
use super::journal::{Action, ModeChange, Move, Moved};
use super::stage::Stager;

/// What the owner of a directory needs to move things into it, out of it, and it itself.
const OPEN: u32 = 0o700;

/// Stages everything new and says what is done in which order:
/// 1. directories that even their owner may not change are opened;
/// 2. what is deleted moves out, the deepest first;
/// 3. what is new moves in, directories before what is in them, and what it replaces moves out in the same step;
/// 4. permissions are set, the deepest first.
pub fn plan(
    changes: &[Change],
    (source, seen): (&Tree, &SeenPaths),
    mut stager: Stager<'_>,
    staged: &mut dyn FnMut(),
) -> Result<Vec<Action>, ApplyError> {
    let mut late = BTreeMap::new();
    for change in changes.iter().filter(|change| change.is_mode_only()) {
        let modes = (change.base.as_ref().and_then(Node::mode), change.new.as_ref().and_then(Node::mode));
        if let (Some(stat), (Some(from), Some(to))) = (seen.get(&change.path), modes) {
            late.insert(change.path.clone(), mode_change(&change.path, stat.st_ino, (from, to)));
        }
    }
    let mut actions = open(changes, (source, seen), &mut late)?;
    let moving = || changes.iter().filter(|change| !change.is_mode_only());
    for change in moving().rev().filter(|change| change.new.is_none()) {
        actions.push(move_of(change, seen, actions.len() as u64, None));
    }
    for change in moving() {
        let Some(node) = &change.new else { continue };
        let slot = actions.len() as u64;
        let stat = stager.stage(&change.path, node, slot)?;
        staged();
        if let Node::Directory { mode } = node {
            let modes = (stat.st_mode & 0o1777, *mode);
            late.insert(change.path.clone(), mode_change(&change.path, stat.st_ino, modes));
        }
        actions.push(move_of(change, seen, slot, Some(Moved::of(&stat))));
    }
    actions.extend(late.into_values().rev().filter(|mode| mode.from != mode.to).map(Action::Mode));
    Ok(actions)
}

/// Opens the directories of the source that could not be changed otherwise, and has those that stay closed again later.
fn open(
    changes: &[Change],
    (source, seen): (&Tree, &SeenPaths),
    late: &mut BTreeMap<PathBuf, ModeChange>,
) -> Result<Vec<Action>, ApplyError> {
    let moving = changes.iter().filter(|change| !change.is_mode_only());
    let moving: BTreeSet<&Path> = moving.map(|change| change.path.as_path()).collect();
    let mut actions = Vec::new();
    for (path, stat) in concerned(changes, (source, seen))? {
        let mode = stat.st_mode & 0o1777;
        if mode & OPEN == OPEN {
            continue;
        }
        actions.push(Action::Open(mode_change(path, stat.st_ino, (mode, mode | OPEN))));
        if !moving.contains(path) {
            let closing =
                late.entry(path.to_owned()).or_insert_with(|| mode_change(path, stat.st_ino, (mode, mode)));
            closing.from = mode | OPEN;
        }
    }
    Ok(actions)
}

/// The directories of the source that go, or that things move into or out of.
fn concerned<'a>(
    changes: &'a [Change],
    (source, seen): (&Tree, &SeenPaths),
) -> Result<BTreeMap<&'a Path, Stat>, ApplyError> {
    let mut directories = BTreeMap::new();
    for change in changes.iter().filter(|change| !change.is_mode_only()) {
        let parent = change.path.parent().unwrap_or(Path::new(""));
        if !directories.contains_key(parent)
            && let Some(stat) = source.stat(parent).map_err(at(parent))?
        {
            directories.insert(parent, stat);
        }
        if let (Some(Node::Directory { .. }), Some(stat)) = (&change.base, seen.get(&change.path)) {
            directories.insert(&change.path, *stat);
        }
    }
    // What is a file or link now is no directory yet, and comes with the permissions that it needs.
    directories.retain(|_, stat| stat.st_mode & 0o170_000 == 0o040_000);
    Ok(directories)
}

fn move_of(change: &Change, seen: &SeenPaths, slot: u64, new: Option<Moved>) -> Action {
    let old = seen.get(&change.path).map(Moved::of);
    Action::Move(Move { path: change.path.clone(), slot, old, new })
}

fn mode_change(path: &Path, inode: u64, (from, to): (u32, u32)) -> ModeChange {
    ModeChange { path: path.to_owned(), inode, from, to }
}
