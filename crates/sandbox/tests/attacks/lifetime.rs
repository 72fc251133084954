//! Attacks on the end: launchers that are killed, children that are dropped, and what must not outlive them.
//!
//! Whoever is orphaned by a killed launcher becomes this process's child, so that all that is left can be waited for. That takes a
//! process of its own for each test, which nextest gives.

use std::process::Child;
use std::time::{Duration, Instant};

use guild_sandbox::{Embedded, ExitStatus, Gate, LaunchError, Surroundings};

use crate::arena::{A_MINUTE, Arena, Witness, a_moment, bash, cgroups_of, check, is_root, started_as};

attacks! {
    fn killing_the_launcher_leaves_no_process_and_no_cgroup(arena) {
        if let Some(directory) = std::env::var_os("GUILD_ATTACK_WITNESS") {
            let policy = arena.with_mount(directory.as_ref(), "/witness", guild_sandbox::Access::ReadWrite);
            arena.run(&policy, &bash(&format!("{} setsid sleep 1000 & wait", Witness::BE_SEEN)));
        } else {
            let mut witness = Witness::new(arena);
            let mut launcher = launcher(arena, &witness, "killing_the_launcher_leaves_no_process_and_no_cgroup");
            witness.wait_for_life();
            // An engine's containers have cgroups that are the engine's.
            assert_eq!(cgroups_of(launcher.id()).is_empty(), !arena.is_embedded());
            kill_and_wait_for_orphans(&mut launcher);
            check_nobody_in(arena, &mut witness);
            check_no_cgroup(&launcher);
        }
    }

    fn killing_the_launcher_ends_its_containers_too(arena) {
        if let Some(directory) = std::env::var_os("GUILD_ATTACK_WITNESS") {
            let policy = arena.with_mount(directory.as_ref(), "/witness", guild_sandbox::Access::ReadWrite);
            let container = arena.start(&policy);
            arena.exec(&*container, &bash(&format!("{} setsid sleep 1000 & wait", Witness::BE_SEEN)), &[]);
        } else {
            let mut witness = Witness::new(arena);
            let mut launcher = launcher(arena, &witness, "killing_the_launcher_ends_its_containers_too");
            witness.wait_for_life();
            kill_and_wait_for_orphans(&mut launcher);
            check_nobody_in(arena, &mut witness);
            check_no_cgroup(&launcher);
        }
    }

    fn killing_the_launcher_at_any_moment_leaves_nothing(arena) {
        if let Some(directory) = std::env::var_os("GUILD_ATTACK_WITNESS") {
            let policy = arena.with_mount(directory.as_ref(), "/witness", guild_sandbox::Access::ReadWrite);
            let seen = format!("{} setsid sleep 0.01 &", Witness::BE_SEEN);
            loop {
                let container = arena.start(&policy);
                arena.exec(&*container, &bash(&seen), &[]);
                arena.run(&policy, &bash(&seen));
            }
        }
        let mut witness = Witness::new(arena);
        let mut dice = guild_testkit::Dice::new(7);
        for _ in 0..arena.rounds(guild_testkit::rounds()) {
            let mut launcher = launcher(arena, &witness, "killing_the_launcher_at_any_moment_leaves_nothing");
            witness.wait_for_life();
            std::thread::sleep(Duration::from_micros(dice.below(40_000) as u64));
            kill_and_wait_for_orphans(&mut launcher);
            check_nobody_in(arena, &mut witness);
            check_no_cgroup(&launcher);
        }
    }

    fn dropping_the_child_kills_everything(arena) {
        let mut witness = Witness::new(arena);
        let policy = witness.policy(arena);
        let script = format!("{} setsid sleep 1000 & wait", Witness::BE_SEEN);
        arena.wait(async {
            let child = arena.backend().launch(&policy, &bash(&script)).await.unwrap();
            witness.wait_for_life();
            drop(child);
        });
        wait_for_nobody(&mut witness);
    }

    fn nothing_runs_before_its_gate_is_open(arena) {
        let mut witness = Witness::new(arena);
        let policy = witness.policy(arena);
        let command = bash(&format!("{} echo through", Witness::BE_SEEN));
        let (key, gate) = Gate::shut();
        let outcome = arena.wait(async {
            let launching = arena.backend().launch_behind(gate, &policy, &command);
            let opening = async {
                tokio::time::sleep(a_moment()).await;
                assert!(witness.sees_nobody(), "it ran behind a shut gate");
                key.open();
            };
            let (child, ()) = tokio::join!(launching, opening);
            child.unwrap().wait().await.unwrap()
        });
        check(&outcome, "through");
        witness.check_lived_and_died();
    }

    fn a_gate_that_stays_shut_lets_nothing_run_and_leaves_nothing(arena) {
        let mut witness = Witness::new(arena);
        let policy = witness.policy(arena);
        let command = bash(&format!("{} sleep 1000", Witness::BE_SEEN));
        let (key, gate) = Gate::shut();
        let refused = arena.wait(async {
            let launching = arena.backend().launch_behind(gate, &policy, &command);
            let waiting = async {
                tokio::time::sleep(a_moment()).await;
                drop(key);
            };
            tokio::join!(launching, waiting).0
        });
        assert!(matches!(refused, Err(LaunchError::Ended)), "{refused:?}");
        check_nobody(&mut witness);
        assert_eq!(cgroups_of(std::process::id()), Vec::<std::path::PathBuf>::new());
    }

    fn killing_from_elsewhere_ends_the_wait(arena) {
        let mut witness = Witness::new(arena);
        let policy = witness.policy(arena);
        let script = format!("{} setsid sleep 1000 & trap '' TERM; wait", Witness::BE_SEEN);
        let outcome = arena.wait(async {
            let child = arena.backend().launch(&policy, &bash(&script)).await.unwrap();
            let killer = child.killer();
            witness.wait_for_life();
            killer.kill();
            let outcome = child.wait().await.unwrap();
            killer.kill();
            outcome
        });
        assert_eq!((outcome.status, outcome.timed_out), (ExitStatus::Signal(libc::SIGKILL), false));
        check_nobody(&mut witness);
    }

    fn a_launcher_that_ignores_its_children_still_learns_how_the_command_ended(arena) {
        // SAFETY: ignoring a signal runs no handler.
        unsafe { libc::signal(libc::SIGCHLD, libc::SIG_IGN) };
        assert_eq!(arena.run(&arena.policy(), &bash("exit 7")).status, ExitStatus::Code(7));
        let container = arena.start(&arena.policy());
        assert_eq!(arena.exec(&*container, &bash("exit 8"), &[]).status, ExitStatus::Code(8));
        arena.wait(container.stop()).unwrap();
    }

    fn a_time_limit_beyond_all_clocks_is_no_panic(arena) {
        let mut policy = arena.policy();
        policy.limits.timeout = Duration::MAX;
        check(&arena.run(&policy, &bash("echo done")), "done");
        let container = arena.start(&policy);
        check(&arena.exec(&*container, &bash("echo done"), &[]), "done");
        arena.wait(container.stop()).unwrap();
    }

    fn a_container_ends_when_its_time_is_up(arena) {
        let mut witness = Witness::new(arena);
        let mut policy = witness.policy(arena);
        policy.limits.timeout = a_moment();
        let container = arena.start(&policy);
        let script = format!("{} setsid sleep 1000 & wait", Witness::BE_SEEN);
        let outcome = arena.exec(&*container, &bash(&script), &[]);
        assert_eq!(outcome.status, ExitStatus::Signal(libc::SIGKILL));
        check_nobody_in(arena, &mut witness);
        let late = arena.wait(async { container.exec(&bash("echo late"), &[], A_MINUTE).await?.wait().await });
        assert!(late.is_err(), "{late:?}");
        while arena.wait(container.alive()) {
            std::thread::sleep(Duration::from_millis(1));
        }
        let later = arena.wait(container.exec(&bash("echo later"), &[], A_MINUTE));
        assert!(matches!(later, Err(LaunchError::Ended)), "{later:?}");
    }

    fn stopping_a_container_kills_everything_in_it(arena) {
        let mut witness = Witness::new(arena);
        let policy = witness.policy(arena);
        let container = arena.start(&policy);
        let script = format!("{} setsid sleep 1000 & trap '' TERM; wait", Witness::BE_SEEN);
        let command = bash(&script);
        let outcome = arena.wait(async {
            let child = container.exec(&command, &[], A_MINUTE).await.unwrap();
            witness.wait_for_life();
            container.stop().await.unwrap();
            child.wait().await.unwrap()
        });
        assert_eq!(outcome.status, ExitStatus::Signal(libc::SIGKILL));
        check_nobody(&mut witness);
    }

    fn two_runtimes_in_one_process_do_not_end_each_others_containers(arena) {
        let container = arena.start(&arena.policy());
        let other = Embedded::new(&Surroundings::default());
        let outcome = arena.wait(async {
            let policy = arena.policy();
            let child = guild_sandbox::Backend::launch(&other, &policy, &bash("echo other")).await.unwrap();
            child.wait().await.unwrap()
        });
        check(&outcome, "other");
        check(&arena.exec(&*container, &bash("echo still here"), &[]), "still here");
        arena.wait(container.stop()).unwrap();
    }
}

/// This test, started again as a launcher for a witness to watch.
fn launcher(arena: &Arena, witness: &Witness, test: &str) -> Child {
    rustix::process::set_child_subreaper(Some(rustix::process::getpid())).unwrap();
    let who = if is_root() { "as_root" } else { "as_user" };
    started_as("launcher", &format!("lifetime::{who}::{test}"))
        .env("GUILD_ATTACK_WITNESS", witness.directory())
        .env("TMPDIR", arena.directory_of(""))
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap()
}

/// Kills the launcher and waits for everything that it has left to end by itself.
fn kill_and_wait_for_orphans(launcher: &mut Child) {
    launcher.kill().unwrap();
    launcher.wait().unwrap();
    let begun = Instant::now();
    loop {
        match rustix::process::wait(rustix::process::WaitOptions::NOHANG) {
            Err(rustix::io::Errno::CHILD) => return,
            Ok(None) => std::thread::sleep(Duration::from_millis(1)),
            _ => {}
        }
        assert!(begun.elapsed() < A_MINUTE, "something of the killed launcher lives on");
    }
}

/// Fails if a process still holds the witness's pipe.
#[track_caller]
fn check_nobody(witness: &mut Witness) {
    assert!(witness.sees_nobody(), "a process of the container still lives");
}

/// Fails if a process outlives its launcher or its container, or, where that is an engine's to end, does so for long.
#[track_caller]
fn check_nobody_in(arena: &Arena, witness: &mut Witness) {
    if arena.is_embedded() {
        check_nobody(witness);
    } else {
        wait_for_nobody(witness);
    }
}

/// Fails if the next start leaves a cgroup of the launcher's. Scopes are removed by systemd, which takes a moment.
#[track_caller]
fn check_no_cgroup(launcher: &Child) {
    drop(Embedded::new(&Surroundings::default()));
    let begun = Instant::now();
    loop {
        let left = cgroups_of(launcher.id());
        let is_scope = |path: &std::path::PathBuf| path.to_string_lossy().contains(".scope");
        if left.is_empty() {
            return;
        }
        assert!(left.iter().all(is_scope) && begun.elapsed() < A_MINUTE, "{left:?}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Waits for the last process to let the witness's pipe go.
fn wait_for_nobody(witness: &mut Witness) {
    let begun = Instant::now();
    while !witness.sees_nobody() {
        assert!(begun.elapsed() < A_MINUTE, "a process of the container still lives");
        std::thread::sleep(Duration::from_millis(1));
    }
}
