//! What a process does to enter a container that is already running, and to run one command there.
//!
//! It stays outside of the container's process namespace itself, where nobody inside can see it; only the command it starts is in.

use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::mount::MountPropagationFlags;
use rustix::process::{Pid, Signal, WaitOptions};
use rustix::thread::UnshareFlags;

use super::root::{self, Opened};
use super::site::Site;
use super::{Failure, Inheritance, NOT_SET_UP, at, begin, die_with_launcher, report, walls};
use crate::embedded::admission;
use crate::embedded::init;
use crate::embedded::plan::{Action, Exec, Plan};
use crate::embedded::report::{Report, Step};
use crate::embedded::sys::{self, Awaited};

/// How many steps the mounts of one command can take.
pub(in crate::embedded) const MOST_MOUNTS: usize = 64;

/// The life of a process that enters a container, whose namespaces are given, and runs a command in it. `plan` has the mounts that only this command sees.
pub(in crate::embedded) fn join(
    container: &[OwnedFd],
    plan: &Plan,
    exec: &Exec,
    from: &Inheritance<'_>,
) -> ! {
    let awaited = match enter(container, plan, from) {
        Ok(awaited) => awaited,
        Err(failure) => {
            report(from.launcher, &failure);
            sys::exit(NOT_SET_UP)
        }
    };
    if Report::Ready.send(from.launcher, &[]).is_err() {
        sys::exit(NOT_SET_UP);
    }
    let become_command = || {
        let _ = die_with_launcher();
        init::become_command(exec, from.launcher, from.streams)
    };
    // SAFETY: both sides go on with system calls alone, and the command's writes to nothing but its own frames.
    match unsafe { sys::start_behind_filter(from.stack, &become_command) } {
        Ok(command) => {
            init::keep_only(from.launcher.as_raw_fd());
            let status = reap(command, awaited);
            let _ = Report::Ended { status, written: None }.send(from.launcher, &[]);
            sys::exit(0)
        }
        Err(errno) => {
            report(from.launcher, &Failure { step: Step::Fork, index: 0, errno });
            sys::exit(NOT_SET_UP)
        }
    }
}

/// Waits for the command, and kills it when asked to: if this process were killed itself, nobody would reap the command but the host's
/// first process, where that does.
fn reap(command: Pid, awaited: Awaited) -> i32 {
    loop {
        match rustix::process::waitpid(Some(command), WaitOptions::NOHANG) {
            Ok(Some((_, status))) => return status.as_raw(),
            Ok(None) | Err(Errno::INTR) => {}
            Err(_) => return NOT_SET_UP << 8,
        }
        if awaited.wait() {
            let _ = rustix::process::kill_process(command, Signal::KILL);
        }
    }
}

fn enter(container: &[OwnedFd], plan: &Plan, from: &Inheritance<'_>) -> Result<Awaited, Failure> {
    begin(from)?;
    // What a terminal sends to the launcher's processes is for the launcher alone.
    rustix::process::setsid().map_err(at(Step::Identity))?;
    walls::hide(from.arguments).map_err(at(Step::Privileges))?;
    for &cgroup in from.cgroups {
        // SAFETY: the launcher keeps these files open until this process has reported.
        let door = unsafe { BorrowedFd::borrow_raw(cgroup) };
        admission::enter_by(door).map_err(at(Step::Cgroup))?;
    }
    let [user, rest @ ..] = container else { return Err(at(Step::Enter)(Errno::SRCH)) };
    sys::enter_namespace(user.as_fd()).map_err(at(Step::Enter))?;
    let mut trees: [Option<OwnedFd>; MOST_MOUNTS] = [const { None }; MOST_MOUNTS];
    open_sources(plan, from.sources, &mut trees)?;
    for namespace in rest {
        sys::enter_namespace(namespace.as_fd()).map_err(at(Step::Enter))?;
    }
    if from.switch_user {
        walls::become_user(plan.user).map_err(at(Step::Identity))?;
    }
    mount_all(plan, &trees)?;
    rustix::process::chdir(c"/").map_err(at(Step::Enter))?;
    walls::renounce().map_err(at(Step::Privileges))?;
    walls::raise(plan)?;
    die_with_launcher().map_err(at(Step::Identity))?;
    Awaited::hold().map_err(at(Step::Privileges))
}

/// Sources that the launcher has not opened are opened from a copy of the host's mounts that belongs to the container's user namespace:
/// in the host's own this process has no right to.
fn open_sources(
    plan: &Plan,
    opened: &[Option<Opened>],
    trees: &mut [Option<OwnedFd>; MOST_MOUNTS],
) -> Result<(), Failure> {
    let mut own_mounts = false;
    for (index, (action, place)) in plan.actions.iter().zip(trees).enumerate() {
        let failed = |errno| Failure { step: Step::Action, index: index as u32, errno };
        let Action::Bind { source, .. } = action else { continue };
        let tree = match opened.get(index).and_then(Option::as_ref) {
            Some(opened) => rustix::io::fcntl_dupfd_cloexec(&opened.source, 0).map_err(failed)?,
            None => {
                if !own_mounts {
                    private_mounts().map_err(failed)?;
                    own_mounts = true;
                }
                root::open_source(source).map_err(failed)?
            }
        };
        *place = Some(tree);
    }
    Ok(())
}

fn mount_all(plan: &Plan, trees: &[Option<OwnedFd>; MOST_MOUNTS]) -> Result<(), Failure> {
    if plan.actions.is_empty() {
        return Ok(());
    }
    // Only this command sees them.
    private_mounts().map_err(at(Step::Enter))?;
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let root = rustix::fs::open(c"/", flags, Mode::empty()).map_err(at(Step::Enter))?;
    let mut site = Site::new(root.as_fd());
    site.reopen().map_err(at(Step::Enter))?;
    for (index, (action, tree)) in plan.actions.iter().zip(trees).enumerate() {
        root::place(action, tree.as_ref(), &mut site).map_err(|errno| Failure {
            step: Step::Action,
            index: index as u32,
            errno,
        })?;
    }
    site.close().map_err(at(Step::Enter))
}

fn private_mounts() -> Result<(), Errno> {
    // SAFETY: this process has no threads, and no file system state of its own to lose.
    unsafe { rustix::thread::unshare_unsafe(UnshareFlags::NEWNS)? };
    let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    rustix::mount::mount_change(c"/", private)
}
