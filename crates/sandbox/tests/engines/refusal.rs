//! What engines are not asked to do, and how that is said.

use std::net::{Shutdown, TcpListener};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};

use expect_test::expect;
use guild_sandbox::{Backend, Enforcement, Engine, LaunchError, Mount, Policy, Probe, Root, Surroundings};
use guild_testkit::Podman;

use crate::world::{Kind, World, block_on, policy, shell, with_both};

with_both! {
    fn the_probe_says_what_it_is_and_what_it_lacks(world) {
        let probe = block_on(world.engine.probe());
        let version = probe.version.clone().unwrap();
        let title = if world.kind == Kind::Docker { "Docker " } else { "Podman " };
        assert!(version.starts_with(title) && version.contains(", API 1."), "{version}");
        let lacks: Vec<&str> = probe.lacks.iter().map(|(feature, _)| feature.name()).collect();
        assert_eq!((probe.unusable, lacks), (None, Vec::new()));
    }

    fn a_root_without_a_digest_is_refused(world) {
        let refused = |digest: &str| {
            let Root::Directory { path, .. } = policy().root else { panic!("a directory") };
            let root = Root::Directory { path, digest: digest.to_owned() };
            world.try_run(&Policy { root, ..policy() }, &shell("true")).unwrap_err().to_string()
        };
        let upper = format!("sha256:{}", "A".repeat(64));
        let shown: Vec<String> = ["", "sha256:", "sha256:../../x", &upper].map(refused).to_vec();
        expect![[r#"
            the policy cannot be applied: `` is no digest of a root file system
            the policy cannot be applied: `sha256:` is no digest of a root file system
            the policy cannot be applied: `sha256:../../x` is no digest of a root file system
            the policy cannot be applied: `sha256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA` is no digest of a root file system"#]].assert_eq(&shown.join("\n"));
    }
}

#[test]
fn rootless_podman_on_cgroup_v1_refuses_limits_that_it_would_ignore() {
    let podman = Podman::rootless();
    let around = Surroundings { container_host: Some(podman.host()), ..Surroundings::default() };
    let engine = Engine::podman(&around);
    let probe = block_on(engine.probe());
    expect![[r#"
        Some("Podman 4.3.1, API 1.41, cgroup v1, rootless")
        cpus: Podman without root ignores limits on cgroup v1
            run Podman as root, or boot with cgroup v2 (systemd.unified_cgroup_hierarchy=1)
        memory: Podman without root ignores limits on cgroup v1
            run Podman as root, or boot with cgroup v2 (systemd.unified_cgroup_hierarchy=1)
        pids: Podman without root ignores limits on cgroup v1
            run Podman as root, or boot with cgroup v2 (systemd.unified_cgroup_hierarchy=1)
    "#]]
    .assert_eq(&shown(&probe));
    let error = block_on(engine.launch(&policy(), &shell("true"))).unwrap_err();
    expect!["podman cannot enforce the limit on cpus: Podman without root ignores limits on cgroup v1"]
        .assert_eq(&error.to_string());
}

#[test]
fn docker_that_answers_where_podman_is_looked_for_is_told_apart() {
    let world = World::new(Kind::Docker);
    let around = Surroundings { container_host: Some(world.host()), ..Surroundings::default() };
    let engine = Engine::podman(&around);
    let outcome =
        block_on(async { engine.launch(&policy(), &shell("echo hi")).await.unwrap().wait().await }).unwrap();
    assert_eq!((&*outcome.stdout.text(), &*outcome.backend), ("hi\n", "podman"));
    assert!(block_on(engine.probe()).version.unwrap().starts_with("Docker "));
}

#[test]
fn a_socket_that_may_not_be_used_is_said_with_the_remedy() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("docker.sock");
    let listener = UnixListener::bind(&path).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o000)).unwrap();
    let probe = without_privileges(|| block_on(docker(&path.display().to_string()).probe()));
    drop(listener);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o666)).unwrap();
    let refused = docker(&path.display().to_string());
    let text = [shown(&probe), shown(&block_on(refused.probe()))].concat();
    expect![[r#"
        None
        unusable: permission denied on [DIR]/docker.sock
            add yourself to the group docker (`usermod -aG docker $USER`, then log in again), or use podman
        None
        unusable: nobody listens on [DIR]/docker.sock
            start it with `systemctl start docker`
    "#]]
    .assert_eq(&text.replace(&*directory.path().to_string_lossy(), "[DIR]"));
}

#[test]
fn something_else_that_answers_is_no_engine() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("docker.sock");
    let listener = UnixListener::bind(&path).unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            use std::io::Write;
            let _ = (&stream).write_all(b"220 mail ready\r\n");
        }
    });
    let probe = block_on(docker(&path.display().to_string()).probe());
    let cause = probe.unusable.unwrap().cause.replace(&*directory.path().to_string_lossy(), "[DIR]");
    assert!(cause.starts_with("[DIR]/docker.sock does not answer as Docker does: "), "{cause}");
}

#[test]
fn an_engine_behind_a_network_runs_images_and_has_nothing_of_this_machine() {
    let world = World::new(Kind::Docker);
    let docker_host = Some(format!("tcp://{}", forwarded(&world.host())));
    let engine = Engine::docker(&Surroundings { docker_host, ..Surroundings::default() });
    let probe = block_on(engine.probe());
    assert!(probe.version.unwrap().ends_with(", another machine"));
    let lacks: Vec<&str> = probe.lacks.iter().map(|(feature, _)| feature.name()).collect();
    assert_eq!((probe.unusable, lacks), (None, vec!["host-root", "copy-on-write", "mounts"]));
    let run = async |policy: &Policy| engine.launch(policy, &shell("echo hi")).await?.wait().await;
    assert_eq!(&*block_on(run(&policy())).unwrap().stdout.text(), "hi\n");
    // What goes for limits does not go for these.
    let mut mounting = policy();
    mounting.limits.enforcement = Enforcement::BestEffort;
    let host_root = Policy { root: Root::Host, ..mounting.clone() };
    mounting.mounts.push(Mount::read_only("/usr", "/shown"));
    for (policy, feature) in [(mounting, "mounts"), (host_root, "host-root")] {
        let error = block_on(run(&policy)).unwrap_err();
        let LaunchError::Unsupported { feature: lacked, .. } = error else { panic!("{error}") };
        assert_eq!(lacked.name(), feature);
    }
}

#[test]
fn a_socket_that_leads_to_another_machine_is_told_by_what_that_one_says() {
    let world = World::new(Kind::Docker);
    // SAFETY: only this thread, and those that it starts, see another name of this machine.
    unsafe { rustix::thread::unshare_unsafe(rustix::thread::UnshareFlags::NEWUTS) }.unwrap();
    rustix::system::sethostname(b"elsewhere").unwrap();
    let probe = block_on(world.engine.probe());
    assert!(probe.version.unwrap().ends_with(", another machine"));
    let mut policy = policy();
    policy.mounts.push(Mount::read_only("/usr", "/shown"));
    let error = world.try_run(&policy, &shell("true")).unwrap_err();
    assert!(matches!(error, LaunchError::Unsupported { .. }), "{error}");
}

/// An address of this machine behind which an engine's socket is.
fn forwarded(host: &str) -> String {
    let socket = host.strip_prefix("unix://").unwrap().to_owned();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let engine = UnixStream::connect(&socket).unwrap();
            let (mut from, mut to) = (client.try_clone().unwrap(), engine.try_clone().unwrap());
            std::thread::spawn(move || {
                let _ = std::io::copy(&mut from, &mut to);
                let _ = to.shutdown(Shutdown::Write);
            });
            std::thread::spawn(move || {
                let (mut from, mut to) = (engine, client);
                let _ = std::io::copy(&mut from, &mut to);
                let _ = to.shutdown(Shutdown::Write);
            });
        }
    });
    address
}

fn docker(socket: &str) -> Engine {
    let docker_host = Some(format!("unix://{socket}"));
    Engine::docker(&Surroundings { docker_host, ..Surroundings::default() })
}

fn shown(probe: &Probe) -> String {
    let mut text = format!("{:?}\n", probe.version);
    if let Some(finding) = &probe.unusable {
        text.push_str(&format!("unusable: {}\n    {}\n", finding.cause, finding.fix));
    }
    for (feature, finding) in &probe.lacks {
        text.push_str(&format!("{}: {}\n    {}\n", feature.name(), finding.cause, finding.fix));
    }
    text
}

/// Runs in a thread that has given up root's power over files.
fn without_privileges<T: Send>(run: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            let none = rustix::thread::CapabilitySet::empty();
            let sets = rustix::thread::CapabilitySets { effective: none, permitted: none, inheritable: none };
            rustix::thread::set_capabilities(None, sets).unwrap();
            run()
        });
        thread.join().unwrap()
    })
}
