//! Attacks on the kernel's surface: calls that a contained process has no use for, and ways around the filter.

use guild_sandbox::ExitStatus;

use crate::arena::{python, python_outside};

attacks! {
    fn cannot_make_a_user_namespace(arena) {
        arena.python(
            "
            for flag in [0x10000000, 0x20000, 0x20000000, 0x40000000, 0x8000000, 0x4000000, 0x2000000, 0x80]:
                print(call('unshare', flag), call('clone', flag | signal.SIGCHLD, 0, 0, 0, 0) if flag != 0x80 else 'EPERM', end=' ')
            print(call('unshare', 0x10000000 | 0x20000), call('clone', (1 << 40) | 0x10000000 | signal.SIGCHLD, 0, 0, 0, 0))
            ",
            "EPERM EPERM EPERM EPERM EPERM EPERM EPERM EPERM EPERM EPERM EPERM EPERM EPERM EPERM EPERM EPERM EPERM EPERM",
        );
    }

    fn clone3_hides_no_flags(arena) {
        arena.python(
            "
            arguments = struct.pack('8Q', 0x10000000, 0, 0, 0, signal.SIGCHLD, 0, 0, 0)
            print(call('clone3', arguments, 64))
            child = os.fork()
            if child == 0:
                os._exit(7)
            print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
            ",
            "ENOSYS\n7",
        );
    }

    fn cannot_enter_other_namespaces(arena) {
        arena.python(
            "
            for kind in ['user', 'mnt', 'pid', 'net', 'ipc', 'uts', 'cgroup']:
                own = os.open('/proc/self/ns/' + kind, os.O_RDONLY)
                print(call('setns', own, 0), attempt(os.open, '/proc/1/ns/' + kind, os.O_RDONLY), end=' ')
            print(call('setns', os.pidfd_open(1), 0x20000))
            ",
            "EPERM EACCES EPERM EACCES EPERM EACCES EPERM EACCES EPERM EACCES EPERM EACCES EPERM EACCES EPERM",
        );
    }

    fn cannot_mount_or_unmount_anything(arena) {
        arena.python(
            "
            print(call('mount', b'none', b'/tmp', b'tmpfs', 0, 0), call('mount', b'/usr', b'/tmp', 0, 4096, 0))
            print(call('mount', 0, b'/usr', 0, 32 | 4096, 0), call('mount', 0, b'/', 0, 32 | 4096, 0), call('mount', 0, b'/proc', 0, 32, 0))
            print(call('umount2', b'/proc', 2), call('umount2', b'/tmp', 0), call('umount2', b'/proc/keys', 2))
            print(call('pivot_root', b'.', b'.'), call('chroot', b'/tmp'))
            ",
            "EPERM EPERM\nEPERM EPERM EPERM\nEPERM EPERM EPERM\nEPERM EPERM",
        );
    }

    fn cannot_use_the_newer_calls_for_mounts(arena) {
        arena.python(
            "
            print(call('fsopen', b'tmpfs', 0), call('fsconfig', 0, 6, 0, 0, 0), call('fsmount', 0, 0, 0), call('fspick', -100, b'/', 0),
                  call('open_tree', -100, b'/usr', 1), call('move_mount', -100, b'/usr', -100, b'/tmp', 0),
                  call('mount_setattr', -100, b'/usr', 0, struct.pack('4Q', 0, 1, 0, 0), 32), call(457, 0, 0, 0, 0), call(458, 0, 0, 0, 0))
            ",
            "EPERM EPERM EPERM EPERM EPERM EPERM EPERM ENOSYS ENOSYS",
        );
    }

    fn cannot_trace_or_read_another_process(arena) {
        let script = "
            child = os.fork()
            if child == 0:
                signal.pause()
            buffer = ctypes.create_string_buffer(8)
            vector = struct.pack('QQ', ctypes.addressof(buffer), 8)
            print(call('ptrace', 16, child, 0, 0), call('process_vm_readv', child, vector, 1, vector, 1, 0),
                  call('process_vm_writev', child, vector, 1, vector, 1, 0), call('pidfd_getfd', os.pidfd_open(child), 0, 0),
                  call('kcmp', os.getpid(), child, 0, 0, 0))
            os.kill(child, 9)
            ";
        assert!(python_outside(script).contains("ok"));
        arena.python(script, "EPERM EPERM EPERM EPERM EPERM");
    }

    fn cannot_load_programs_into_the_kernel(arena) {
        arena.python(
            "
            print(call('bpf', 0, ctypes.create_string_buffer(128), 128), call('perf_event_open', ctypes.create_string_buffer(128), 0, -1, -1, 0),
                  call('userfaultfd', 1), call('io_uring_setup', 8, ctypes.create_string_buffer(128)), call('io_uring_enter', 0, 0, 0, 0, 0, 0),
                  call('io_uring_register', 0, 0, 0, 0), call('init_module', 0, 0, b''), call('finit_module', 0, b'', 0), call('delete_module', b'x', 0),
                  call('kexec_load', 0, 0, 0, 0), call('kexec_file_load', 0, 0, 0, 0, 0))
            ",
            "EPERM EPERM EPERM EPERM EPERM EPERM EPERM EPERM EPERM EPERM EPERM",
        );
    }

    fn cannot_reach_the_launchers_keys(arena) {
        let script = "
            print(call('keyctl', 0, -3, 0), call('keyctl', 11, -3, ctypes.create_string_buffer(64), 64),
                  call('add_key', b'user', b'attack', b'x', 1, -3), call('request_key', b'user', b'attack', 0, -3))
            ";
        arena.python(script, "EPERM EPERM EPERM EPERM");
    }

    fn cannot_administer_the_machine(arena) {
        arena.python(
            "
            for which in ['acct', 'adjtimex', 'clock_adjtime', 'clock_settime', 'fanotify_init', 'memfd_secret', 'quotactl', 'reboot', 'setdomainname',
                          'sethostname', 'settimeofday', 'swapoff', 'swapon', 'syslog', 'vhangup']:
                print(which, call(which, 0, 0, 0, 0))
            ",
            "acct EPERM\nadjtimex EPERM\nclock_adjtime EPERM\nclock_settime EPERM\nfanotify_init EPERM\nmemfd_secret EPERM\n\
             quotactl EPERM\nreboot EPERM\nsetdomainname EPERM\nsethostname EPERM\nsettimeofday EPERM\nswapoff EPERM\n\
             swapon EPERM\nsyslog EPERM\nvhangup EPERM",
        );
    }

    fn calls_of_later_kernels_are_refused(arena) {
        arena.python("print({call(number, 0, 0, 0, 0, 0, 0) for number in range(470, 1024)})", "{'ENOSYS'}");
    }

    fn cannot_exhaust_the_machines_asynchronous_requests(arena) {
        let script = "print(call('io_setup', 1, ctypes.byref(ctypes.c_ulong())))";
        assert_eq!(python_outside(script), "ok");
        arena.python(script, "EPERM");
    }

    fn cannot_make_data_executable_by_personality(arena) {
        arena.python(
            "print(call('personality', 0x0400000), call('personality', 0x0100000), call('personality', 0xffffffff))",
            "EPERM EPERM ok",
        );
    }

    fn cannot_take_the_filter_away(arena) {
        arena.python(
            "
            print(status('Seccomp'), int(status('Seccomp_filters')) >= 1, status('NoNewPrivs'))
            print(libc.prctl(22, 0, 0, 0, 0), libc.prctl(38, 0, 0, 0, 0), status('Seccomp'), status('NoNewPrivs'))
            ",
            "2 True 1\n-1 -1 2 1",
        );
    }

    fn cannot_push_input_into_a_terminal(arena) {
        arena.python(
            "
            import fcntl
            print(attempt(os.open, '/dev/tty', os.O_RDWR) in ['ENOENT', 'ENXIO'], [attempt(fcntl.ioctl, fd, 0x5412, b'x') for fd in range(3)], os.getsid(0) == os.getpid())
            ",
            "True ['ENOTTY', 'ENOTTY', 'ENOTTY'] True",
        );
    }

    fn cannot_feed_the_hosts_handler_of_core_dumps(arena) {
        arena.python(
            "
            import resource
            before = resource.getrlimit(resource.RLIMIT_CORE)
            print(before[0] == before[1] and before[0] in [0, 1], end=' ')
            print(attempt(resource.setrlimit, resource.RLIMIT_CORE, (0, 0)), resource.getrlimit(resource.RLIMIT_CORE) == before)
            print(attempt(resource.setrlimit, resource.RLIMIT_CPU, (1000, 1000)))
            ",
            "True ENOSYS True\nok",
        );
    }

    fn cannot_run_in_real_time(arena) {
        arena.python(
            "
            import resource
            print(attempt(os.sched_setscheduler, 0, os.SCHED_FIFO, os.sched_param(1)), attempt(os.sched_setscheduler, 0, os.SCHED_RR, os.sched_param(1)),
                  resource.getrlimit(resource.RLIMIT_RTPRIO), resource.getrlimit(resource.RLIMIT_NICE), attempt(os.nice, -1))
            ",
            "EPERM EPERM (0, 0) (0, 0) EPERM",
        );
    }

    fn calls_of_the_x32_kind_do_not_pass_the_filter(arena) {
        if cfg!(target_arch = "x86_64") {
            for attempt in ["39", "41, 2, 1, 0", "272, 0x10000000", "435"] {
                let outcome = arena.run(&arena.policy(), &python(&format!("print(call(0x40000000 + {attempt}))")));
                // To an engine's filter they are those of another processor, which are the end.
                let expected = arena.expecting((ExitStatus::Code(0), "ENOSYS\n"), (ExitStatus::Signal(libc::SIGSYS), ""));
                assert_eq!((outcome.status, &*outcome.stdout.text()), expected, "{attempt}");
            }
        } else {
            arena.python("print(call(0x40000000 + 172))", "ENOSYS");
        }
    }

    fn calls_of_the_32_bit_kind_are_the_end(arena) {
        let script = if cfg!(target_arch = "x86_64") {
            "
            import mmap
            page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
            # mov eax, 20 (getpid); int 0x80; ret
            page.write(bytes.fromhex('b814000000cd80c3'))
            ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
            print('passed')
            "
        } else {
            "os.kill(os.getpid(), signal.SIGSYS)"
        };
        let outcome = arena.run(&arena.policy(), &python(script));
        assert_eq!((outcome.status, &*outcome.stdout.text()), (ExitStatus::Signal(libc::SIGSYS), ""));
    }
}
