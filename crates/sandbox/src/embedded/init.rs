//! The container's first process, once the walls are up: it starts the command, reaps what is orphaned, and says how the command ended.
//!
//! When it exits, the kernel kills everything else in the container. Like [`super::stage`] it makes system calls and nothing else.

use std::os::fd::{AsRawFd, BorrowedFd, RawFd};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::process::{DumpableBehavior, Pid, WaitOptions};

use super::plan::Exec;
use super::report::{Report, Step};
use super::stage::{Failure, Inheritance, NOT_SET_UP, report};
use super::sys;

/// Starts the command, waits for it, reports, and ends the container.
pub(super) fn run(exec: &Exec, from: &Inheritance<'_>) -> ! {
    let command = || become_command(exec, from.launcher, from.streams);
    // SAFETY: both sides go on with system calls alone, and the command's writes to nothing but its own frames.
    match unsafe { sys::start_behind_filter(from.stack, &command) } {
        Ok(pid) => {
            keep_only(from.launcher.as_raw_fd());
            let status = reap_until(Some(pid));
            let _ = Report::Ended { status, written: count_written() }.send(from.launcher, &[]);
            sys::exit(0)
        }
        Err(errno) => {
            report(from.launcher, &Failure { step: Step::Fork, index: 0, errno });
            sys::exit(NOT_SET_UP)
        }
    }
}

/// Waits until the launcher closes its side or dies; orphans are reaped by the kernel meanwhile.
pub(super) fn wait_for_end(launcher: RawFd) -> ! {
    keep_only(launcher);
    sys::ignore_children();
    // SAFETY: `keep_only` left this one open.
    let launcher = unsafe { BorrowedFd::borrow_raw(launcher) };
    let mut nothing = [0_u8; 1];
    loop {
        match rustix::io::read(launcher, &mut nothing) {
            Err(Errno::INTR) | Ok(1) => {}
            _ => sys::exit(0),
        }
    }
}

/// Turns this process into the command; reports if that cannot be done.
pub(super) fn become_command(exec: &Exec, launcher: BorrowedFd<'_>, streams: [RawFd; 3]) -> ! {
    let (astray, errno) = match prepare(exec, streams) {
        Ok(()) => match rustix::process::chdir(exec.cwd.as_c_str()) {
            Ok(()) => (false, execute(exec)),
            Err(errno) => (true, errno),
        },
        Err(errno) => (false, errno),
    };
    let _ = Report::NotExecuted { astray, errno: errno.raw_os_error() }.send(launcher, &[]);
    sys::exit(127)
}

fn prepare(exec: &Exec, streams: [RawFd; 3]) -> Result<(), Errno> {
    rustix::process::setsid()?;
    for (to, from) in streams.into_iter().enumerate() {
        sys::duplicate_to(from, to as RawFd)?;
    }
    sys::close_on_exec_from(3)?;
    sys::reset_signals(exec.ignored);
    Ok(())
}

/// Tries each place where the program may be, and gives the most telling error.
fn execute(exec: &Exec) -> Errno {
    let mut telling = Errno::NOENT;
    for candidate in &exec.candidates {
        match sys::execute(candidate, &exec.argv, &exec.env) {
            Errno::NOENT | Errno::NOTDIR => {}
            errno => telling = errno,
        }
    }
    telling
}

/// Closes everything but one descriptor: the streams, so that they end with the command, and whatever the launcher had open.
pub(super) fn keep_only(kept: RawFd) {
    if kept > 0 {
        let _ = sys::close_range(0, kept - 1);
    }
    let _ = sys::close_range(kept + 1, RawFd::MAX);
}

/// Reaps until this process has ended, and gives its status; `None` reaps all there are.
fn reap_until(command: Option<Pid>) -> i32 {
    loop {
        match rustix::process::wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if Some(pid) == command => return status.as_raw(),
            Ok(_) | Err(Errno::INTR) => {}
            Err(_) => return NOT_SET_UP << 8,
        }
    }
}

/// The bytes that the container's processes have written. Only when all of them are gone may this process be looked into, which the
/// kernel asks for before it tells.
fn count_written() -> Option<u64> {
    sys::kill_all_others();
    reap_until(None);
    rustix::process::set_dumpable_behavior(DumpableBehavior::Dumpable).ok()?;
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    let file = rustix::fs::open(c"/proc/self/io", flags, Mode::empty()).ok()?;
    let mut text = [0_u8; 256];
    let length = rustix::io::read(&file, &mut text).ok()?;
    let (_, after) = split_at(text.get(..length)?, b"wchar: ")?;
    let digits = after.iter().take_while(|byte| byte.is_ascii_digit());
    Some(
        digits.fold(0_u64, |number, digit| number.saturating_mul(10).saturating_add(u64::from(digit - b'0'))),
    )
}

fn split_at<'a>(text: &'a [u8], mark: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let at = text.windows(mark.len()).position(|window| window == mark)?;
    Some((text.get(..at)?, text.get(at + mark.len()..)?))
}
