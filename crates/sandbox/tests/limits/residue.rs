//! Nothing is left in the cgroups: neither by processes that have ended, nor, once another has started, by ones that were killed.

use std::path::{Path, PathBuf};
use std::process::Child as Process;
use std::time::{Duration, Instant};

use crate::world::{READY, block_on, embedded, limits, part, run, said, script, start};
use guild_sandbox::{Backend as _, Policy};

/// Runs one container and ends.
const RUN: &str = "run";
/// Runs several, one after the other, and ends.
const RUN_ON: &str = "run on";
/// Holds a container until it is killed.
const HOLD: &str = "hold";

#[test]
fn a_process_that_ends_leaves_no_cgroup() {
    if play() {
        return;
    }
    end(start("residue::a_process_that_ends_leaves_no_cgroup", RUN));
}

#[test]
fn a_process_that_has_launched_again_and_again_leaves_no_cgroup_either() {
    if play() {
        return;
    }
    end(start("residue::a_process_that_has_launched_again_and_again_leaves_no_cgroup_either", RUN_ON));
}

#[test]
fn what_a_killed_process_leaves_is_gone_when_the_next_one_ends() {
    const NAME: &str = "residue::what_a_killed_process_leaves_is_gone_when_the_next_one_ends";
    if play() {
        return;
    }
    let mut killed = start(NAME, HOLD);
    assert!(!cgroups_of(killed.id()).is_empty(), "it holds a container");
    killed.kill().unwrap();
    killed.wait().unwrap();
    end(start(NAME, RUN));
    assert_nothing_is_left_of(killed.id());
}

#[test]
fn many_processes_that_start_at_once_do_not_disturb_each_other() {
    const NAME: &str = "residue::many_processes_that_start_at_once_do_not_disturb_each_other";
    if play() {
        return;
    }
    // One is killed while the others come and go.
    let mut holds = start(NAME, HOLD);
    let starters: Vec<_> = (0..6).map(|_| std::thread::spawn(|| start(NAME, RUN))).collect();
    let others: Vec<Process> = starters.into_iter().map(|starter| starter.join().unwrap()).collect();
    holds.kill().unwrap();
    holds.wait().unwrap();
    let numbers: Vec<u32> = others.iter().map(Process::id).collect();
    for mut other in others {
        assert!(other.wait().unwrap().success());
    }
    end(start(NAME, RUN));
    numbers.into_iter().chain([holds.id()]).for_each(assert_nothing_is_left_of);
}

/// Plays the part for which this process was started, if it was.
fn play() -> bool {
    match part().as_deref() {
        Some(RUN) => {
            let outcome = run("echo it ran", limits()).unwrap();
            assert_eq!(said(&outcome), "it ran\n");
        }
        Some(RUN_ON) => {
            for _ in 0..5 {
                run("true", limits()).unwrap();
            }
        }
        Some(HOLD) => block_on(async {
            let policy = Policy { limits: limits(), ..Policy::default() };
            let child = embedded().launch(&policy, &script("sleep 1000")).await.unwrap();
            // On a line of its own: the test's name may stand before it.
            println!("\n{READY}");
            child.wait().await.unwrap();
        }),
        Some(other) => panic!("no such part: {other}"),
        None => return false,
    }
    true
}

fn end(mut process: Process) {
    assert!(process.wait().unwrap().success());
    assert_nothing_is_left_of(process.id());
}

/// systemd removes the scopes of those who have ended when it comes to it.
#[track_caller]
fn assert_nothing_is_left_of(process: u32) {
    let start = Instant::now();
    loop {
        let left = cgroups_of(process);
        if left.is_empty() {
            return;
        }
        assert!(start.elapsed() < Duration::from_secs(60), "left: {left:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Cgroups of whatever kind that the process of this number has made.
fn cgroups_of(process: u32) -> Vec<PathBuf> {
    let mut found = Vec::new();
    collect(Path::new("/sys/fs/cgroup"), &format!("guild-{process}-"), &mut found);
    found
}

fn collect(directory: &Path, prefix: &str, found: &mut Vec<PathBuf>) {
    // What disappears while it is looked at was not left.
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            if entry.file_name().to_string_lossy().starts_with(prefix) {
                found.push(entry.path());
            }
            collect(&entry.path(), prefix, found);
        }
    }
}
