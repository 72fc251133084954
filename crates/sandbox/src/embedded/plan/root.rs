//! What the root file system is made of: the host's programs or an unpacked image, and the few devices and files that every program
//! expects.

use std::ffi::{CString, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::mount::MountAttrFlags;

use super::{Action, EMPTY, c_string, make_parents, make_place, path};
use crate::backend::LaunchError;
use crate::host_root::{self, Part};
use crate::policy::{Network, Policy};

/// Devices that give or take bytes and lead nowhere.
const DEVICES: &[&str] = &["null", "zero", "full", "random", "urandom"];

/// Files of `/proc` that tell of the machine rather than of the container.
const HIDDEN_PROCESS_FILES: &[&str] = &[
    "interrupts",
    "kallsyms",
    "kcore",
    "keys",
    "key-users",
    "kpagecount",
    "kpageflags",
    "latency_stats",
    "modules",
    "sched_debug",
    "softirqs",
    "timer_list",
];

/// Directories of `/proc` that tell of the machine rather than of the container.
const HIDDEN_PROCESS_DIRECTORIES: &[&str] = &["acpi", "asound", "bus", "scsi", "driver", "fs", "irq"];

/// The host's own programs as the root.
pub(super) fn host(actions: &mut Vec<Action>, policy: &Policy) -> Result<(), LaunchError> {
    for part in host_root::parts(policy) {
        match part {
            Part::Shown { path, directory } => bind(actions, &Path::new("/").join(&path), &path, directory)?,
            Part::Link { path, to } => link(actions, &path, &to)?,
            Part::File { path, content } => file(actions, path, content)?,
        }
    }
    if policy.network == Network::Host {
        // Often a link into /run, which is not shown, so the text is copied.
        file(actions, "etc/resolv.conf", std::fs::read_to_string("/etc/resolv.conf").unwrap_or_default())?;
    }
    Ok(())
}

/// An unpacked image as the root. Each entry of its top directory is shown on its own, so that mounts can be made beside them.
pub(super) fn directory(actions: &mut Vec<Action>, root: &Path) -> Result<(), LaunchError> {
    let failed = |source| LaunchError::Source { path: root.to_owned(), source };
    let mut entries: Vec<_> =
        std::fs::read_dir(root).map_err(failed)?.collect::<Result<_, _>>().map_err(failed)?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name();
        if !matches!(name.to_str(), Some("dev" | "mnt" | "proc" | "run" | "sys" | "tmp")) {
            show(actions, &entry.path(), Path::new(&name))?;
        }
    }
    Ok(())
}

/// The devices, as files of the host's.
pub(super) fn devices(actions: &mut Vec<Action>) -> Result<(), LaunchError> {
    for name in DEVICES {
        let target = Path::new("dev").join(name);
        make_place(actions, &target, false)?;
        actions.push(Action::Bind {
            source: c_string(format!("/dev/{name}").as_bytes())?,
            target: path(&target)?,
            attributes: Some(MountAttrFlags::MOUNT_ATTR_NOSUID | MountAttrFlags::MOUNT_ATTR_NOEXEC),
            personal: false,
        });
    }
    for (name, to) in
        [("fd", "/proc/self/fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2"), ("shm", "/tmp")]
    {
        link(actions, &Path::new("dev").join(name), Path::new(to))?;
    }
    Ok(())
}

/// The container's processes, with what tells of the machine hidden.
pub(super) fn processes(actions: &mut Vec<Action>) -> Result<(), LaunchError> {
    make_place(actions, Path::new(OsStr::from_bytes(EMPTY.to_bytes())), true)?;
    make_place(actions, Path::new("proc"), true)?;
    actions.push(Action::Processes { target: c_string(b"proc")? });
    let hidden = |directory| move |name: &&str| (Path::new("proc").join(name), directory);
    let files = HIDDEN_PROCESS_FILES.iter().map(hidden(false));
    for (target, directory) in files.chain(HIDDEN_PROCESS_DIRECTORIES.iter().map(hidden(true))) {
        actions.push(Action::Cover { target: path(&target)?, directory });
    }
    Ok(())
}

/// Shows a directory or file of the host, or repeats a link; what is not there is left out.
fn show(actions: &mut Vec<Action>, source: &Path, target: &Path) -> Result<(), LaunchError> {
    let Ok(kind) = std::fs::symlink_metadata(source) else { return Ok(()) };
    if kind.is_symlink() {
        let Ok(to) = std::fs::read_link(source) else { return Ok(()) };
        return link(actions, target, &to);
    }
    if !kind.is_dir() && !kind.is_file() {
        return Ok(());
    }
    bind(actions, source, target, kind.is_dir())
}

fn bind(actions: &mut Vec<Action>, source: &Path, target: &Path, directory: bool) -> Result<(), LaunchError> {
    make_place(actions, target, directory)?;
    actions.push(Action::Bind {
        source: path(source)?,
        target: path(target)?,
        attributes: None,
        personal: false,
    });
    Ok(())
}

fn file(actions: &mut Vec<Action>, at: &str, content: String) -> Result<(), LaunchError> {
    make_parents(actions, Path::new(at))?;
    actions.push(Action::File { path: c_string(at.as_bytes())?, content: content.into_bytes() });
    Ok(())
}

fn link(actions: &mut Vec<Action>, at: &Path, to: &Path) -> Result<(), LaunchError> {
    make_parents(actions, at)?;
    let (at, to): (CString, CString) = (path(at)?, path(to)?);
    actions.push(Action::Link { path: at, to });
    Ok(())
}
