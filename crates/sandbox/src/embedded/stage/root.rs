//! Builds the root file system from the plan's actions, in memory and by mounts, and leaves the old one.
//!
//! Targets are opened without following any link: a mount made earlier may show a stranger's directory.

use std::ffi::CStr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;
use rustix::mount::{
    FsMountFlags, FsOpenFlags, MountAttrFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags,
    UnmountFlags,
};

use super::handed::Handed;
use super::{Failure, at};
use crate::embedded::plan::{Action, CONFINED, Plan, READ_ONLY};
use crate::embedded::report::Step;
use crate::embedded::sys;

/// A mount's source, or an overlay's two, opened by the launcher.
#[derive(Debug)]
pub(in crate::embedded) struct Opened {
    /// What is shown, or the lower directory of an overlay.
    pub(in crate::embedded) source: OwnedFd,
    /// The directory of the layer.
    pub(in crate::embedded) layer: Option<OwnedFd>,
}

/// Where an overlay's parts are mounted while it is made.
const PARTS: &CStr = c"mnt/parts";
const LOWER: &CStr = c"mnt/parts/lower";
const LAYER: &CStr = c"mnt/parts/layer";
const UPPER: &CStr = c"mnt/parts/layer/upper";
const WORK: &CStr = c"mnt/parts/layer/work";

/// Builds the root and changes to it.
pub(super) fn build(plan: &Plan, sources: &[Option<Opened>], handed: &mut Handed) -> Result<(), Failure> {
    let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    rustix::mount::mount_change(c"/", private).map_err(at(Step::Root))?;
    let root = memory(c"8388608", c"0755").map_err(at(Step::Root))?;
    // Laid over the old root, which absolute paths still lead to until the pivot.
    move_mount(&root, CWD, c"/").map_err(at(Step::Root))?;
    rustix::process::fchdir(&root).map_err(at(Step::Root))?;
    for (index, action) in plan.actions.iter().enumerate() {
        let opened = sources.get(index).and_then(Option::as_ref);
        perform(action, opened, root.as_fd(), handed).map_err(|errno| Failure {
            step: Step::Action,
            index: index as u32,
            errno,
        })?;
    }
    sys::set_mount_attributes(root.as_fd(), READ_ONLY.bits().into(), false).map_err(at(Step::Root))?;
    pivot(&root).map_err(at(Step::Pivot))
}

/// Makes the place of a mount in a root that already stands, or mounts what was opened for it.
pub(super) fn place(action: &Action, tree: Option<&OwnedFd>, root: BorrowedFd<'_>) -> Result<(), Errno> {
    match (action, tree) {
        (Action::Directory { path }, _) => make_directory(root, path),
        (Action::File { path, content }, _) => make_file(root, path, content),
        (Action::Bind { target, attributes, .. }, Some(tree)) => {
            sys::set_mount_attributes(tree.as_fd(), attributes.bits().into(), true)?;
            attach(tree.as_fd(), root, target)
        }
        _ => Err(Errno::INVAL),
    }
}

/// Opens something of the host as a mount that is not yet anywhere.
pub(in crate::embedded) fn open_source(source: &CStr) -> Result<OwnedFd, Errno> {
    let flags =
        OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC | OpenTreeFlags::AT_RECURSIVE;
    rustix::mount::open_tree(CWD, source, flags)
}

fn perform(
    action: &Action,
    opened: Option<&Opened>,
    root: BorrowedFd<'_>,
    handed: &mut Handed,
) -> Result<(), Errno> {
    match action {
        Action::Directory { path } => make_directory(root, path),
        Action::File { path, content } => make_file(root, path, content),
        Action::Link { path, to } => {
            let (parent, name) = parent_of(root, path)?;
            rustix::fs::symlinkat(to.as_c_str(), &parent, name)
        }
        Action::Bind { source, target, attributes, .. } => {
            let own;
            let source = match opened {
                Some(opened) => opened.source.as_fd(),
                None => {
                    own = open_source(source)?;
                    own.as_fd()
                }
            };
            sys::set_mount_attributes(source, attributes.bits().into(), true)?;
            attach(source, root, target)
        }
        Action::Overlay { lower, layer, target } => overlay(lower, layer, target, opened, root),
        Action::Memory { target, size, keep } => {
            let mount = memory(size, c"1777")?;
            attach(mount.as_fd(), root, target)?;
            if *keep {
                handed.push(mount)?;
            }
            Ok(())
        }
        Action::Processes { target } => attach(processes()?.as_fd(), root, target),
    }
}

/// Mounts a layer over a directory: both are first made part of this process's mounts, since the kernel takes no others.
fn overlay(
    lower: &CStr,
    layer: &CStr,
    target: &CStr,
    opened: Option<&Opened>,
    root: BorrowedFd<'_>,
) -> Result<(), Errno> {
    for place in [c"mnt", PARTS, LOWER, LAYER] {
        make_directory(root, place)?;
    }
    let own;
    let (lower, layer) = match opened {
        Some(Opened { source, layer: Some(layer) }) => (source.as_fd(), layer.as_fd()),
        _ => {
            own = (open_source(lower)?, open_source(layer)?);
            (own.0.as_fd(), own.1.as_fd())
        }
    };
    sys::set_mount_attributes(lower, READ_ONLY.bits().into(), true)?;
    attach(lower, root, LOWER)?;
    sys::set_mount_attributes(layer, CONFINED.bits().into(), true)?;
    attach(layer, root, LAYER)?;
    let context = rustix::mount::fsopen(c"overlay", FsOpenFlags::FSOPEN_CLOEXEC)?;
    for (key, value) in [(c"lowerdir", LOWER), (c"upperdir", UPPER), (c"workdir", WORK)] {
        rustix::mount::fsconfig_set_string(&context, key, value)?;
    }
    rustix::mount::fsconfig_set_flag(&context, c"userxattr")?;
    rustix::mount::fsconfig_create(&context)?;
    let mount = rustix::mount::fsmount(&context, FsMountFlags::FSMOUNT_CLOEXEC, CONFINED)?;
    attach(mount.as_fd(), root, target)?;
    // The overlay holds its parts by itself; inside, the lower directory must not be reachable on its own.
    for place in [LAYER, LOWER] {
        rustix::mount::unmount(place, UnmountFlags::DETACH)?;
        rustix::fs::unlinkat(root, place, AtFlags::REMOVEDIR)?;
    }
    rustix::fs::unlinkat(root, PARTS, AtFlags::REMOVEDIR)
}

fn memory(size: &CStr, mode: &CStr) -> Result<OwnedFd, Errno> {
    let context = rustix::mount::fsopen(c"tmpfs", FsOpenFlags::FSOPEN_CLOEXEC)?;
    rustix::mount::fsconfig_set_string(&context, c"size", size)?;
    rustix::mount::fsconfig_set_string(&context, c"mode", mode)?;
    // Names cost kernel memory beyond the size, so they are bounded too.
    rustix::mount::fsconfig_set_string(&context, c"nr_inodes", c"65536")?;
    rustix::mount::fsconfig_create(&context)?;
    rustix::mount::fsmount(&context, FsMountFlags::FSMOUNT_CLOEXEC, CONFINED)
}

/// Read-only as a whole: nothing inside may set what the kernel keeps per process or for the machine.
fn processes() -> Result<OwnedFd, Errno> {
    let context = rustix::mount::fsopen(c"proc", FsOpenFlags::FSOPEN_CLOEXEC)?;
    rustix::mount::fsconfig_create(&context)?;
    let attributes = READ_ONLY | MountAttrFlags::MOUNT_ATTR_NOEXEC;
    rustix::mount::fsmount(&context, FsMountFlags::FSMOUNT_CLOEXEC, attributes)
}

fn make_directory(root: BorrowedFd<'_>, path: &CStr) -> Result<(), Errno> {
    let (parent, name) = parent_of(root, path)?;
    match rustix::fs::mkdirat(&parent, name, Mode::from_raw_mode(0o755)) {
        Err(Errno::EXIST) => Ok(()),
        // What an image shows read-only may have the directory already.
        Err(Errno::ROFS) if open_inside(root, path).is_ok() => Ok(()),
        made => made,
    }
}

/// Makes a file, unless there is one already and it is only the place for a mount.
fn make_file(root: BorrowedFd<'_>, path: &CStr, content: &[u8]) -> Result<(), Errno> {
    let (parent, name) = parent_of(root, path)?;
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = match rustix::fs::openat(&parent, name, flags, Mode::from_raw_mode(0o644)) {
        Err(Errno::EXIST | Errno::ROFS) if content.is_empty() && open_inside(root, path).is_ok() => {
            return Ok(());
        }
        file => file?,
    };
    let mut rest = content;
    while !rest.is_empty() {
        let written = rustix::io::write(&file, rest)?;
        rest = rest.get(written..).unwrap_or_default();
    }
    Ok(())
}

fn attach(mount: BorrowedFd<'_>, root: BorrowedFd<'_>, target: &CStr) -> Result<(), Errno> {
    let place = open_inside(root, target)?;
    let flags = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH | MoveMountFlags::MOVE_MOUNT_T_EMPTY_PATH;
    rustix::mount::move_mount(mount, c"", &place, c"", flags)
}

fn move_mount(mount: &OwnedFd, to: BorrowedFd<'_>, path: &CStr) -> Result<(), Errno> {
    rustix::mount::move_mount(mount, c"", to, path, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)
}

fn open_inside(root: BorrowedFd<'_>, path: &CStr) -> Result<OwnedFd, Errno> {
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    rustix::fs::openat2(root, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty(), resolve)
}

/// The opened directory above a path, and the last name of it.
fn parent_of<'a>(root: BorrowedFd<'_>, path: &'a CStr) -> Result<(OwnedFd, &'a CStr), Errno> {
    let bytes = path.to_bytes();
    let Some(slash) = bytes.iter().rposition(|&byte| byte == b'/') else {
        return Ok((rustix::io::fcntl_dupfd_cloexec(root, 0)?, path));
    };
    let name = path.to_bytes_with_nul().get(slash + 1..).unwrap_or_default();
    let name = CStr::from_bytes_with_nul(name).map_err(|_| Errno::INVAL)?;
    // Paths are bounded by the kernel, so the parent fits where it can be named at all.
    let mut buffer = [0_u8; 4096];
    buffer
        .get_mut(..slash)
        .ok_or(Errno::NAMETOOLONG)?
        .copy_from_slice(bytes.get(..slash).unwrap_or_default());
    let parent = CStr::from_bytes_until_nul(&buffer).map_err(|_| Errno::NAMETOOLONG)?;
    Ok((open_inside(root, parent)?, name))
}

fn pivot(root: &OwnedFd) -> Result<(), Errno> {
    rustix::process::fchdir(root)?;
    rustix::process::pivot_root(c".", c".")?;
    // The old root now lies over the new one, and is taken away.
    rustix::mount::unmount(c".", UnmountFlags::DETACH)?;
    rustix::process::chdir(c"/")
}
