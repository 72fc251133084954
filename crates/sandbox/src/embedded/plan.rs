//! Everything that the new process will do, decided before it exists: it can neither allocate nor report much, so it only walks a list.
//!
//! Nothing here changes the machine; making a plan reads what the host's root consists of and what kind of thing each mount's source
//! is.

mod exec;
mod root;
mod writable;

use std::ffi::{CStr, CString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use rustix::mount::MountAttrFlags;

use crate::backend::LaunchError;
use crate::command::Command;
use crate::embedded::landlock::Landlock;
use crate::embedded::stage::MOST_MOUNTS;
use crate::policy::{Access, Mount, Network, Policy, Root};
use crate::seccomp;

pub(super) use exec::Exec;

/// What the new process is told to do.
pub(super) struct Plan {
    /// Makes the root file system, in this order.
    pub(super) actions: Vec<Action>,
    /// Whether it has the host's network.
    pub(super) network: Network,
    /// Its user and group, inside.
    pub(super) user: u32,
    /// Its machine's name.
    pub(super) hostname: CString,
    /// The filter of its system calls.
    pub(super) filter: &'static seccomp::Program,
    /// The second wall around its files.
    pub(super) landlock: Option<Landlock>,
    /// The most processes it may have, besides its first.
    pub(super) pids: u32,
}

/// One step in making the root file system. Paths are relative to the new root.
#[derive(Debug)]
pub(super) enum Action {
    /// Make a directory, unless there is one.
    Directory { path: CString },
    /// Make an empty file that something is mounted on, unless there is one.
    Place { path: CString },
    /// Make a file with this content.
    File { path: CString, content: Vec<u8> },
    /// Make a symbolic link.
    Link { path: CString, to: CString },
    /// Show something of the host; `personal` is what a person has chosen to show, which is to belong to the container's user. Without
    /// attributes of its own it waits for those of the seal.
    Bind { source: CString, target: CString, attributes: Option<MountAttrFlags>, personal: bool },
    /// Show a directory of the host with a layer over it that takes what is written.
    Overlay { lower: CString, layer: CString, target: CString },
    /// Make a writable directory in memory; kept ones are handed to the launcher.
    Memory { target: CString, size: CString, keep: bool },
    /// Show nothing where the kernel may have something of the machine's, mostly a directory or mostly a file.
    Cover { target: CString, directory: bool },
    /// The processes of the container.
    Processes { target: CString },
    /// Make everything that is mounted so far read-only.
    Seal,
}

/// Attributes of whatever must not be written to.
pub(super) const READ_ONLY: MountAttrFlags = MountAttrFlags::MOUNT_ATTR_RDONLY.union(CONFINED);

/// Attributes of every mount: no set-id programs, no devices.
pub(super) const CONFINED: MountAttrFlags =
    MountAttrFlags::MOUNT_ATTR_NOSUID.union(MountAttrFlags::MOUNT_ATTR_NODEV);

/// A directory of the new root that stays empty.
pub(super) const EMPTY: &CStr = c"mnt";

impl Plan {
    /// The plan for a container with this policy, on a kernel with this Landlock version.
    pub(super) fn new(policy: &Policy, landlock: Option<u32>) -> Result<Plan, LaunchError> {
        let mut plan = Plan::walls(policy, &[], landlock)?;
        match &policy.root {
            Root::Host => root::host(&mut plan.actions, policy)?,
            Root::Directory { path, .. } => root::directory(&mut plan.actions, path)?,
        }
        root::processes(&mut plan.actions)?;
        // Nothing may be mounted on what waits for it: until then that may still be one with the host's mount.
        plan.actions.push(Action::Seal);
        root::devices(&mut plan.actions)?;
        for scratch in &policy.scratch {
            writable::scratch(&mut plan.actions, scratch)?;
        }
        for mount in &policy.mounts {
            mount_of(&mut plan.actions, mount)?;
        }
        Ok(plan)
    }

    /// A plan with nothing in it yet but the walls, for a process that has these mounts besides the policy's.
    fn walls(policy: &Policy, mounts: &[Mount], landlock: Option<u32>) -> Result<Plan, LaunchError> {
        Ok(Plan {
            actions: Vec::new(),
            network: policy.network,
            user: policy.user,
            hostname: c_string(policy.hostname.as_bytes())?,
            filter: seccomp::program(policy.network),
            landlock: landlock.map(|version| Landlock::new(version, policy, mounts)),
            pids: policy.limits.pids,
        })
    }

    /// The plan for a command in a container of this policy, with mounts that it alone sees.
    pub(super) fn of_mounts(
        policy: &Policy,
        mounts: &[Mount],
        landlock: Option<u32>,
    ) -> Result<Plan, LaunchError> {
        let mut plan = Plan::walls(policy, mounts, landlock)?;
        for mount in mounts {
            if matches!(mount.access, Access::CopyOnWrite { .. }) {
                return Err(invalid("a mount of one command cannot be copy-on-write".to_owned()));
            }
            mount_of(&mut plan.actions, mount)?;
        }
        if plan.actions.len() > MOST_MOUNTS {
            return Err(invalid("there are too many mounts for one command".to_owned()));
        }
        Ok(plan)
    }

    /// Whether a layer takes what is written somewhere.
    pub(super) fn has_overlay(&self) -> bool {
        self.actions.iter().any(|action| matches!(action, Action::Overlay { .. }))
    }

    /// How to execute a command under this policy.
    pub(super) fn exec(policy: &Policy, command: &Command) -> Result<Exec, LaunchError> {
        Exec::new(&policy.env, command)
    }
}

/// The actions that one mount needs.
pub(super) fn mount_of(actions: &mut Vec<Action>, mount: &Mount) -> Result<(), LaunchError> {
    let target = inside(&mount.target)?;
    let kind = std::fs::metadata(&mount.source)
        .map_err(|source| LaunchError::Source { path: mount.source.clone(), source })?;
    let (source, attributes) = match &mount.access {
        Access::CopyOnWrite { layer } if kind.is_dir() => match writable::copy(layer) {
            Some(copy) => (copy, CONFINED),
            None => return writable::overlay(actions, &mount.source, layer, &target),
        },
        Access::CopyOnWrite { .. } => {
            return Err(invalid("only directories can be copy-on-write".to_owned()));
        }
        Access::ReadOnly => (mount.source.clone(), READ_ONLY),
        Access::ReadWrite => (mount.source.clone(), CONFINED),
    };
    make_place(actions, &target, kind.is_dir())?;
    actions.push(Action::Bind {
        source: path(&source)?,
        target: path(&target)?,
        attributes: Some(attributes),
        personal: true,
    });
    Ok(())
}

/// Makes the place that something is mounted on, and the directories above it.
fn make_place(actions: &mut Vec<Action>, target: &Path, directory: bool) -> Result<(), LaunchError> {
    make_parents(actions, target)?;
    actions.push(if directory {
        Action::Directory { path: path(target)? }
    } else {
        Action::Place { path: path(target)? }
    });
    Ok(())
}

fn make_parents(actions: &mut Vec<Action>, target: &Path) -> Result<(), LaunchError> {
    let parents: Vec<&Path> =
        target.ancestors().skip(1).filter(|path| !path.as_os_str().is_empty()).collect();
    for parent in parents.into_iter().rev() {
        let made = path(parent)?;
        let known =
            actions.iter().any(|action| matches!(action, Action::Directory { path } if *path == made));
        if !known {
            actions.push(Action::Directory { path: made });
        }
    }
    Ok(())
}

/// A path inside, made relative to the new root; `..`, the root itself and the kernel's own directories are no places for a mount.
fn inside(target: &Path) -> Result<PathBuf, LaunchError> {
    let refuse = |reason: &str| Err(invalid(format!("`{}` {reason}", target.display())));
    let mut relative = PathBuf::new();
    if !target.is_absolute() {
        return refuse("is not an absolute path");
    }
    for component in target.components() {
        match component {
            Component::RootDir => {}
            Component::Normal(name) => relative.push(name),
            _ => return refuse("climbs out of a directory"),
        }
    }
    match relative.iter().next().and_then(|first| first.to_str()) {
        None if relative.as_os_str().is_empty() => refuse("is the root itself"),
        Some("proc" | "dev" | "sys") => refuse("belongs to the kernel"),
        _ => Ok(relative),
    }
}

fn path(path: &Path) -> Result<CString, LaunchError> {
    c_string(path.as_os_str().as_bytes())
}

fn c_string(bytes: &[u8]) -> Result<CString, LaunchError> {
    CString::new(bytes)
        .map_err(|_| invalid(format!("`{}` contains a NUL byte", String::from_utf8_lossy(bytes))))
}

fn invalid(reason: String) -> LaunchError {
    LaunchError::InvalidPolicy { reason }
}

impl std::fmt::Display for Action {
    /// What the step is for, in an error message.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Action::Directory { path } => write!(formatter, "make the directory /{}", path.to_string_lossy()),
            Action::Place { path } | Action::File { path, .. } => {
                write!(formatter, "make the file /{}", path.to_string_lossy())
            }
            Action::Link { path, .. } => write!(formatter, "make the link /{}", path.to_string_lossy()),
            Action::Bind { source, target, .. } => {
                write!(formatter, "mount {} at /{}", source.to_string_lossy(), target.to_string_lossy())
            }
            Action::Overlay { lower, target, .. } => {
                let (lower, target) = (lower.to_string_lossy(), target.to_string_lossy());
                write!(formatter, "mount a copy-on-write view of {lower} at /{target}")
            }
            Action::Memory { target, .. } => {
                write!(formatter, "mount memory at /{}", target.to_string_lossy())
            }
            Action::Cover { target, .. } => write!(formatter, "hide /{}", target.to_string_lossy()),
            Action::Processes { .. } => formatter.write_str("mount /proc"),
            Action::Seal => formatter.write_str("make the root read-only"),
        }
    }
}
