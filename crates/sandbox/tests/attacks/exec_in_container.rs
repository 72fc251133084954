//! Attacks around commands that are run in a container which lives already, perhaps with somebody hostile in it.

use guild_sandbox::{Access, Command, ExitStatus, LaunchError, Mount, Stdin};

use crate::arena::{A_MINUTE, Witness, a_moment, bash, check, python};

attacks! {
    fn whoever_enters_cannot_be_seen_or_signalled(arena) {
        let container = arena.start(&arena.policy());
        // In an engine's container whoever entered waits for the command, and must not be looked into.
        let script = "
            parent, processes = os.getppid(), sorted(int(name) for name in os.listdir('/proc') if name.isdigit())
            print(parent != 0, processes == sorted({1, os.getpid(), parent or 1}))
            print(attempt(os.kill, 0, 0), os.getpgid(0) == os.getpid(), attempt(read, '/proc/1/environ'), attempt(os.listdir, '/proc/1/fd'))
            print(attempt(read, f'/proc/{parent or 1}/environ'), attempt(os.listdir, f'/proc/{parent or 1}/fd'))
            ";
        let rest = "True\nok True EACCES EACCES\nEACCES EACCES";
        let expected = format!("{} {rest}", arena.expecting("False", "True"));
        check(&arena.exec(&*container, &python(script), &[]), &expected);
        arena.wait(container.stop()).unwrap();
    }

    fn every_wall_stands_around_a_command_that_enters(arena) {
        let container = arena.start(&arena.policy());
        let script = "
            print([status(key).strip('0') for key in ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb']], status('NoNewPrivs'), status('Seccomp'))
            print(attempt(lambda: socket.socket()), call('unshare', 0x10000000), call('mount', 0, b'/usr', 0, 32 | 4096, 0), call('clone3', 0, 0))
            print(refused(os.mkdir, '/attack'), refused(os.mkdir, '/usr/attack'), refused(os.mkdir, '/tmp/fine'), refused(write, '/proc/sys/kernel/core_pattern'))
            print(os.getuid(), [group for group in os.getgroups() if group != os.getgid()], os.environ.get('PATH'), open('/proc/self/cgroup').read().count('..'))
            ";
        let walls = "['', '', '', '', ''] 1 2\nEPERM EPERM EPERM ENOSYS\nrefused refused ok refused";
        let expected = format!("{walls}\n{} [] None 0", arena.user(1000));
        check(&arena.exec(&*container, &python(script), &[]), &expected);
        arena.wait(container.stop()).unwrap();
    }

    fn mounts_of_one_command_are_invisible_to_others(arena) {
        let data = arena.directory("data");
        std::fs::write(data.join("secret"), "for one command alone").unwrap();
        let container = arena.start(&arena.policy());
        let mounts = [Mount::read_only(&data, "/data")];
        if arena.refuses_mounts_of_a_command(&*container, &mounts) {
            return;
        }
        let owner = bash("echo $$ > /tmp/pid; cat /data/secret; read").stdin(Stdin::Piped);
        let spy = bash("pid=$(cat /tmp/pid); cat /proc/$pid/root/data/secret /proc/$pid/cwd/data/secret; ls /data; ls -d /proc/$pid");
        arena.wait(async {
            let mut child = container.exec(&owner, &mounts, A_MINUTE).await.unwrap();
            let stdin = child.take_stdin().unwrap();
            let said = child.next().await.unwrap();
            assert_eq!(said.bytes, b"for one command alone");
            let outcome = container.exec(&spy, &[], A_MINUTE).await.unwrap().wait().await.unwrap();
            assert_eq!(outcome.stdout.text().lines().count(), 1, "{}", outcome.stdout.text());
            assert!(outcome.stdout.text().starts_with("/proc/"));
            assert_eq!(outcome.stderr.text().matches("Permission denied").count(), 2, "{}", outcome.stderr.text());
            drop(stdin);
            child.wait().await.unwrap();
        });
        arena.wait(container.stop()).unwrap();
    }

    fn the_timeout_of_one_command_kills_all_of_it_and_nothing_else(arena) {
        let witness = Witness::new(arena);
        let container = arena.start(&witness.policy(arena));
        let patient = bash("echo ready; read line; echo $line").stdin(Stdin::Piped);
        let script = format!("{} (setsid setsid sleep 1000 &) ; trap '' TERM; sleep 1000", Witness::BE_SEEN);
        let doomed = bash(&script);
        arena.wait(async {
            let mut bystander = container.exec(&patient, &[], A_MINUTE).await.unwrap();
            bystander.next().await.unwrap();
            let child = container.exec(&doomed, &[], a_moment()).await.unwrap();
            let outcome = child.wait().await.unwrap();
            assert!(outcome.timed_out);
            let stdin = bystander.take_stdin().unwrap();
            stdin.write(b"alive\n".to_vec()).await.unwrap();
            check(&bystander.wait().await.unwrap(), "ready\nalive");
        });
        witness.check_lived_and_died();
        arena.wait(container.stop()).unwrap();
    }

    fn a_fork_bomb_in_a_container_ends_with_its_command(arena) {
        let container = arena.start(&arena.policy());
        let bomb = bash("bomb() { bomb | bomb & }; bomb 2>/dev/null; while :; do bomb; done 2>/dev/null");
        let outcome = arena.wait(async { container.exec(&bomb, &[], a_moment()).await?.wait().await });
        assert!(outcome.unwrap().timed_out);
        check(&arena.exec(&*container, &others(), &[]), "");
        arena.wait(container.stop()).unwrap();
    }

    fn what_a_command_leaves_running_ends_with_it(arena) {
        let witness = Witness::new(arena);
        let container = arena.start(&witness.policy(arena));
        let script = format!("{} (setsid nohup sleep 1000 >/dev/null 2>&1 &); exit 3", Witness::BE_SEEN);
        assert_eq!(arena.exec(&*container, &bash(&script), &[]).status, ExitStatus::Code(3));
        witness.check_lived_and_died();
        check(&arena.exec(&*container, &others(), &[]), "");
        arena.wait(container.stop()).unwrap();
    }

    fn nobody_can_be_made_a_child_of_the_entering_process(arena) {
        let container = arena.start(&arena.policy());
        let script = "
            # CLONE_PARENT: the child of whoever made us, outside, who would have to reap it.
            print(call('clone', 0x8000 | signal.SIGCHLD, 0, 0, 0, 0))
            ";
        check(&arena.exec(&*container, &python(script), &[]), "EPERM");
        check(&arena.exec(&*container, &others(), &[]), "");
        arena.wait(container.stop()).unwrap();
    }

    fn a_flood_that_outlives_its_command_does_not_hold_up_the_end(arena) {
        let container = arena.start(&arena.policy());
        let script = "for each in 1 2 3 4; do setsid cat /dev/zero & done; exit 0";
        let outcome = arena.exec(&*container, &bash(script), &[]);
        assert_eq!((outcome.status, outcome.timed_out), (ExitStatus::Code(0), false));
        check(&arena.exec(&*container, &others(), &[]), "");
        arena.wait(container.stop()).unwrap();
    }

    fn killing_everybody_in_the_container_does_not_end_it(arena) {
        let container = arena.start(&arena.policy());
        let outcome = arena.exec(&*container, &bash("kill -9 -1; kill -9 1; kill -STOP 1; kill -9 $$"), &[]);
        assert_eq!(outcome.status, ExitStatus::Signal(libc::SIGKILL));
        check(&arena.exec(&*container, &bash("echo still here"), &[]), "still here");
        assert!(arena.wait(container.alive()));
        arena.wait(container.stop()).unwrap();
    }

    fn a_mount_of_a_command_is_not_made_through_a_link_that_somebody_inside_has_put_there(arena) {
        let (workspace, data) = (arena.directory("workspace"), arena.directory("data"));
        let container = arena.start(&arena.with_mount(&workspace, "/workspace", Access::ReadWrite));
        check(&arena.exec(&*container, &bash("ln -s /usr /workspace/link; ln -s /tmp /tmp/link; echo done"), &[]), "done");
        for target in ["/workspace/link/share", "/workspace/link", "/tmp/link/place", "/dev/shm/place"] {
            let mounts = [Mount::read_only(&data, target)];
            if arena.refuses_mounts_of_a_command(&*container, &mounts) {
                continue;
            }
            let outcome = arena.wait(container.exec(&bash("echo launched"), &mounts, A_MINUTE));
            assert!(matches!(outcome, Err(LaunchError::Step { .. } | LaunchError::InvalidPolicy { .. })), "{target}: {outcome:?}");
        }
        arena.wait(container.stop()).unwrap();
    }

    fn a_link_in_the_place_of_a_directory_does_not_widen_what_may_be_written(arena) {
        let workspace = arena.directory("workspace");
        let inner = arena.directory("inner");
        let mut policy = arena.with_mount(&workspace, "/workspace", Access::ReadWrite);
        policy.mounts.push(Mount { source: inner, target: "/workspace/above/place".into(), access: Access::ReadWrite });
        let container = arena.start(&policy);
        check(&arena.exec(&*container, &bash("mv /workspace/above /workspace/moved && mkdir /tmp/place && ln -s / /workspace/above && echo done"), &[]), "done");
        let command = bash("echo launched");
        let outcome = arena.wait(async { container.exec(&command, &[], A_MINUTE).await?.wait().await });
        assert!(matches!(outcome, Err(LaunchError::Step { .. } | LaunchError::Exec { .. })), "{outcome:?}");
        arena.wait(container.stop()).unwrap();
    }

    fn a_command_writes_only_where_its_own_mounts_let_it(arena) {
        let (given, shown) = (arena.directory("given"), arena.directory("shown"));
        let container = arena.start(&arena.policy());
        let mounts = [
            Mount { source: given.clone(), target: "/given".into(), access: Access::ReadWrite },
            Mount::read_only(&shown, "/shown"),
        ];
        if arena.refuses_mounts_of_a_command(&*container, &mounts) {
            return;
        }
        let script = "print(refused(os.mkdir, '/given/made'), refused(os.mkdir, '/shown/made'), refused(os.mkdir, '/made'))";
        check(&arena.exec(&*container, &python(script), &mounts), "ok refused refused");
        assert!(given.join("made").exists());
        check(&arena.exec(&*container, &python("print(os.listdir('/given'), refused(os.mkdir, '/given/again'))"), &[]), "[] refused");
        arena.wait(container.stop()).unwrap();
    }

    fn commands_share_the_containers_limits(arena) {
        let mut policy = arena.policy();
        policy.limits.pids = 20;
        policy.limits.memory = 64 << 20;
        let container = arena.start(&policy);
        let fork = "
            children = 0
            while attempt_fork():
                children += 1
            print(children < 20)
            ";
        let fork = fork.replace("attempt_fork()", "(lambda: attempt(lambda: os.fork() or signal.pause()) == 'ok')()");
        check(&arena.exec(&*container, &python(&fork), &[]), "True");
        let outcome = arena.exec(&*container, &python("bytearray(256 << 20)"), &[]);
        assert_eq!((outcome.exit_code(), outcome.oom), (137, true));
        let outcome = arena.exec(&*container, &bash("echo calm"), &[]);
        assert_eq!((&*outcome.stdout.text(), outcome.oom), ("calm\n", false));
        arena.wait(container.stop()).unwrap();
    }

    fn a_container_that_was_stopped_runs_nothing_more(arena) {
        let first = arena.start(&arena.policy());
        let second = arena.start(&arena.policy());
        arena.wait(first.stop()).unwrap();
        check(&arena.exec(&*second, &others(), &[]), "");
        arena.wait(second.stop()).unwrap();
    }
}

/// Tells who is in the container besides its first process, whoever has begun this one, and this one.
fn others() -> Command {
    python(
        "
        for number in [name for name in os.listdir('/proc') if name.isdigit() and int(name) not in [1, os.getppid(), os.getpid()]]:
            with open('/proc/' + number + '/stat') as file:
                print(file.read())
        ",
    )
}
