//! Memory, processes, processors, time, and what else a container may not use or see.

use std::time::Duration;

use expect_test::expect;
use guild_sandbox::{Command, ExitStatus, Network, Scratch};

use crate::world::{policy, shown, with_both};

/// Tries what a first argument says, and tells the error that came of it.
const ATTEMPTS: &str = r#"
import ctypes, errno, os, socket
libc = ctypes.CDLL(None, use_errno=True)
def attempt(name, does):
    try:
        does()
        print(name, "works")
    except OSError as error:
        print(name, errno.errorcode[error.errno])
def call(number, *arguments):
    if libc.syscall(number, *arguments) < 0:
        raise OSError(ctypes.get_errno(), "")
"#;

with_both! {
    fn a_command_that_holds_too_much_memory_is_killed_and_that_is_said(world) {
        let command = Command::new("python3").arg("-c").arg("x = bytearray(300 << 20); print(len(x))");
        let outcome = world.run(&policy(), &command);
        assert_eq!((outcome.status, outcome.oom), (ExitStatus::Signal(9), true), "{}", shown(&outcome));
        assert!(!outcome.success());
    }

    fn memory_that_ran_out_behind_exit_0_is_said_all_the_same(world) {
        let outcome = world.shell(&policy(), "python3 -c 'x = bytearray(300 << 20)' | cat; exit 0");
        assert_eq!((outcome.exit_code(), outcome.oom, outcome.success()), (0, true, false));
    }

    fn memory_limits_hold_for_directories_in_memory_too(world) {
        let mut policy = policy();
        policy.limits.memory = 64 << 20;
        let outcome = world.shell(&policy, "head -c 200M /dev/zero > /tmp/x");
        assert!(outcome.oom, "{}", shown(&outcome));
    }

    fn a_directory_in_memory_holds_what_its_size_says(world) {
        let mut policy = policy();
        policy.scratch = vec![Scratch { size: 1 << 20, ..Scratch::new("/deep/down") }];
        let outcome = world.shell(&policy, "head -c 2M /dev/zero > /deep/down/x; stat -c %s /deep/down/x; ls -d /tmp/");
        expect![[r#"0 "1048576\n/tmp/\n" "head: error writing 'standard output': No space left on device\n""#]]
            .assert_eq(&shown(&outcome));
    }

    fn a_fork_bomb_stops_at_the_limit(world) {
        let mut policy = policy();
        policy.limits.pids = 12;
        let script = "i=0; while [ $i -lt 30 ]; do sleep 100 & i=$((i+1)); done 2>/dev/null; true";
        let count = format!("({script}) ; ls -d /proc/[0-9]* | wc -l");
        let outcome = world.shell(&policy, &count);
        let processes: u32 = outcome.stdout.text().trim().parse().unwrap_or(0);
        // The shell may end when it cannot fork, and says so.
        assert!(processes <= 14, "{}", shown(&outcome));
    }

    fn processors_are_limited(world) {
        let mut policy = policy();
        policy.limits.cpus = 0.25;
        let outcome = world.shell(&policy, "timeout 2 sh -c 'while :; do :; done'");
        let (cpu, wall) = (outcome.usage.cpu.unwrap(), outcome.usage.wall);
        assert!(cpu < wall * 45 / 100, "{cpu:?} of {wall:?}");
    }

    fn out_of_time_everything_dies(world) {
        let mut policy = policy();
        policy.limits.timeout = Duration::from_secs(4);
        let outcome = world.shell(&policy, "echo begun; setsid sleep 1000 & sleep 1000");
        assert_eq!((outcome.exit_code(), outcome.timed_out, outcome.oom), (124, true, false));
        assert_eq!(outcome.stdout.text(), "begun\n");
    }

    fn the_root_cannot_be_written_to_and_neither_can_anything_else(world) {
        let script = "for d in / /etc /usr/bin /dev /run /var /var/tmp /proc/sys/kernel /dev/mqueue; do
            (echo x > $d/x) 2>/dev/null && echo wrote to $d; done; ls /sys; find / -xdev -type d -writable 2>/dev/null | sort";
        let outcome = world.shell(&policy(), script);
        expect![[r#"0 "/output\n/tmp\n" """#]].assert_eq(&shown(&outcome));
        let writable = world.shell(&policy(), "cat /proc/mounts | while read -r from to rest; do [ -w $to ] && [ -d $to ] && echo $to; done; true");
        expect![[r#"0 "/dev/mqueue\n/dev/shm\n/output\n/tmp\n" """#]].assert_eq(&shown(&sorted(writable)));
    }

    fn there_are_no_privileges_and_none_to_be_gained(world) {
        let script = "grep -E '^(Cap|NoNewPrivs|Seccomp:)' /proc/self/status; cat /proc/sys/kernel/core_pattern >/dev/null;
            su -c id >/dev/null 2>&1 || echo no su; grep -E 'core file|open files|locked|msgqueue' /proc/self/limits | tr -s ' '";
        let outcome = world.shell(&policy(), script);
        expect![[r#"0 "CapInh:\t0000000000000000\nCapPrm:\t0000000000000000\nCapEff:\t0000000000000000\nCapBnd:\t0000000000000000\nCapAmb:\t0000000000000000\nNoNewPrivs:\t1\nSeccomp:\t2\nno su\nMax core file size 0 0 bytes \nMax open files 4096 4096 files \nMax locked memory 65536 65536 bytes \nMax msgqueue size 0 0 bytes \n" """#]].assert_eq(&shown(&outcome));
    }

    fn without_a_network_there_is_no_socket_of_any_family(world) {
        let script = format!(
            "{ATTEMPTS}
for family in (1, 2, 10, 16, 17, 38, 40):
    attempt(f'family {{family}}', lambda: socket.socket(family, socket.SOCK_STREAM))
attempt('stream pair', lambda: socket.socketpair())
attempt('datagram pair', lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM))
print(sorted(os.listdir('/proc/self/net/dev_snmp6')) if os.path.exists('/proc/self/net/dev_snmp6') else [])
"
        );
        let outcome = world.run(&policy(), &Command::new("python3").arg("-c").arg(script));
        expect![[r#"0 "family 1 EPERM\nfamily 2 EPERM\nfamily 10 EPERM\nfamily 16 EPERM\nfamily 17 EPERM\nfamily 38 EPERM\nfamily 40 EPERM\nstream pair works\ndatagram pair EPERM\n['lo']\n" """#]].assert_eq(&shown(&outcome));
    }

    fn with_a_network_it_is_the_hosts(world) {
        let mut policy = policy();
        policy.network = Network::Host;
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let script = format!(
            "{ATTEMPTS}
attempt('connect', lambda: socket.create_connection(('127.0.0.1', {port})))
attempt('vsock', lambda: socket.socket(40, socket.SOCK_STREAM))
attempt('packet', lambda: socket.socket(17, socket.SOCK_RAW))
"
        );
        let outcome = world.run(&policy, &Command::new("python3").arg("-c").arg(script));
        expect![[r#"0 "connect works\nvsock EPERM\npacket EPERM\n" """#]].assert_eq(&shown(&outcome));
    }

    fn the_filter_of_system_calls_is_ours(world) {
        let script = format!(
            "{ATTEMPTS}
attempt('unshare', lambda: call(272, 0x10000000))
attempt('clone3', lambda: call(435, 0, 0))
attempt('keyctl', lambda: call(250, 0, 0))
attempt('bpf', lambda: call(321, 0, 0, 0))
attempt('io_uring', lambda: call(425, 1, 0))
attempt('ptrace', lambda: call(101, 0, 0, 0, 0))
attempt('open_by_handle_at', lambda: call(304, 0, 0, 0))
attempt('mount', lambda: call(165, 0, 0, 0, 0, 0))
"
        );
        let outcome = world.run(&policy(), &Command::new("python3").arg("-c").arg(script));
        expect![[r#"0 "unshare EPERM\nclone3 ENOSYS\nkeyctl EPERM\nbpf EPERM\nio_uring EPERM\nptrace EPERM\nopen_by_handle_at EPERM\nmount EPERM\n" """#]].assert_eq(&shown(&outcome));
    }
}

fn sorted(mut outcome: guild_sandbox::Outcome) -> guild_sandbox::Outcome {
    let text = outcome.stdout.text().into_owned();
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    lines.sort_unstable();
    outcome.stdout.bytes = lines.concat().into_bytes();
    outcome
}
