//! Builds the root file system from the plan's actions, in memory and by mounts, and leaves the old one.

use std::ffi::CStr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::CWD;
use rustix::io::Errno;
use rustix::mount::{
    FsMountFlags, FsOpenFlags, MountAttrFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags,
    UnmountFlags,
};

use super::handed::Handed;
use super::site::Site;
use super::{Failure, at};
use crate::embedded::plan::{Action, CONFINED, EMPTY, Plan, READ_ONLY};
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
    let mut site = Site::new(root.as_fd());
    for (index, action) in plan.actions.iter().enumerate() {
        let opened = sources.get(index).and_then(Option::as_ref);
        perform(action, opened, &mut site, handed).map_err(|errno| Failure {
            step: Step::Action,
            index: index as u32,
            errno,
        })?;
    }
    site.close().map_err(at(Step::Root))?;
    pivot(&root).map_err(at(Step::Pivot))
}

/// Makes the place of a mount in a root that already stands, or mounts what was opened for it.
pub(super) fn place<'a>(
    action: &'a Action,
    tree: Option<&OwnedFd>,
    site: &mut Site<'a>,
) -> Result<(), Errno> {
    match (action, tree) {
        (Action::Directory { path }, _) => site.make_directory(path),
        (Action::Place { path }, _) => site.make_place(path),
        (Action::Bind { target, attributes: Some(attributes), .. }, Some(tree)) => {
            sys::set_mount_attributes(tree.as_fd(), attributes.bits().into(), true)?;
            site.attach(tree.as_fd(), target)
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

fn perform<'a>(
    action: &'a Action,
    opened: Option<&Opened>,
    site: &mut Site<'a>,
    handed: &mut Handed,
) -> Result<(), Errno> {
    match action {
        Action::Directory { path } => site.make_directory(path),
        Action::Place { path } => site.make_place(path),
        Action::File { path, content } => site.make_file(path, content),
        Action::Link { path, to } => site.make_link(path, to),
        Action::Bind { source, target, attributes, .. } => {
            let own;
            let source = match opened {
                Some(opened) => opened.source.as_fd(),
                None => {
                    own = open_source(source)?;
                    own.as_fd()
                }
            };
            if let Some(attributes) = attributes {
                sys::set_mount_attributes(source, attributes.bits().into(), true)?;
            }
            site.attach(source, target)
        }
        Action::Overlay { lower, layer, target } => overlay(lower, layer, target, opened, site),
        Action::Memory { target, size, keep } => {
            let mount = memory(size, c"1777")?;
            site.attach(mount.as_fd(), target)?;
            if *keep {
                handed.push(mount)?;
            }
            Ok(())
        }
        Action::Cover { target, directory } => cover(target, *directory),
        Action::Processes { target } => site.attach(processes()?.as_fd(), target),
        Action::Seal => site.seal(),
    }
}

/// Hides what the kernel may have at a place of its own, where there are no links. This way of mounting takes one call; and none at all is
/// needed to know what is there.
fn cover(target: &CStr, directory: bool) -> Result<(), Errno> {
    let with = |directory| rustix::mount::mount_bind(if directory { EMPTY } else { c"/dev/null" }, target);
    match with(directory) {
        Err(Errno::NOTDIR) => with(!directory),
        Err(Errno::NOENT) if rustix::fs::lstat(target).is_err() => Ok(()),
        covered => covered,
    }
}

/// Mounts a layer over a directory: both are first made part of this process's mounts, since the kernel takes no others.
fn overlay<'a>(
    lower: &CStr,
    layer: &CStr,
    target: &'a CStr,
    opened: Option<&Opened>,
    site: &mut Site<'a>,
) -> Result<(), Errno> {
    for place in [c"mnt", PARTS, LOWER, LAYER] {
        site.make_directory(place)?;
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
    site.attach(lower, LOWER)?;
    sys::set_mount_attributes(layer, CONFINED.bits().into(), true)?;
    site.attach(layer, LAYER)?;
    let context = rustix::mount::fsopen(c"overlay", FsOpenFlags::FSOPEN_CLOEXEC)?;
    for (key, value) in [(c"lowerdir", LOWER), (c"upperdir", UPPER), (c"workdir", WORK)] {
        rustix::mount::fsconfig_set_string(&context, key, value)?;
    }
    rustix::mount::fsconfig_set_flag(&context, c"userxattr")?;
    rustix::mount::fsconfig_create(&context)?;
    let mount = rustix::mount::fsmount(&context, FsMountFlags::FSMOUNT_CLOEXEC, CONFINED)?;
    site.attach(mount.as_fd(), target)?;
    // The overlay holds its parts by itself; inside, the lower directory must not be reachable on its own.
    for place in [LAYER, LOWER] {
        rustix::mount::unmount(place, UnmountFlags::DETACH)?;
        site.remove_directory(place)?;
    }
    site.remove_directory(PARTS)
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

fn move_mount(mount: &OwnedFd, to: BorrowedFd<'_>, path: &CStr) -> Result<(), Errno> {
    rustix::mount::move_mount(mount, c"", to, path, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)
}

fn pivot(root: &OwnedFd) -> Result<(), Errno> {
    rustix::process::fchdir(root)?;
    rustix::process::pivot_root(c".", c".")?;
    // The old root now lies over the new one, and is taken away.
    rustix::mount::unmount(c".", UnmountFlags::DETACH)?;
    rustix::process::chdir(c"/")
}
