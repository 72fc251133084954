//! Attacks on what the launcher has open, and what launches leave behind in it.

use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};

use guild_sandbox::{Outcome, Policy};

use crate::arena::{Arena, bash, cgroups_of, check, mount_lines, own_mounts, python};

attacks! {
    fn inherits_nothing_that_the_launcher_has_open(arena) {
        let canary = std::fs::File::open(arena.canary()).unwrap();
        let inheritable: Vec<OwnedFd> = (0..50).map(|_| inheritable(&canary)).collect();
        assert_eq!(inheritable.len(), 50);
        check(&descriptors(arena), "0 1 2");
        let container = arena.start(&arena.policy());
        check(&arena.exec(&*container, &python(LIST), &[]), "0 1 2");
        arena.wait(container.stop()).unwrap();
    }

    fn inherits_nothing_that_another_thread_opens_meanwhile(arena) {
        let canary = std::fs::File::open(arena.canary()).unwrap();
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    drop((0..20).map(|_| inheritable(&canary)).collect::<Vec<_>>());
                }
            });
            for _ in 0..arena.rounds(guild_testkit::rounds()) {
                let outcome = descriptors(arena);
                done.store(outcome.stdout.text().trim_end() != "0 1 2", Ordering::Relaxed);
                check(&outcome, "0 1 2");
            }
            done.store(true, Ordering::Relaxed);
        });
    }

    fn a_hundred_launches_leave_nothing_behind(arena) {
        own_mounts();
        let workspace = arena.directory("workspace");
        let layer = arena.directory("layer");
        let policy = arena.with_mount(&workspace, "/workspace", guild_sandbox::Access::CopyOnWrite { layer });
        launch_what_is_kept(arena, &policy);
        let before = state();
        for round in 0..arena.rounds(100) {
            let outcome = arena.run(&policy, &bash("sleep 1000 & exit 6"));
            assert_eq!(outcome.exit_code(), 6, "{round}");
        }
        check_state(arena, before);
    }

    fn a_fork_that_ends_takes_nothing_of_its_launchers_along(arena) {
        own_mounts();
        launch_what_is_kept(arena, &arena.policy());
        let before = state();
        // SAFETY: the child runs what is run at the end of a program, and nothing else.
        let fork = unsafe {
            match libc::fork() {
                0 => libc::exit(0),
                number => rustix::process::Pid::from_raw(number),
            }
        };
        let ended = rustix::process::waitpid(fork, rustix::process::WaitOptions::empty()).unwrap().unwrap();
        assert_eq!(ended.1.exit_status(), Some(0));
        check_state(arena, before);
    }

    fn failed_launches_leave_nothing_behind(arena) {
        own_mounts();
        let mut policy = arena.policy();
        launch_what_is_kept(arena, &policy);
        let before = state();
        for _ in 0..arena.expecting(10, 5) {
            assert!(arena.try_run(&policy, &guild_sandbox::Command::new("/no/such/program")).is_err());
        }
        policy.mounts.push(guild_sandbox::Mount::read_only("/usr", "/bin/place"));
        for _ in 0..10 {
            assert!(arena.try_run(&policy, &bash("true")).is_err());
        }
        check_state(arena, before);
    }
}

const LIST: &str = "print(*[fd for fd in range(4096) if attempt(os.fstat, fd) == 'ok'])";

/// The descriptors that a command has.
fn descriptors(arena: &Arena) -> Outcome {
    arena.run(&arena.policy(), &python(LIST))
}

/// A second launch makes what a process keeps for all that come after.
fn launch_what_is_kept(arena: &Arena, policy: &Policy) {
    for _ in 0..2 {
        arena.run(policy, &bash("true"));
    }
}

/// A copy of a descriptor that stays open in programs that are executed.
fn inheritable(file: &std::fs::File) -> OwnedFd {
    // SAFETY: the call makes a descriptor that nobody else knows of.
    unsafe { OwnedFd::from_raw_fd(libc::dup(file.as_raw_fd())) }
}

/// What this process holds of the machine: descriptors, mounts, cgroups. Threads that have ended may take a moment.
type State = (usize, Vec<String>, Vec<std::path::PathBuf>);

/// Fails unless this process holds what it held. A few connections to an engine stay open between requests, not one for each launch.
#[track_caller]
fn check_state(arena: &Arena, before: State) {
    let now = state();
    let range = arena.expecting(before.0..=before.0, 0..=before.0 + 3);
    assert!(range.contains(&now.0), "{} descriptors, {} before", now.0, before.0);
    assert_eq!((now.1, now.2), (before.1, before.2));
}

/// The state once nothing changes any more: what belonged to a container goes just after its end was told.
fn state() -> State {
    let mut before = state_now();
    for _ in 0..100 {
        std::thread::sleep(std::time::Duration::from_millis(50));
        let now = state_now();
        if now == before {
            break;
        }
        before = now;
    }
    before
}

fn state_now() -> State {
    let descriptors = std::fs::read_dir("/proc/self/fd").unwrap().count();
    (descriptors, mount_lines(), cgroups_of(std::process::id()))
}
