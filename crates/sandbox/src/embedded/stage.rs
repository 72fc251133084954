//! What the new process does before it runs anything: it builds its root file system and raises the walls.
//!
//! It runs between `clone` and `exec` in a copy of a process with threads, so it makes system calls and nothing else: no allocation,
//! no lock, no panic. Whatever fails is reported by step and number, and the process exits.

mod handed;
mod join;
mod root;
mod site;
mod walls;

use std::os::fd::{AsRawFd, BorrowedFd, RawFd};

use rustix::io::Errno;
use rustix::process::Signal;

use super::admission;
use super::identity::Mapping;
use super::init;
use super::plan::{Exec, Plan};
use super::report::{Report, Step};
use super::sys::{self, Arguments, Stack};

use handed::Handed;

pub(super) use join::{MOST_MOUNTS, join};
pub(super) use root::{Opened, open_source};

/// Everything that the new process gets from its launcher besides the plan.
pub(super) struct Inheritance<'a> {
    /// Where it reports, and where it is told to begin.
    pub(super) launcher: BorrowedFd<'a>,
    /// What a new container's process says of itself, where the launcher does not.
    pub(super) mapping: Option<&'a Mapping>,
    /// Where the launcher's arguments lie in memory.
    pub(super) arguments: Arguments,
    /// A stack for the command until it is executed.
    pub(super) stack: &'a Stack,
    /// Files of cgroups (version 1) by which a process that joins a container enters; one of a new container gets them when it may begin.
    pub(super) cgroups: &'a [RawFd],
    /// Sources that had to be opened with the launcher's privileges, by the index of their action.
    pub(super) sources: &'a [Option<Opened>],
    /// Whether its user differs from the launcher's, outside.
    pub(super) switch_user: bool,
    /// Whether the command waits for the launcher to let it run.
    pub(super) held: bool,
    /// Standard input, output and error of the command.
    pub(super) streams: [RawFd; 3],
    /// All descriptors that it needs, those above included, in ascending order.
    pub(super) descriptors: &'a [RawFd],
}

/// The exit code of a process that could not be set up. Its launcher goes by the report.
pub(super) const NOT_SET_UP: i32 = 125;

/// A step that failed.
pub(super) struct Failure {
    pub(super) step: Step,
    pub(super) index: u32,
    pub(super) errno: Errno,
}

/// The life of a container's first process. `exec` is what it runs; without one it waits to be killed.
pub(super) fn live(plan: &Plan, exec: Option<&Exec>, from: &Inheritance<'_>) -> ! {
    let mut handed = Handed::new();
    if let Err(failure) = build(plan, exec.is_none(), from, &mut handed) {
        report(from.launcher, &failure);
        sys::exit(NOT_SET_UP);
    }
    if handed.send(Report::Ready, from.launcher).is_err() {
        sys::exit(NOT_SET_UP);
    }
    if from.held && wait_for_launcher(from.launcher).is_err() {
        sys::exit(NOT_SET_UP);
    }
    match exec {
        Some(exec) => init::run(exec, from),
        None => init::wait_for_end(from.launcher.as_raw_fd()),
    }
}

/// Tells the launcher what failed.
pub(super) fn report(launcher: BorrowedFd<'_>, failure: &Failure) {
    let Failure { step, index, errno } = *failure;
    let _ = Report::Failed { step, index, errno: errno.raw_os_error() }.send(launcher, &[]);
}

fn build(plan: &Plan, lives_on: bool, from: &Inheritance<'_>, handed: &mut Handed) -> Result<(), Failure> {
    begin(from)?;
    from.mapping.map_or(Ok(()), Mapping::write).map_err(at(Step::Map))?;
    // What can be done while the launcher gets ready to let this process in.
    walls::renounce().map_err(at(Step::Privileges))?;
    if !admission::enter(from.launcher).map_err(at(Step::Cgroup))? {
        sys::exit(NOT_SET_UP);
    }
    walls::hide(from.arguments).map_err(at(Step::Privileges))?;
    walls::bound_watches();
    // Only now, or the cgroup's path on the host could be read inside.
    walls::own_cgroup_namespace().map_err(at(Step::Cgroup))?;
    if from.switch_user {
        walls::become_user(plan.user).map_err(at(Step::Identity))?;
    }
    if lives_on {
        handed.push_namespaces(plan.network).map_err(at(Step::Enter))?;
    }
    root::build(plan, from.sources, handed)?;
    rustix::system::sethostname(plan.hostname.to_bytes()).map_err(at(Step::Hostname))?;
    walls::raise(plan)?;
    // Changing the user and dropping privileges have cleared it.
    die_with_launcher().map_err(at(Step::Identity))
}

/// From here on the launcher's death is noticed, and that of our children. The kernel tells of it only if it comes after we have asked; if it came before, the other
/// end of our socket is closed, once we have closed our own copy of it and those of other launches.
fn begin(from: &Inheritance<'_>) -> Result<(), Failure> {
    sys::heed_children();
    sys::close_all_but(from.descriptors).map_err(at(Step::Privileges))?;
    die_with_launcher().map_err(at(Step::Identity))
}

/// Says at which step an error came.
pub(super) fn at(step: Step) -> impl Fn(Errno) -> Failure {
    move |errno| Failure { step, index: 0, errno }
}

/// The launcher lets the command run when it may; if it dies before, so do we.
fn wait_for_launcher(launcher: BorrowedFd<'_>) -> Result<(), Errno> {
    let mut go = [0_u8; 1];
    match rustix::io::retry_on_intr(|| rustix::io::read(launcher, &mut go)) {
        Ok(1) => Ok(()),
        Ok(_) => sys::exit(NOT_SET_UP),
        Err(errno) => Err(errno),
    }
}

pub(super) fn die_with_launcher() -> Result<(), Errno> {
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))
}
