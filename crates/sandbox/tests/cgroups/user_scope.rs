//! In a login session the user's systemd gives a scope, once a process, and only to those that launch containers.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::Command as Program;

use guild_sandbox::{Backend as _, Embedded, Policy, Surroundings};

use crate::world::{PART, block_on, embedded, limits, part, run, said, script, start};
use crate::{own_cgroup, wait_until_given_back};

/// The user's systemd gives from here.
const APPS: &str = "/sys/fs/cgroup/user.slice/user-1000.slice/user@1000.service/app.slice";

#[test]
fn a_process_gets_one_scope_for_all_its_containers() {
    assert!(!own_cgroup().starts_with(APPS));
    assert_eq!(said(&run("echo it ran", limits()).unwrap()), "it ran\n");
    let first = own_cgroup();
    let number = std::process::id();
    let scope = format!("{APPS}/guild-{number}-");
    assert!(first.starts_with(&scope) && first.contains(".scope/guild-"), "{first}");
    assert_eq!(said(&run("echo it ran", limits()).unwrap()), "it ran\n");
    assert_eq!(own_cgroup(), first);
    let version = block_on(embedded().probe()).version.unwrap();
    assert!(version.starts_with("cgroup v2, systemd user scope, "), "{version}");
}

#[test]
fn launches_at_once_share_one_scope() {
    let policy = Policy { limits: limits(), ..Policy::default() };
    block_on(async {
        let (one, other) = (embedded(), embedded());
        let command = script("cat /proc/self/cgroup; echo it ran");
        let (one, other) = tokio::join!(one.launch(&policy, &command), other.launch(&policy, &command));
        for child in [one, other] {
            let outcome = child.unwrap().wait().await.unwrap();
            assert!(said(&outcome).ends_with("it ran\n"));
        }
    });
    let mine = format!("guild-{}-", std::process::id());
    let scopes = fs::read_dir(APPS).unwrap().flatten();
    let count = scopes.filter(|entry| entry.file_name().to_string_lossy().starts_with(&mine)).count();
    assert_eq!(count, 1);
}

#[test]
fn whoever_is_started_from_within_a_scope_shares_it() {
    const NAME: &str = "user_scope::whoever_is_started_from_within_a_scope_shares_it";
    assert_eq!(said(&run("echo it ran", limits()).unwrap()), "it ran\n");
    if let Some(expected) = part() {
        assert_eq!(own_cgroup(), expected);
        return;
    }
    assert!(start(NAME, &own_cgroup()).wait().unwrap().success());
}

#[test]
fn systemds_own_socket_serves_where_there_is_no_bus() {
    let directory = tempfile::tempdir().unwrap();
    fs::create_dir(directory.path().join("systemd")).unwrap();
    symlink("/run/user/1000/systemd/private", directory.path().join("systemd/private")).unwrap();
    let embedded = Embedded::new(&Surroundings {
        runtime_dir: Some(directory.path().to_owned()),
        ..Surroundings::default()
    });
    let policy = Policy { limits: limits(), ..Policy::default() };
    let outcome = block_on(async { embedded.launch(&policy, &script("echo it ran")).await?.wait().await });
    assert_eq!(said(&outcome.unwrap()), "it ran\n");
    assert!(own_cgroup().starts_with(APPS));
}

#[test]
fn the_usual_place_serves_whatever_the_environment_says() {
    for runtime_dir in [None, Some(PathBuf::from("/nonexistent"))] {
        let embedded = Embedded::new(&Surroundings { runtime_dir, ..Surroundings::default() });
        let version = block_on(embedded.probe()).version.unwrap();
        assert!(version.starts_with("cgroup v2, systemd user scope, "), "{version}");
    }
}

#[test]
fn a_unit_that_is_delegated_already_is_used_as_it_is() {
    let own = own_cgroup();
    if part().is_none() {
        return start_in_unit(
            "user_scope::a_unit_that_is_delegated_already_is_used_as_it_is",
            "Delegate=yes",
        );
    }
    let version = block_on(embedded().probe()).version.unwrap();
    assert!(version.starts_with("cgroup v2, own delegation, "), "{version}");
    assert_eq!(said(&run("echo it ran", limits()).unwrap()), "it ran\n");
    wait_until_given_back(&own);
}

#[test]
fn a_unit_that_is_not_delegated_is_left_although_it_could_be_written_to() {
    const NAME: &str = "user_scope::a_unit_that_is_not_delegated_is_left_although_it_could_be_written_to";
    if part().is_none() {
        return start_in_unit(NAME, "Delegate=no");
    }
    assert!(own_cgroup().starts_with(APPS), "a unit of the user's own");
    assert_eq!(said(&run("echo it ran", limits()).unwrap()), "it ran\n");
    assert!(own_cgroup().starts_with(&format!("{APPS}/guild-{}-", std::process::id())), "{}", own_cgroup());
}

/// Starts a part of the test called `test` in a unit of the user's systemd with this property.
fn start_in_unit(test: &str, property: &str) {
    let unit = format!("--unit=test-{}", std::process::id());
    let status = Program::new("systemd-run")
        .args(["--user", "--scope", "--quiet", &unit, "--property", property])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env(PART, "run")
        .status()
        .unwrap();
    assert!(status.success());
}
