//! In a cgroup of its own a process stands aside for its containers, and moves nobody else; in a session systemd gives another.

use std::fs;
use std::path::Path;
use std::process::{Command as Program, Stdio};

use guild_sandbox::{Backend as _, Policy};

use crate::world::{block_on, embedded, limits, part, run, said, script, start};
use crate::{own_cgroup, subdirectories, wait_until_given_back};

/// Whether this process's own cgroup is delegated to it; else it is in a session.
fn is_delegated() -> bool {
    match std::env::var("GUILD_VM").as_deref() {
        Ok("delegated") => true,
        Ok("session") => false,
        other => panic!("this is no machine of `cargo xtask vm-test`: {other:?}"),
    }
}

#[test]
fn the_probe_names_the_way_and_takes_nothing() {
    let before = own_cgroup();
    let version = block_on(embedded().probe()).version.unwrap();
    let way = if is_delegated() { "cgroup v2, own delegation" } else { "cgroup v2, systemd user scope" };
    assert_eq!(version.rsplit_once(", ").unwrap().0, way);
    assert_eq!(own_cgroup(), before);
    assert!(!is_delegated() || subdirectories(&before).is_empty());
}

#[test]
fn the_own_cgroup_is_taken_for_the_first_container_and_given_back_after_the_last() {
    let own = own_cgroup();
    block_on(async {
        let (embedded, policy) = (embedded(), Policy { limits: limits(), ..Policy::default() });
        let child = embedded.launch(&policy, &script("sleep 1000")).await.unwrap();
        let (above, aside) =
            own_cgroup().rsplit_once('/').map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
        assert!(aside.starts_with("guild-") && aside.ends_with("-self"), "{aside}");
        assert_eq!(above == own, is_delegated());
        assert_eq!(subdirectories(&above).len(), 2, "the container's and ours");
        drop(embedded);
        assert_eq!(subdirectories(&above).len(), 2, "the container still runs");
        child.killer().kill();
        child.wait().await.unwrap();
    });
    if is_delegated() {
        wait_until_given_back(&own);
        assert_eq!(fs::read_to_string(Path::new(&own).join("cgroup.subtree_control")).unwrap().trim(), "");
    }
    // And once more, from the start.
    assert_eq!(said(&run("echo it ran", limits()).unwrap()), "it ran\n");
}

#[test]
fn processes_of_others_are_not_moved() {
    const REFUSAL: &str = "holds other processes, and so cannot limit containers, and there is no systemd";
    match (part().as_deref(), run_as_part()) {
        (Some("is refused"), Some(Err(refusal))) => return assert!(refusal.contains(REFUSAL), "{refusal}"),
        (Some("runs"), Some(Ok(said))) => return assert_eq!(said, "it ran\n"),
        (None, None) => {}
        (part, ran) => panic!("it {part:?}, but {ran:?}"),
    }
    let own = own_cgroup();
    // To a process that we start later this one is a stranger.
    let mut stranger = Program::new("sleep").arg("1000").stdin(Stdio::null()).spawn().unwrap();
    let expected = if is_delegated() { "is refused" } else { "runs" };
    let mut other = start("delegated::processes_of_others_are_not_moved", expected);
    assert!(other.wait().unwrap().success());
    let stays = fs::read_to_string(format!("/proc/{}/cgroup", stranger.id())).unwrap();
    assert_eq!(stays.trim(), format!("0::{}", own.strip_prefix("/sys/fs/cgroup").unwrap()));
    assert_eq!(own_cgroup(), own);
    stranger.kill().unwrap();
    stranger.wait().unwrap();
}

/// In a process that was started to play a part: what came of a container.
fn run_as_part() -> Option<Result<String, String>> {
    part()?;
    Some(run("echo it ran", limits()).map(|outcome| said(&outcome)).map_err(|refusal| refusal.explanation()))
}
