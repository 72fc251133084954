//! The walls that are raised once the root stands: limits, privileges, Landlock, the filter of system calls.
//!
//! They are raised by the container's first process, so that everything in the container is behind them.

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::process::{DumpableBehavior, Gid, Resource, Rlimit, Uid};
use rustix::thread::{CapabilitySet, CapabilitySets, UnshareFlags};

use super::{Failure, at};
use crate::embedded::plan::Plan;
use crate::embedded::report::Step;
use crate::embedded::sys::{self, Arguments};

/// Open files: enough for interpreters and build tools, too few to exhaust the host.
const OPEN_FILES: u64 = 4096;

/// Signals that wait to be received, and timers: enough for programs, and a little of what the kernel lets the launcher's user have, on
/// whose account these are. Without a limit the launcher itself could be left with none.
const PENDING_SIGNALS: u64 = 1024;

/// The last capability that a kernel may know; those it does not know are refused, and that is the end of the list.
const MOST_CAPABILITIES: u32 = 63;

/// Raises all of them, in the order in which each still can be, for a process that has renounced its privileges.
pub(super) fn raise(plan: &Plan) -> Result<(), Failure> {
    lower_limits(plan.pids).map_err(at(Step::Limits))?;
    drop_privileges().map_err(at(Step::Privileges))?;
    // Becoming another user has set it anew, to whatever the host's fs.suid_dumpable says.
    rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable).map_err(at(Step::Privileges))?;
    if let Some(landlock) = &plan.landlock {
        landlock.enforce().map_err(at(Step::Landlock))?;
    }
    sys::filter_system_calls(plan.filter).map_err(at(Step::Filter))
}

/// A limit of 0 would still let the kernel start the host's handler of core dumps, as root, with what the container gives it; 1 is the
/// value at which it does not.
const NO_CORE_DUMP: u64 = 1;

/// No core dumps, no real-time scheduling, which no quota holds, little of what is counted to the launcher's user, and a bound on
/// processes beneath that of the cgroup.
fn lower_limits(pids: u32) -> Result<(), Errno> {
    lower(Resource::Core, NO_CORE_DUMP)?;
    lower(Resource::Rtprio, 0)?;
    lower(Resource::Nice, 0)?;
    lower(Resource::Nofile, OPEN_FILES)?;
    lower(Resource::Memlock, 64 << 10)?;
    lower(Resource::Sigpending, PENDING_SIGNALS)?;
    // Message queues are on the launcher's account too, and hardly any program has one.
    lower(Resource::Msgqueue, 0)?;
    // Counted within the user namespace; one more for the container's first process.
    lower(Resource::Nproc, u64::from(pids) + 1)?;
    rustix::process::umask(Mode::from_raw_mode(0o022));
    Ok(())
}

/// Bounds what the container can watch of files, which the kernel counts to the launcher's user too and to all of that user's containers
/// together: a user who has none left is told of no change any more, and root is no exception. Only this process, in its own user
/// namespace, may say so, and only while the host's `/proc` is there. A launcher that is shown that read-only does without.
pub(super) fn bound_watches() {
    for (setting, most) in [
        (c"/proc/sys/user/max_inotify_instances", b"16".as_slice()),
        (c"/proc/sys/user/max_inotify_watches", b"4096"),
    ] {
        let opened = rustix::fs::open(setting, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty());
        let _ = opened.and_then(|file| rustix::io::write(&file, most));
    }
}

fn lower(resource: Resource, to: u64) -> Result<(), Errno> {
    let hard = rustix::process::getrlimit(resource).maximum.unwrap_or(u64::MAX).min(to);
    rustix::process::setrlimit(resource, Rlimit { current: Some(hard), maximum: Some(hard) })
}

/// Makes sure that no program that is executed later has a capability. Those that this process has, it keeps for now.
pub(super) fn renounce() -> Result<(), Errno> {
    for number in 0..=MOST_CAPABILITIES {
        let Some(capability) = CapabilitySet::from_bits(1 << number) else { continue };
        match rustix::thread::remove_capability_from_bounding_set(capability) {
            Err(Errno::INVAL) => break,
            dropped => dropped?,
        }
    }
    Ok(())
}

/// Leaves no capability anywhere, and no way to gain one by executing a program.
fn drop_privileges() -> Result<(), Errno> {
    rustix::thread::clear_ambient_capability_set()?;
    let none = CapabilitySet::empty();
    rustix::thread::set_capabilities(
        None,
        CapabilitySets { effective: none, permitted: none, inheritable: none },
    )?;
    rustix::thread::set_no_new_privs(true)
}

/// Becomes the container's user, alone in its group.
pub(super) fn become_user(user: u32) -> Result<(), Errno> {
    rustix::thread::set_thread_groups(&[])?;
    let (uid, gid) = (Uid::from_raw(user), Gid::from_raw(user));
    rustix::thread::set_thread_res_gid(gid, gid, gid)?;
    rustix::thread::set_thread_res_uid(uid, uid, uid)
}

pub(super) fn own_cgroup_namespace() -> Result<(), Errno> {
    // SAFETY: only this process's view of cgroups changes.
    unsafe { rustix::thread::unshare_unsafe(UnshareFlags::NEWCGROUP) }
}

/// Lets nobody look into this process while it holds a copy of the launcher's memory, and forgets the launcher's arguments, which
/// everybody may read.
pub(super) fn hide(arguments: Arguments) -> Result<(), Errno> {
    rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    arguments.forget();
    rustix::thread::set_name(c"guild-init")
}
