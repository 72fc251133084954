//! Takes the actions of a journal, and takes them back.
//!
//! Each action first looks where the things are that it moves, so that one which is taken already is not taken again, and one
//! that meets something else than it was made for is not taken at all.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags, RenameFlags, Stat};
use rustix::io::Errno;

use super::super::tree::{Tree, change_mode, inode, names};
use super::durable;
use super::error::{ActionError, Conflict, ConflictKind};
use super::journal::{Action, ModeChange, Move, Moved};
use super::slot;

/// A source and its staging directory.
pub struct Mover {
    source: Tree,
    staging: OwnedFd,
}

/// Where the things are that one action moves.
struct Scene<'a> {
    parent: OwnedFd,
    name: &'a OsStr,
    new_slot: OsString,
    old_slot: OsString,
    target: Option<Stat>,
    in_new_slot: Option<Stat>,
    in_old_slot: Option<Stat>,
}

impl Mover {
    /// Moves between a source and its staging directory.
    pub fn new(source: Tree, staging: OwnedFd) -> Mover {
        Mover { source, staging }
    }

    /// Finds the staging directory of an application that was cut short.
    pub fn open(source: Tree, staging: &str, inode: u64) -> io::Result<Mover> {
        let staging = source.directory(Path::new(staging))?;
        if rustix::fs::fstat(&staging)?.st_ino != inode {
            return Err(io::ErrorKind::NotFound.into());
        }
        Ok(Mover { source, staging })
    }

    /// The source.
    pub fn source(&self) -> &Tree {
        &self.source
    }

    /// Takes all actions that are not taken yet. They are there to stay when this returns.
    pub fn forward(&self, actions: &[Action], taken: &mut dyn FnMut()) -> Result<(), ActionError> {
        for action in actions {
            match action {
                Action::Open(mode) => self.open_forward(mode)?,
                Action::Move(moved) => self.move_forward(moved)?,
                Action::Mode(mode) => self.mode_forward(mode)?,
            }
            taken();
        }
        self.sync(actions).map_err(|source| ActionError::Io { path: PathBuf::new(), source })
    }

    /// Takes all actions back that are taken, and says which paths it could not put back.
    pub fn backward(&self, actions: &[Action], taken_back: &mut dyn FnMut()) -> Vec<PathBuf> {
        let mut stuck = Vec::new();
        for action in actions.iter().rev() {
            let (path, result) = match action {
                Action::Move(moved) => (&moved.path, self.move_backward(moved)),
                Action::Open(mode) | Action::Mode(mode) => (&mode.path, self.mode_backward(mode)),
            };
            if result.is_err() {
                stuck.push(path.clone());
            }
            taken_back();
        }
        if self.sync(actions).is_err() && stuck.is_empty() {
            stuck.push(PathBuf::new());
        }
        stuck.sort();
        stuck
    }

    fn move_forward(&self, moved: &Move) -> Result<(), ActionError> {
        let failed = |source| ActionError::Io { path: moved.path.clone(), source };
        let conflict = |kind| ActionError::Conflict(Conflict { path: moved.path.clone(), kind });
        let mut scene = match self.scene(moved) {
            Ok(scene) => scene,
            Err(error) if !is_no_directory(&error) => return Err(failed(error)),
            // What was deleted is out already, and so is the directory that it was in.
            Err(_) if moved.new.is_none() && self.holds_old(moved).map_err(failed)? => return Ok(()),
            Err(_) => return Err(conflict(ConflictKind::NoDirectory)),
        };
        if let Some(old) = &moved.old {
            if scene.kept(old).is_none() {
                match &scene.target {
                    None => return Err(conflict(ConflictKind::Vanished)),
                    target if !old.is(target.as_ref()) => return Err(conflict(ConflictKind::Changed)),
                    Some(_) => self.take_out(&scene, moved.new.is_some()).map_err(failed)?,
                }
                scene = self.scene(moved).map_err(failed)?;
            }
            if !self.is_intact(&scene, old).map_err(failed)? {
                return Err(conflict(ConflictKind::Changed));
            }
        }
        match &moved.new {
            // Not there any more: it is in place, or was, and whoever replaced it since has the last word.
            Some(new) if !new.is(scene.in_new_slot.as_ref()) => Ok(()),
            Some(_) if scene.target.is_some() => Err(conflict(ConflictKind::Appeared)),
            Some(_) => rename((&self.staging, &scene.new_slot), (&scene.parent, scene.name)).map_err(failed),
            None => Ok(()),
        }
    }

    /// Moves the old out, and the new in with the same call where the file system knows how.
    fn take_out(&self, scene: &Scene<'_>, is_replaced: bool) -> io::Result<()> {
        let target = (&scene.parent, scene.name);
        if is_replaced && exchange((&self.staging, &scene.new_slot), target)? {
            return Ok(());
        }
        rename(target, (&self.staging, &scene.old_slot))
    }

    /// Whether what was moved out is what the set was made from, and nobody has put anything into it.
    fn is_intact(&self, scene: &Scene<'_>, old: &Moved) -> io::Result<bool> {
        let Some((slot, stat)) = scene.kept(old) else { return Ok(false) };
        Ok(old.is_untouched(stat) && (!old.directory || is_empty(&self.staging, slot)?))
    }

    fn move_backward(&self, moved: &Move) -> io::Result<()> {
        let scene = match self.scene(moved) {
            Ok(scene) => scene,
            // Where the directory is gone, nothing was moved in; the old, if there was one, is kept for a person.
            Err(error) => return if self.holds_old(moved)? { Err(error) } else { Ok(()) },
        };
        let kept = moved.old.as_ref().and_then(|old| scene.kept(old)).map(|(slot, _)| slot);
        let target = (&scene.parent, scene.name);
        match (&moved.new, &scene.target, kept) {
            (Some(new), Some(stat), kept) if new.is(Some(stat)) => {
                if !new.is_untouched(stat) || (new.directory && !is_empty(&scene.parent, scene.name)?) {
                    return Err(io::ErrorKind::ResourceBusy.into());
                }
                match kept {
                    None => rename(target, (&self.staging, &scene.new_slot)),
                    Some(slot) => self.put_back(target, slot, &scene),
                }
            }
            (_, None, Some(slot)) => rename((&self.staging, slot), target),
            (_, Some(_), Some(_)) => Err(io::ErrorKind::AlreadyExists.into()),
            // It was never moved.
            (_, _, None) => Ok(()),
        }
    }

    fn put_back(&self, target: (&OwnedFd, &OsStr), slot: &OsStr, scene: &Scene<'_>) -> io::Result<()> {
        if exchange((&self.staging, slot), target)? {
            return Ok(());
        }
        let free = if slot == scene.new_slot { &scene.old_slot } else { &scene.new_slot };
        rename(target, (&self.staging, free))?;
        rename((&self.staging, slot), target)
    }

    fn holds_old(&self, moved: &Move) -> io::Result<bool> {
        let Some(old) = &moved.old else { return Ok(false) };
        let in_new = inode(&self.staging, &slot(moved.slot, "new"))?;
        let in_old = inode(&self.staging, &slot(moved.slot, "old"))?;
        Ok(old.is(in_new.as_ref()) || old.is(in_old.as_ref()))
    }

    /// Whatever else the directory is by now, the moves that follow find out.
    fn open_forward(&self, mode: &ModeChange) -> Result<(), ActionError> {
        let failed = |source| ActionError::Io { path: mode.path.clone(), source };
        let Some(handle) = self.source.handle(&mode.path).map_err(failed)? else { return Ok(()) };
        let stat = rustix::fs::fstat(&handle).map_err(|error| failed(error.into()))?;
        if stat.st_ino == mode.inode && permissions(&stat) == mode.from {
            change_mode(&handle, kept_bits(&stat) | mode.to).map_err(failed)?;
        }
        Ok(())
    }

    fn mode_forward(&self, mode: &ModeChange) -> Result<(), ActionError> {
        let failed = |source| ActionError::Io { path: mode.path.clone(), source };
        let changed =
            || ActionError::Conflict(Conflict { path: mode.path.clone(), kind: ConflictKind::Changed });
        let handle = self.source.handle(&mode.path).map_err(failed)?.ok_or_else(changed)?;
        let stat = rustix::fs::fstat(&handle).map_err(|error| failed(error.into()))?;
        match permissions(&stat) {
            _ if stat.st_ino != mode.inode => Err(changed()),
            now if now == mode.to => Ok(()),
            now if now == mode.from => change_mode(&handle, kept_bits(&stat) | mode.to).map_err(failed),
            _ => Err(changed()),
        }
    }

    fn mode_backward(&self, mode: &ModeChange) -> io::Result<()> {
        let Some(handle) = self.source.handle(&mode.path)? else { return Ok(()) };
        let stat = rustix::fs::fstat(&handle)?;
        if stat.st_ino == mode.inode && permissions(&stat) == mode.to {
            change_mode(&handle, kept_bits(&stat) | mode.from)?;
        }
        Ok(())
    }

    fn scene<'a>(&self, moved: &'a Move) -> io::Result<Scene<'a>> {
        let (parent, name) = self.source.parent(&moved.path)?;
        let (new_slot, old_slot) = (slot(moved.slot, "new"), slot(moved.slot, "old"));
        Ok(Scene {
            target: inode(&parent, name)?,
            in_new_slot: inode(&self.staging, &new_slot)?,
            in_old_slot: inode(&self.staging, &old_slot)?,
            parent,
            name,
            new_slot,
            old_slot,
        })
    }

    /// Makes everything last that was changed and is still there.
    fn sync(&self, actions: &[Action]) -> io::Result<()> {
        let changed: BTreeSet<&Path> = actions
            .iter()
            .map(|action| match action {
                Action::Move(moved) => moved.path.parent().unwrap_or(Path::new("")),
                Action::Open(mode) | Action::Mode(mode) => &mode.path,
            })
            .collect();
        let changed: Vec<&Path> = changed.into_iter().collect();
        durable::sync(&self.staging, &changed, |path| {
            self.source.directory(path).or_else(|_| self.source.file(path).map(OwnedFd::from))
        })
    }
}

impl Scene<'_> {
    /// In which slot the old is kept, if it was moved out.
    fn kept(&self, old: &Moved) -> Option<(&OsStr, &Stat)> {
        let slots = [(&self.new_slot, &self.in_new_slot), (&self.old_slot, &self.in_old_slot)];
        slots.into_iter().find_map(|(name, stat)| {
            stat.as_ref().filter(|stat| old.is(Some(stat))).map(|stat| (name.as_os_str(), stat))
        })
    }
}

/// Whether a path does not lead through directories of the source.
fn is_no_directory(error: &io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::NOENT | Errno::NOTDIR | Errno::LOOP | Errno::XDEV))
}

/// Swaps two names, and says whether the file system knows how.
fn exchange(one: (&OwnedFd, &OsStr), other: (&OwnedFd, &OsStr)) -> io::Result<bool> {
    match rustix::fs::renameat_with(one.0, one.1, other.0, other.1, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(true),
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Renames to a name that is free.
fn rename(from: (&OwnedFd, &OsStr), to: (&OwnedFd, &OsStr)) -> io::Result<()> {
    match rustix::fs::renameat_with(from.0, from.1, to.0, to.1, RenameFlags::NOREPLACE) {
        // The file system does not know how; then the moment between asking and renaming is what is left.
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => match inode(to.0, to.1)? {
            None => Ok(rustix::fs::renameat(from.0, from.1, to.0, to.1)?),
            Some(_) => Err(io::ErrorKind::AlreadyExists.into()),
        },
        done => Ok(done?),
    }
}

fn is_empty(parent: impl AsFd, name: &OsStr) -> io::Result<bool> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(names(rustix::fs::openat(parent, name, flags, Mode::empty())?, 1)?.is_empty())
}

/// The permissions that a change is about.
fn permissions(stat: &Stat) -> u32 {
    stat.st_mode & if is_directory(stat) { 0o1777 } else { 0o6777 }
}

/// The bits that a change of permissions leaves as they are.
fn kept_bits(stat: &Stat) -> u32 {
    if is_directory(stat) { stat.st_mode & 0o2000 } else { 0 }
}

fn is_directory(stat: &Stat) -> bool {
    stat.st_mode & 0o170_000 == 0o040_000
}
