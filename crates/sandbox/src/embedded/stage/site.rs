//! The new root while it is built: places are made in it and mounts put there, without following any link, since a mount made earlier
//! may show a stranger's directory.
//!
//! Most places lie beside the one before, so the directory above the last one stays open. Like all of [`super`] this allocates nothing.

use std::ffi::CStr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;
use rustix::mount::MoveMountFlags;

use crate::embedded::plan::READ_ONLY;
use crate::embedded::sys;

/// A root that is being built. Paths are relative to it.
pub(super) struct Site<'a> {
    root: BorrowedFd<'a>,
    /// The directory above the last place, and its path.
    above: Option<(&'a [u8], OwnedFd)>,
}

impl<'a> Site<'a> {
    /// A root that stands already, or is still empty.
    pub(super) fn new(root: BorrowedFd<'a>) -> Site<'a> {
        Site { root, above: None }
    }

    /// Makes all that is mounted so far read-only, and parts it from the host's mounts. At once the kernel does so in a fraction of the
    /// time that it takes one by one. Places can still be made in the root itself.
    pub(super) fn seal(&self) -> Result<(), Errno> {
        sys::set_mount_attributes(self.root, READ_ONLY.bits().into(), true)?;
        self.reopen()
    }

    /// Makes the root itself read-only: no more places can be made in it.
    pub(super) fn close(self) -> Result<(), Errno> {
        sys::set_mount_attributes(self.root, READ_ONLY.bits().into(), false)
    }

    /// Lets places be made in a root that is read-only.
    pub(super) fn reopen(&self) -> Result<(), Errno> {
        sys::clear_mount_attributes(self.root, libc::MOUNT_ATTR_RDONLY)
    }

    /// Makes a directory, unless there is one.
    pub(super) fn make_directory(&mut self, path: &'a CStr) -> Result<(), Errno> {
        let (parent, name) = self.parent_of(path)?;
        match rustix::fs::mkdirat(parent, name, Mode::from_raw_mode(0o755)) {
            Err(Errno::EXIST) => Ok(()),
            // What an image shows read-only may have the directory already.
            Err(Errno::ROFS) if self.open(path).is_ok() => Ok(()),
            made => made,
        }
    }

    /// Makes an empty file for something to be mounted on, unless there is one.
    pub(super) fn make_place(&mut self, path: &'a CStr) -> Result<(), Errno> {
        let (parent, name) = self.parent_of(path)?;
        match rustix::fs::mknodat(parent, name, FileType::RegularFile, Mode::from_raw_mode(0o644), 0) {
            Err(Errno::EXIST | Errno::ROFS) if self.open(path).is_ok() => Ok(()),
            made => made,
        }
    }

    /// Makes a file with this content, where there must be none yet.
    pub(super) fn make_file(&mut self, path: &'a CStr, content: &[u8]) -> Result<(), Errno> {
        let (parent, name) = self.parent_of(path)?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = rustix::fs::openat(parent, name, flags, Mode::from_raw_mode(0o644))?;
        let mut rest = content;
        while !rest.is_empty() {
            let written = rustix::io::write(&file, rest)?;
            rest = rest.get(written..).unwrap_or_default();
        }
        Ok(())
    }

    /// Makes a symbolic link.
    pub(super) fn make_link(&mut self, path: &'a CStr, to: &CStr) -> Result<(), Errno> {
        let (parent, name) = self.parent_of(path)?;
        rustix::fs::symlinkat(to, parent, name)
    }

    /// Puts a mount at its place; a link there is not followed.
    pub(super) fn attach(&mut self, mount: BorrowedFd<'_>, target: &'a CStr) -> Result<(), Errno> {
        let (parent, name) = self.parent_of(target)?;
        rustix::mount::move_mount(mount, c"", parent, name, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)?;
        // What is open may now lie beneath the mount.
        self.above.take_if(|(above, _)| above.starts_with(target.to_bytes()));
        Ok(())
    }

    /// Removes an empty directory.
    pub(super) fn remove_directory(&mut self, path: &'a CStr) -> Result<(), Errno> {
        let (parent, name) = self.parent_of(path)?;
        rustix::fs::unlinkat(parent, name, AtFlags::REMOVEDIR)
    }

    /// The opened directory above a path, and the last name of it.
    fn parent_of(&mut self, path: &'a CStr) -> Result<(BorrowedFd<'_>, &'a CStr), Errno> {
        let bytes = path.to_bytes_with_nul();
        let Some(slash) = bytes.iter().rposition(|&byte| byte == b'/') else { return Ok((self.root, path)) };
        let (parent, name) = (bytes.get(..slash).unwrap_or_default(), bytes.get(slash + 1..));
        let name = CStr::from_bytes_with_nul(name.unwrap_or_default()).map_err(|_| Errno::INVAL)?;
        let opened = match self.above.take() {
            Some((above, opened)) if above == parent => opened,
            _ => self.open_parent(parent)?,
        };
        let (_, opened) = self.above.insert((parent, opened));
        Ok(((*opened).as_fd(), name))
    }

    fn open_parent(&self, parent: &[u8]) -> Result<OwnedFd, Errno> {
        // Paths are bounded by the kernel, so the parent fits where it can be named at all.
        let mut buffer = [0_u8; 4096];
        let end = buffer.len() - 1;
        buffer
            .get_mut(..end)
            .and_then(|room| room.get_mut(..parent.len()))
            .ok_or(Errno::NAMETOOLONG)?
            .copy_from_slice(parent);
        self.open(CStr::from_bytes_until_nul(&buffer).map_err(|_| Errno::NAMETOOLONG)?)
    }

    fn open(&self, path: &CStr) -> Result<OwnedFd, Errno> {
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        rustix::fs::openat2(self.root, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty(), resolve)
    }
}
