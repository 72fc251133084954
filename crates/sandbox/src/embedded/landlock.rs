//! Landlock as the second wall: should a mount ever be writable by mistake, writing is still refused.
//!
//! What is allowed is decided before the launch; the new process only opens the paths, which exist in its root alone, and enforces.

use std::ffi::{CStr, CString};
use std::os::unix::ffi::OsStrExt;

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

use super::sys::{LandlockRuleset, landlock_allow, landlock_create, landlock_enforce, landlock_version};
use crate::policy::{Access, Mount, Network, Policy};

const EXECUTE: u64 = 1;
const WRITE_FILE: u64 = 1 << 1;
const READ_FILE: u64 = 1 << 2;
const READ_DIR: u64 = 1 << 3;
const MAKE_CHARACTER_DEVICE: u64 = 1 << 6;
const MAKE_BLOCK_DEVICE: u64 = 1 << 11;
const REFER: u64 = 1 << 13;
const TRUNCATE: u64 = 1 << 14;
const IOCTL_DEV: u64 = 1 << 15;
const BIND_TCP_AND_CONNECT_TCP: u64 = 0b11;
const SCOPE_ABSTRACT_SOCKETS_AND_SIGNALS: u64 = 0b11;

/// Rights that make sense on a file that is no directory.
const ON_FILES: u64 = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV;

/// The rules for one container.
pub(crate) struct Landlock {
    ruleset: LandlockRuleset,
    rules: Vec<Rule>,
}

struct Rule {
    path: CString,
    rights: u64,
}

impl Landlock {
    /// Reading and executing everywhere, writing only where the policy and these further mounts say, on a kernel with this version of
    /// Landlock.
    pub(super) fn new(version: u32, policy: &Policy, mounts: &[Mount]) -> Landlock {
        let files = match version {
            1 => REFER - 1,
            2 => TRUNCATE - 1,
            3 | 4 => IOCTL_DEV - 1,
            _ => (IOCTL_DEV << 1) - 1,
        };
        let offline = version >= 4 && policy.network == Network::None;
        let ruleset = LandlockRuleset {
            files,
            ports: if offline { BIND_TCP_AND_CONNECT_TCP } else { 0 },
            scoped: if version >= 6 { SCOPE_ABSTRACT_SOCKETS_AND_SIGNALS } else { 0 },
        };
        let mut rules = vec![Rule { path: c"/".to_owned(), rights: EXECUTE | READ_FILE | READ_DIR }];
        rules.push(Rule { path: c"/dev".to_owned(), rights: ON_FILES & !EXECUTE & files });
        let mut landlock = Landlock { ruleset, rules };
        let rights = landlock.on_writable();
        landlock.rules.extend(writable(policy, mounts).map(|path| Rule { path, rights }));
        landlock
    }

    /// The rules for a container of an engine on this machine, if this kernel has Landlock.
    pub(crate) fn for_engine(policy: &Policy) -> Option<Landlock> {
        landlock_version().map(|version| Landlock::new(version, policy, &[]))
    }

    /// The rights that are withheld unless a rule gives them: on files, on ports, and beyond the container.
    pub(crate) fn withheld(&self) -> [u64; 3] {
        [self.ruleset.files, self.ruleset.ports, self.ruleset.scoped]
    }

    /// The rules: rights, and the path in and below which there are those.
    pub(crate) fn rules(&self) -> impl Iterator<Item = (u64, &CStr)> {
        self.rules.iter().map(|rule| (rule.rights, rule.path.as_c_str()))
    }

    /// The rights in a rule for a place that is no directory.
    pub(crate) fn on_file(rights: u64) -> u64 {
        rights & ON_FILES
    }

    /// The rights in a rule for a directory that can be written to.
    pub(crate) fn on_writable(&self) -> u64 {
        self.ruleset.files & !MAKE_CHARACTER_DEVICE & !MAKE_BLOCK_DEVICE
    }

    /// Puts this process under the rules. Allocates nothing.
    pub(super) fn enforce(&self) -> Result<(), Errno> {
        let ruleset = landlock_create(&self.ruleset)?;
        for rule in &self.rules {
            let flags = OFlags::PATH | OFlags::CLOEXEC;
            // Somebody in a running container may have put a link where a directory above a mount was.
            let place =
                rustix::fs::openat2(CWD, &*rule.path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS)?;
            let directory = rustix::fs::fstat(&place)?.st_mode & libc::S_IFMT == libc::S_IFDIR;
            let rights = if directory { rule.rights } else { Landlock::on_file(rule.rights) };
            landlock_allow(std::os::fd::AsFd::as_fd(&ruleset), std::os::fd::AsFd::as_fd(&place), rights)?;
        }
        landlock_enforce(std::os::fd::AsFd::as_fd(&ruleset))
    }
}

fn writable<'a>(policy: &'a Policy, mounts: &'a [Mount]) -> impl Iterator<Item = CString> + 'a {
    let scratch = policy.scratch.iter().map(|scratch| &scratch.target);
    let mounts = policy.mounts.iter().chain(mounts).filter(|mount| mount.access != Access::ReadOnly);
    // A path with a NUL byte has been refused before.
    scratch
        .chain(mounts.map(|mount| &mount.target))
        .filter_map(|target| CString::new(target.as_os_str().as_bytes()).ok())
}
