//! A small Debian with systemd and D-Bus as a compressed disk: made once by mmdebstrap, of this system's own release.
//!
//! The release is the same because test binaries are linked with this system's C library. Users, units and the tests
//! themselves are added by the machine when it starts.

use std::fs;
use std::path::{Path, PathBuf};

use super::{cache, packages, text};
use crate::process;

/// What the machine holds beside the packages that every Debian has.
const PACKAGES: &str = "dbus,dbus-user-session,libpam-systemd,python3,systemd-sysv";

/// The unit that logs the test user in, runs the tests and ends the machine.
pub const SERVICE: &str = include_str!("guild-vm.service");

/// Gets the disk, from `cache` where it is there.
pub fn prepare(cache: &Path) -> Result<PathBuf, String> {
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let release = codename(&release).ok_or("/etc/os-release has no VERSION_CODENAME")?;
    let directory = cache.join("debian");
    cache::keep(&directory, &format!("{release} {PACKAGES}\n"), |directory| make(directory, release))?;
    Ok(directory.join(DISK))
}

const DISK: &str = "root.squashfs";

fn make(directory: &Path, release: &str) -> Result<(), String> {
    packages::need("mmdebstrap", "mmdebstrap")?;
    packages::need("tar2sqfs", "squashfs-tools-ng")?;
    println!("==> make a small Debian (about two minutes)");
    let include = format!("--include={PACKAGES}");
    let disk = directory.join(DISK);
    let arguments = [
        "--quiet",
        "--variant=minbase",
        &include,
        "--dpkgopt=path-exclude=/usr/share/doc/*",
        "--dpkgopt=path-exclude=/usr/share/man/*",
        "--dpkgopt=path-exclude=/usr/share/locale/*",
        release,
        text(&disk)?,
    ];
    process::capture(directory, "mmdebstrap", &arguments).map(drop)
}

fn codename(os_release: &str) -> Option<&str> {
    let value = os_release.lines().find_map(|line| line.strip_prefix("VERSION_CODENAME="))?;
    Some(value.trim_matches('"'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_release_is_found_by_its_codename() {
        assert_eq!(codename("ID=debian\nVERSION_CODENAME=bookworm\n"), Some("bookworm"));
        assert_eq!(codename("VERSION_CODENAME=\"trixie\"\n"), Some("trixie"));
        assert_eq!(codename("ID=other\n"), None);
    }
}
