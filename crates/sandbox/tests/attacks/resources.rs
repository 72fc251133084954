//! Attacks on memory, disk and processors.

use std::time::Duration;

use guild_sandbox::{ExitStatus, Policy, Scratch, Stdin};

use crate::arena::{Arena, bash, check, python};

attacks! {
    fn memory_bomb_is_killed_and_said_to_be_one(arena) {
        let outcome = arena.run(&small(arena), &python("bytearray(256 << 20)\nprint('got it')"));
        assert_eq!((outcome.exit_code(), outcome.oom, &*outcome.stdout.text()), (137, true, ""));
        assert!(outcome.usage.peak_memory.unwrap() <= 64 << 20);
    }

    fn memory_bomb_of_many_processes_is_held_together(arena) {
        let script = "
            for each in range(20):
                if os.fork() == 0:
                    held = bytearray(16 << 20)
                    signal.pause()
            killed = os.wait()[1]
            print(killed)
            ";
        let outcome = arena.run(&small(arena), &python(script));
        assert!(outcome.oom);
        assert!(outcome.usage.peak_memory.unwrap() <= 64 << 20);
    }

    fn out_of_memory_cannot_hide_behind_a_pipelines_exit(arena) {
        let outcome = arena.run(
            &small(arena),
            &bash("/usr/bin/python3 -c 'bytearray(256 << 20)' | cat; exit 0"),
        );
        assert_eq!((outcome.status, outcome.oom, outcome.success()), (ExitStatus::Code(0), true, false));
    }

    fn files_in_memory_count_as_memory(arena) {
        let outcome = arena.run(&small(arena), &bash("head -c 200M /dev/zero > /tmp/large && echo fits"));
        assert_eq!((outcome.oom, &*outcome.stdout.text()), (true, ""));
    }

    fn unnamed_and_shared_memory_count_as_memory(arena) {
        for allocate in [
            "memory = os.memfd_create('large')\nfor each in range(200): os.write(memory, bytes(1 << 20))",
            "import mmap\nmemory = mmap.mmap(-1, 200 << 20)\nfor each in range(200): memory.write(b'x' * (1 << 20))",
        ] {
            let outcome = arena.run(&small(arena), &python(&format!("{allocate}\nprint('fits')")));
            assert_eq!((outcome.oom, &*outcome.stdout.text()), (true, ""), "{allocate}");
        }
    }

    fn an_ordinary_program_is_not_said_to_run_out_of_memory(arena) {
        let outcome = arena.run(&small(arena), &python("bytearray(8 << 20)\nos.kill(os.getpid(), 9)"));
        assert_eq!((outcome.exit_code(), outcome.oom), (137, false));
    }

    fn what_one_container_used_and_might_use_is_nothing_to_the_next(arena) {
        let much = python("held = bytearray(100 << 20)\nprint('fits')");
        for _ in 0..2 {
            let outcome = arena.run(&arena.policy(), &much);
            check(&outcome, "fits");
            let outcome = arena.run(&small(arena), &much);
            assert_eq!((outcome.oom, &*outcome.stdout.text()), (true, ""));
            let outcome = arena.run(&arena.policy(), &bash("true"));
            assert!(!outcome.oom && outcome.usage.peak_memory.unwrap() < 64 << 20, "{:?}", outcome.usage);
        }
    }

    fn filling_tmp_ends_at_its_size(arena) {
        check(&arena.run(&sized(arena, 8 << 20), &fill("/tmp")), "ENOSPC 8");
    }

    fn filling_output_ends_at_its_size(arena) {
        check(&arena.run(&sized(arena, 8 << 20), &fill("/output")), "ENOSPC 8");
    }

    fn names_of_files_are_bounded_too(arena) {
        let script = "
            names = 0
            while True:
                answer = attempt(os.close, os.open('/tmp/first', os.O_CREAT)) if names == 0 else attempt(os.link, '/tmp/first', '/tmp/%d' % names)
                if answer != 'ok':
                    break
                names += 1
            print(answer, names <= 65536)
            ";
        check_files_end(arena, script, "ENOSPC True");
    }

    fn empty_files_are_bounded_too(arena) {
        let script = "
            files = 0
            answer = 'ok'
            while answer == 'ok':
                answer = attempt(os.mknod, '/tmp/%d' % files)
                files += 1
            print(answer, files <= 65537)
            ";
        check_files_end(arena, script, "ENOSPC True");
    }

    fn a_size_of_nothing_is_not_taken_for_no_limit(arena) {
        let outcome = arena.try_run(&sized(arena, 0), &bash("echo launched"));
        assert!(outcome.is_err(), "{outcome:?}");
    }

    fn hogging_the_processor_is_held_to_the_quota(arena) {
        let mut policy = arena.policy();
        policy.limits.cpus = 0.25;
        policy.limits.timeout = Duration::from_secs(2);
        let outcome = arena.run(&policy, &bash("for each in 1 2 3 4; do (while :; do :; done) & done; wait"));
        assert!(outcome.timed_out);
        let (used, wall) = (outcome.usage.cpu.unwrap(), outcome.usage.wall);
        assert!(used <= wall.mul_f64(0.35) + Duration::from_millis(100), "{used:?} of {wall:?}");
        assert!(used > Duration::from_millis(20), "{used:?}");
    }

    fn huge_pages_are_no_way_around_the_limit_on_memory(arena) {
        // A machine that has some set aside counts them to nobody's cgroup.
        arena.python(
            "
            import mmap
            print(attempt(lambda: mmap.mmap(-1, 64 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x40000)),
                  attempt(os.memfd_create, 'huge', 4), call('shmget', 0, 64 << 20, 0o4600 | 0o1000))
            print(attempt(lambda: mmap.mmap(-1, 4096)), attempt(os.memfd_create, 'plain', 1), call('shmget', 0, 4096, 0o1600))
            ",
            "EPERM EPERM EPERM\nok ok ok",
        );
    }

    fn cannot_use_up_the_signals_and_timers_of_the_launchers_user(arena) {
        arena.python(
            "
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGRTMIN])
            queued = 0
            while queued < 5000 and libc.sigqueue(os.getpid(), signal.SIGRTMIN, ctypes.c_void_p(0)) == 0:
                queued += 1
            print(0 < queued <= 1024, told(ctypes.get_errno()))
            print(call('mq_open', b'queue', os.O_CREAT | os.O_RDWR, 0o600, 0) in ['EMFILE', 'EACCES'])
            ",
            "True EAGAIN\nTrue",
        );
    }

    fn cannot_use_up_the_watches_of_the_launchers_user(arena) {
        if !arena.is_embedded() {
            // An engine's containers have the user namespace of the machine, where there is no limit of their own.
            return;
        }
        let script = "
            instances = 0
            while libc.inotify_init1(0) >= 0:
                instances += 1
            watches = 0
            for each in range(5000):
                os.mkdir('/tmp/%d' % each)
                watches += libc.inotify_add_watch(3, b'/tmp/%d' % each, 0x100) > 0
            print(instances, watches, told(ctypes.get_errno()), flush=True)
            ";
        let mut policy = arena.policy();
        policy.limits.memory = 256 << 20;
        let holding = python(&format!("{script}sys.stdin.read()")).stdin(Stdin::Piped);
        arena.wait(async {
            let mut child = arena.backend().launch(&policy, &holding).await.unwrap();
            let stdin = child.take_stdin().unwrap();
            assert_eq!(String::from_utf8_lossy(&child.next().await.unwrap().bytes), "16 4096 ENOSPC\n");
            let watched = rustix::fs::inotify::init(rustix::fs::inotify::CreateFlags::CLOEXEC);
            assert!(watched.is_ok(), "the launcher can still watch: {watched:?}");
            drop(stdin);
            child.wait().await.unwrap();
        });
    }

    fn memory_cannot_be_locked_beyond_a_little(arena) {
        arena.python(
            "
            import mmap
            memory = mmap.mmap(-1, 1 << 20)
            address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
            print(libc.mlock(ctypes.c_void_p(address), ctypes.c_size_t(1 << 20)), libc.mlock(ctypes.c_void_p(address), ctypes.c_size_t(4096)), libc.mlockall(3))
            ",
            "-1 0 -1",
        );
    }
}

/// Fails unless the files of a script that makes more and more of them come to an end. Podman takes no number for that: what the kernel
/// holds for each of them counts as the container's memory, and ends there.
#[track_caller]
fn check_files_end(arena: &Arena, script: &str, expected: &str) {
    if arena.backend().name() == "podman" {
        let outcome = arena.run(&small(arena), &python(script));
        assert_eq!((outcome.exit_code(), outcome.oom), (137, true), "{}", outcome.stdout.text());
    } else {
        check(&arena.run(&arena.policy(), &python(script)), expected);
    }
}

/// A policy with little memory.
fn small(arena: &Arena) -> Policy {
    let mut policy = arena.policy();
    policy.limits.memory = 64 << 20;
    policy
}

/// A policy whose scratch directories have this size.
fn sized(arena: &Arena, size: u64) -> Policy {
    let mut policy = arena.policy();
    policy.scratch = ["/tmp", "/output"].map(|target| Scratch { size, ..Scratch::new(target) }).to_vec();
    policy
}

/// Writes until nothing fits, and tells why and how many megabytes did.
fn fill(directory: &str) -> guild_sandbox::Command {
    python(&format!(
        "
        file = os.open('{directory}/large', os.O_CREAT | os.O_WRONLY)
        answer = 'ok'
        while answer == 'ok':
            answer = attempt(os.write, file, bytes(1 << 20))
        print(answer, os.fstat(file).st_size >> 20)
        "
    ))
}
