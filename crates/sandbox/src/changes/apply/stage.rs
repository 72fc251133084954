//! Writes what is new into the staging directory, complete with owner and permissions.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Gid, Mode, OFlags, Stat, Uid, XattrFlags};
use rustix::io::Errno;

use super::super::change::Node;
use super::super::tree::{Tree, change_mode, inode};
use super::check::SeenPaths;
use super::durable;
use super::error::{ApplyError, at};
use super::journal::{Action, Move};
use super::slot;
use crate::digest::{Digest, copy_digested};

/// Where Linux keeps permissions beyond user, group and others.
const ACCESS_LIST: &str = "system.posix_acl_access";

/// The set-group bit, which a new directory takes over from the one it is in.
const SET_GROUP: u32 = 0o2000;

/// Writes what is new into the staging directory.
pub struct Stager<'a> {
    source: &'a Tree,
    content: &'a Tree,
    staging: &'a OwnedFd,
    seen: &'a SeenPaths,
    /// Directories that were staged, by the path they will have.
    directories: BTreeMap<PathBuf, Stat>,
    is_root: bool,
}

/// To whom something will belong.
#[derive(Clone, Copy)]
struct Belonging {
    uid: Uid,
    gid: Gid,
    /// Whether the group is to be had even without privileges.
    own_group: bool,
}

impl<'a> Stager<'a> {
    /// Stages what `content` has, for `source`, of which the paths that change are `seen`.
    pub fn new(source: &'a Tree, content: &'a Tree, staging: &'a OwnedFd, seen: &'a SeenPaths) -> Stager<'a> {
        let is_root = rustix::process::geteuid().is_root();
        Stager { source, content, staging, seen, directories: BTreeMap::new(), is_root }
    }

    /// Stages what will be at `path`.
    pub fn stage(&mut self, path: &Path, node: &Node, number: u64) -> Result<Stat, ApplyError> {
        let name = slot(number, "new");
        let failed = |error| ApplyError::Undone { path: path.to_owned(), source: error };
        match node {
            Node::File { mode, size, digest } => {
                let file = self.create(&name).map_err(failed)?;
                let copied = self.fill(path, &file, *size)?;
                if copied != (*digest, *size) {
                    return Err(ApplyError::LayerChanged { path: path.to_owned() });
                }
                self.finish_file(path, &file, *mode).map_err(failed)?;
            }
            Node::Directory { .. } => self.directory(path, &name).map_err(failed)?,
            Node::Link { target } => self.link(path, &name, target).map_err(failed)?,
        }
        let stat = inode(self.staging, &name)
            .map_err(failed)?
            .ok_or_else(|| failed(io::ErrorKind::NotFound.into()))?;
        if node.is_directory() {
            self.directories.insert(path.to_owned(), stat);
        }
        Ok(stat)
    }

    /// Makes last what these actions move in.
    pub fn sync(staging: &OwnedFd, actions: &[Action]) -> io::Result<()> {
        let slot_of = |action: &Action| match action {
            Action::Move(Move { slot: number, new: Some(_), .. }) => Some(slot(*number, "new")),
            _ => None,
        };
        let slots: Vec<OsString> = actions.iter().filter_map(slot_of).collect();
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        durable::sync(staging, &slots, |slot| Ok(rustix::fs::openat(staging, slot, flags, Mode::empty())?))
    }

    fn create(&self, name: &OsStr) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(File::from(rustix::fs::openat(self.staging, name, flags, Mode::RUSR | Mode::WUSR)?))
    }

    fn fill(&self, path: &Path, mut file: &File, size: u64) -> Result<(Digest, u64), ApplyError> {
        let from = self.content.file(path).map_err(|_| ApplyError::LayerChanged { path: path.to_owned() })?;
        copy_digested(from, &mut file, size).map_err(at(path))
    }

    fn finish_file(&self, path: &Path, file: &File, mode: u32) -> io::Result<()> {
        self.keep_access_list(path, file)?;
        if let Some((uid, gid)) = self.owner(path)? {
            allowed(rustix::fs::fchown(file, uid, Some(gid)), uid.is_none())?;
        }
        Ok(rustix::fs::fchmod(file, Mode::from_raw_mode(mode & 0o777))?)
    }

    /// Without the list of a file that had one, its group permissions would mean something else, and more.
    fn keep_access_list(&self, path: &Path, file: &File) -> io::Result<()> {
        let was_file = self
            .seen
            .get(path)
            .is_some_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile);
        if !was_file {
            return Ok(());
        }
        let mut list = vec![0; 64 * 1024];
        match rustix::fs::fgetxattr(self.source.file(path)?, ACCESS_LIST, &mut list) {
            Ok(length) => {
                let list = list.get(..length).unwrap_or_default();
                Ok(rustix::fs::fsetxattr(file, ACCESS_LIST, list, XattrFlags::empty())?)
            }
            Err(Errno::NODATA | Errno::OPNOTSUPP) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn directory(&self, path: &Path, name: &OsStr) -> io::Result<()> {
        rustix::fs::mkdirat(self.staging, name, Mode::RWXU)?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let directory = rustix::fs::openat(self.staging, name, flags, Mode::empty())?;
        if let Some((uid, gid)) = self.owner(path)? {
            allowed(rustix::fs::fchown(&directory, uid, Some(gid)), uid.is_none())?;
        }
        let inherited = self.parent(path)?.st_mode & SET_GROUP;
        change_mode(&directory, 0o700 | inherited)
    }

    fn link(&self, path: &Path, name: &OsStr, target: &Path) -> io::Result<()> {
        rustix::fs::symlinkat(target, self.staging, name)?;
        if let Some((uid, gid)) = self.owner(path)? {
            let owned =
                rustix::fs::chownat(self.staging.as_fd(), name, uid, Some(gid), AtFlags::SYMLINK_NOFOLLOW);
            allowed(owned, uid.is_none())?;
        }
        Ok(())
    }

    /// To whom what will be at `path` is given: to the owner of what it replaces, else of the directory it will be in. Without
    /// privileges only a group can be given.
    fn owner(&self, path: &Path) -> io::Result<Option<(Option<Uid>, Gid)>> {
        let belonging = match self.seen.get(path) {
            Some(stat) => belonging(stat, true),
            None => {
                let parent = self.parent(path)?;
                belonging(&parent, parent.st_mode & SET_GROUP != 0)
            }
        };
        Ok(match (self.is_root, belonging.own_group) {
            (true, _) => Some((Some(belonging.uid), belonging.gid)),
            (false, true) => Some((None, belonging.gid)),
            (false, false) => None,
        })
    }

    fn parent(&self, path: &Path) -> io::Result<Stat> {
        let parent = path.parent().unwrap_or(Path::new(""));
        match self.directories.get(parent) {
            Some(stat) => Ok(*stat),
            None => self.source.stat(parent)?.ok_or_else(|| io::ErrorKind::NotFound.into()),
        }
    }
}

fn belonging(stat: &Stat, own_group: bool) -> Belonging {
    Belonging { uid: Uid::from_raw(stat.st_uid), gid: Gid::from_raw(stat.st_gid), own_group }
}

/// Whoever has no privileges gives away no groups but their own; what is theirs stays theirs then.
fn allowed(result: Result<(), Errno>, is_optional: bool) -> io::Result<()> {
    match result {
        Err(Errno::PERM) if is_optional => Ok(()),
        result => Ok(result?),
    }
}
