//! Which processes are ours to move: this one, those that it started, and others of the same program and user.

use std::fs;
use std::os::unix::fs::MetadataExt;

use rustix::process::{Pid, geteuid, getpid, test_kill_process};

/// Whether a process is ours to move; one that has ended is nobody's.
pub(super) fn is_ours(process: Pid) -> bool {
    process == getpid() || is_same_program(process) || is_descendant(process) || has_ended(process)
}

/// Several of us may start at once in one cgroup; whoever is first moves all of them.
fn is_same_program(process: Pid) -> bool {
    let directory = format!("/proc/{}", process.as_raw_nonzero());
    let program = |directory: &str| {
        let program = fs::metadata(format!("{directory}/exe")).ok()?;
        Some((program.dev(), program.ino()))
    };
    let is_same_user = fs::metadata(&directory).is_ok_and(|about| about.uid() == geteuid().as_raw());
    is_same_user && program(&directory).is_some_and(|theirs| program("/proc/self") == Some(theirs))
}

fn is_descendant(process: Pid) -> bool {
    let mut next = parent(process);
    // No chain is longer than this but one that changes while it is walked.
    for _ in 0..1024 {
        match next {
            Some(process) if process == getpid() => return true,
            Some(process) => next = parent(process),
            None => return false,
        }
    }
    false
}

/// The second field behind the name, which may contain anything.
fn parent(process: Pid) -> Option<Pid> {
    let stat = fs::read_to_string(format!("/proc/{}/stat", process.as_raw_nonzero())).ok()?;
    let (_, after_name) = stat.rsplit_once(')')?;
    Pid::from_raw(after_name.split_whitespace().nth(1)?.parse().ok()?)
}

/// `/proc` may hide what belongs to others; only the kernel knows that nobody is there.
fn has_ended(process: Pid) -> bool {
    test_kill_process(process) == Err(rustix::io::Errno::SRCH)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    #[expect(clippy::disallowed_methods, reason = "this is the crate that starts processes")]
    fn what_we_started_is_ours_until_it_has_ended_and_the_first_process_never_is() {
        assert!(is_ours(getpid()));
        assert!(!is_ours(Pid::INIT));
        let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        let process = Pid::from_raw(child.id().cast_signed()).unwrap();
        assert!(is_descendant(process) && is_ours(process));
        assert!(!is_same_program(process) && !has_ended(process));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!is_descendant(process) && is_ours(process));
    }
}
