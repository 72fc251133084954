//! What a container asks for beyond its limits it does not get.

use std::time::Duration;

use guild_sandbox::{Backend as _, ExitStatus, Limits, Policy};

use crate::world::{block_on, embedded, limits, run, said, script};

/// Takes this much memory, and a little more: what is read at once is held at once.
fn hold(mebibytes: u32) -> String {
    format!("dd if=/dev/zero of=/dev/null bs={mebibytes}M count=1 2>/dev/null && echo held")
}

#[test]
fn memory_beyond_the_limit_is_not_given() {
    let outcome = run(&hold(64), Limits { memory: 32 << 20, ..limits() }).unwrap();
    assert_eq!((outcome.oom, said(&outcome).contains("held")), (true, false));
    let peak = outcome.usage.peak_memory.unwrap();
    assert!(peak <= 32 << 20, "{peak}");
}

#[test]
fn memory_within_the_limit_is_given() {
    let outcome = run(&hold(64), limits()).unwrap();
    assert_eq!((outcome.oom, said(&outcome).trim()), (false, "held"));
    assert!(outcome.usage.peak_memory.unwrap() > 64 << 20);
}

#[test]
fn files_in_memory_count_as_memory() {
    let outcome =
        run("head -c 50000000 /dev/zero >/tmp/file", Limits { memory: 32 << 20, ..limits() }).unwrap();
    assert!(outcome.oom, "{}", said(&outcome));
}

#[test]
fn no_more_processes_are_started_than_allowed() {
    let text = "for at in 1 2 3 4 5 6 7 8 9 10 11 12; do sleep 1000 & echo started; done";
    let outcome = run(text, Limits { pids: 8, ..limits() }).unwrap();
    // The shell is one of them.
    assert_eq!(said(&outcome).matches("started").count(), 7, "{}", said(&outcome));
    assert_ne!(outcome.status, ExitStatus::Code(0));

    let outcome = run(text, Limits { pids: 13, ..limits() }).unwrap();
    assert_eq!(said(&outcome).matches("started").count(), 12, "{}", said(&outcome));
}

#[test]
fn processors_are_not_used_beyond_the_limit() {
    let busy = "while :; do :; done & while :; do :; done";
    let outcome = run(busy, Limits { cpus: 0.2, timeout: Duration::from_secs(3), ..limits() }).unwrap();
    assert!(outcome.timed_out);
    let (used, passed) = (outcome.usage.cpu.unwrap(), outcome.usage.wall);
    assert!(used < passed / 2, "{used:?} of {passed:?}");
}

#[test]
fn all_commands_of_a_container_share_its_limits() {
    let policy = Policy { limits: Limits { memory: 32 << 20, pids: 8, ..limits() }, ..Policy::default() };
    block_on(async {
        let container = embedded().start(&policy).await.unwrap();
        let exec = async |text: &str| {
            let child = container.exec(&script(text), &[], limits().timeout).await.unwrap();
            child.wait().await.unwrap()
        };
        assert!(exec(&hold(64)).await.oom);
        let outcome = exec("for at in 1 2 3 4 5 6 7 8 9; do sleep 1000 & echo started; done").await;
        // One is the shell, and one waits for it where the container does not see it.
        assert_eq!(said(&outcome).matches("started").count(), 6, "{}", said(&outcome));
        // What was started is gone with its command, and there is room again.
        let outcome = exec("sleep 0 & wait && echo done").await;
        assert_eq!((outcome.oom, said(&outcome).trim()), (false, "done"));
        container.stop().await.unwrap();
    });
}
