//! Who the container's user is, outside.
//!
//! Launched by an ordinary user it is that user, with no privilege. Launched by root it is a user that owns nothing on this machine: a
//! process that is root outside could write to the kernel's settings, whatever it is inside.

use std::ffi::CStr;
use std::fmt;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::sync::OnceLock;

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::process::Pid;

/// A user that no distribution gives to anybody: beyond the ranges of system users, people and container managers.
const NOBODY_ELSE: u32 = 1_900_000_000;

/// The container's user and group, outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Identity {
    /// User outside.
    pub(super) uid: u32,
    /// Group outside.
    pub(super) gid: u32,
    /// Whether that is another user than the launcher's, who must then be privileged.
    pub(super) switched: bool,
}

impl Identity {
    /// The identity for a container that this process launches.
    pub(super) fn find() -> io::Result<Identity> {
        let (uid, gid) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
        if uid != 0 {
            return Ok(Identity { uid, gid, switched: false });
        }
        Ok(match others()? {
            (Some(uid), Some(gid)) => Identity { uid, gid, switched: true },
            // Root of a namespace that has no other user is an ordinary user outside of it.
            _ => Identity { uid, gid, switched: false },
        })
    }

    /// Gives a process that waits in a new user namespace its one user and group. Without privilege it does so by itself: see [`Mapping`].
    pub(super) fn map(self, process: Pid, inside: u32) -> io::Result<()> {
        if !self.switched {
            return Ok(());
        }
        tell(process, "uid_map", format_args!("{inside} {} 1", self.uid))?;
        tell(process, "gid_map", format_args!("{inside} {} 1", self.gid))
    }

    /// What the process itself has to write down, if nobody does it for it.
    pub(super) fn mapping(self, inside: u32) -> Option<Mapping> {
        let map = |outside: u32| format!("{inside} {outside} 1").into_bytes();
        (!self.switched).then(|| Mapping { users: map(self.uid), groups: map(self.gid) })
    }
}

/// What a process writes down of itself in a new user namespace. Nobody else may who has no privilege, if the namespace that it was made in
/// is not that one's own either.
pub(super) struct Mapping {
    users: Vec<u8>,
    groups: Vec<u8>,
}

impl Mapping {
    /// Writes it down. Allocates nothing.
    pub(super) fn write(&self) -> Result<(), Errno> {
        // The kernel asks for the first where the writer has no privilege, lest groups that deny access be shed.
        let files: [(&CStr, &[u8]); 3] = [
            (c"/proc/self/setgroups", b"deny"),
            (c"/proc/self/uid_map", &self.users),
            (c"/proc/self/gid_map", &self.groups),
        ];
        files.into_iter().try_for_each(|(file, text)| {
            let file = rustix::fs::open(file, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
            // The kernel takes such a text as a whole or not at all.
            rustix::io::write(&file, text).map(drop)
        })
    }
}

/// Writes to one of the kernel's files of a process. Allocates nothing: it was just copied from this one, and whatever page either of them
/// writes to first is copied then.
fn tell(process: Pid, file: &str, what: fmt::Arguments<'_>) -> io::Result<()> {
    let (mut path, mut text) = ([0; 64], [0; 64]);
    write!(path.as_mut_slice(), "/proc/{}/{file}\0", process.as_raw_nonzero())?;
    let path = CStr::from_bytes_until_nul(&path).map_err(io::Error::other)?;
    let mut rest = text.as_mut_slice();
    rest.write_fmt(what)?;
    let left = rest.len();
    let text = text.split_at(text.len() - left).0;
    let file = rustix::fs::open(path, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
    // The kernel takes such a text as a whole or not at all.
    Ok(rustix::io::write(&file, text).map(drop)?)
}

/// Whether a directory is this user's by another group than the first, as it is where several people share one.
///
/// An ordinary user may map no group but the first into a container, and the kernel copies no file into a layer whose group is not
/// mapped: of such a directory nothing could be changed.
pub(super) fn is_held_by_group(directory: &Path) -> bool {
    let first = rustix::process::getegid();
    let Ok(stat) = rustix::fs::stat(directory) else { return false };
    !rustix::process::geteuid().is_root()
        && stat.st_gid != first.as_raw()
        && rustix::process::getgroups()
            .is_ok_and(|groups| groups.iter().any(|group| group.as_raw() == stat.st_gid))
}

/// A user and a group other than root's that exist here. The maps of a user namespace are written once, so they are read once.
fn others() -> io::Result<(Option<u32>, Option<u32>)> {
    static OTHERS: OnceLock<(Option<u32>, Option<u32>)> = OnceLock::new();
    if let Some(known) = OTHERS.get() {
        return Ok(*known);
    }
    let map = |file: &str| fs::read_to_string(file).map(|map| unprivileged(&map));
    let found = (map("/proc/self/uid_map")?, map("/proc/self/gid_map")?);
    Ok(*OTHERS.get_or_init(|| found))
}

/// A user other than root that exists in this map (`inside outside count` a line): the preferred one, else the last.
fn unprivileged(map: &str) -> Option<u32> {
    let ranges = map.lines().filter_map(|line| {
        let mut numbers = line.split_whitespace().map(str::parse::<u32>);
        let (first, _, count) = (numbers.next()?.ok()?, numbers.next()?.ok()?, numbers.next()?.ok()?);
        Some(first..=first.checked_add(count.checked_sub(1)?)?)
    });
    let ranges: Vec<_> = ranges.collect();
    if ranges.iter().any(|range| range.contains(&NOBODY_ELSE)) {
        return Some(NOBODY_ELSE);
    }
    ranges.iter().map(|range| *range.end()).max().filter(|last| *last != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(map: &str, expected: Option<u32>) {
        assert_eq!(unprivileged(map), expected, "{map}");
    }

    #[test]
    fn root_of_the_machine_becomes_a_user_that_owns_nothing() {
        check("         0          0 4294967295\n", Some(NOBODY_ELSE));
    }

    #[test]
    fn root_of_a_container_becomes_a_user_that_exists_there() {
        check("0 100000 65536\n", Some(65535));
        check("0 1000 1\n1 100000 65536\n", Some(65536));
    }

    #[test]
    fn where_root_is_the_only_user_there_is_no_other() {
        check("0 1000 1\n", None);
        check("", None);
        check("0 0 0\n", None);
    }
}
