//! What the host sees: the same scripts without a container, as the control that an attack can succeed at all, and this process's state.

use std::path::{Path, PathBuf};

use rustix::mount::MountPropagationFlags;
use rustix::thread::UnshareFlags;

use super::{is_root, python};

/// Runs a script of Python's on the host and gives what it says.
pub(crate) fn python_outside(script: &str) -> String {
    let output = std::process::Command::new("/usr/bin/python3")
        .args(["-I", "-c", &python::script(script)])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}

/// Gives this thread, if it is root's, mounts of its own, so that what others mount meanwhile does not count. Where root would mount
/// something, it is seen there; an ordinary user can mount nothing on the host at all.
pub(crate) fn own_mounts() {
    if is_root() {
        // SAFETY: only this thread's view of the file system changes.
        unsafe { rustix::thread::unshare_unsafe(UnshareFlags::NEWNS | UnshareFlags::FS) }.unwrap();
        let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
        rustix::mount::mount_change(Path::new("/"), private).unwrap();
    }
}

/// The mounts that this thread sees, which has called [`own_mounts`].
pub(crate) fn mount_lines() -> Vec<String> {
    if !is_root() {
        return Vec::new();
    }
    let text = std::fs::read_to_string("/proc/thread-self/mountinfo").unwrap();
    // Other tests' containers come and go in the stores of engines.
    let stores = ["/engines/docker/", "/engines/podman/", "/guild-docker-", "/guild-podman-"];
    let is_engines = |line: &&str| stores.iter().any(|store| line.contains(store));
    text.lines().filter(|line| !is_engines(line)).map(str::to_owned).collect()
}

/// The most memory that this process has held at once, in bytes.
pub(crate) fn resident_peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
}

/// The cgroups that the process with this number has made and not removed.
pub(crate) fn cgroups_of(process: u32) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut left = vec![PathBuf::from("/sys/fs/cgroup")];
    let name = format!("guild-{process}-");
    while let Some(directory) = left.pop() {
        for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                let own = entry.file_name().to_string_lossy().into_owned();
                // Where this process itself may have been told to stand aside does not count.
                if own.starts_with(&name) && !own.ends_with("-self") {
                    found.push(entry.path());
                }
                left.push(entry.path());
            }
        }
    }
    found.sort();
    found
}
