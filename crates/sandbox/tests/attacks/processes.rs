//! Attacks by processes that will not die, multiply, or turn on those who watch them.

use guild_sandbox::ExitStatus;

use crate::arena::{Witness, a_moment, bash, check, python};

attacks! {
    fn setsid_grandchild_dies_with_the_timeout(arena) {
        let witness = Witness::new(arena);
        let mut policy = witness.policy(arena);
        policy.limits.timeout = a_moment();
        let script = format!("{} setsid setsid sleep 1000 & sleep 1000", Witness::BE_SEEN);
        let outcome = arena.run(&policy, &bash(&script));
        assert_eq!((outcome.timed_out, outcome.exit_code()), (true, 124));
        witness.check_lived_and_died();
    }

    fn double_fork_does_not_outlive_the_command(arena) {
        let witness = Witness::new(arena);
        let script = format!("{} (setsid nohup sleep 1000 >/dev/null 2>&1 &) & exit 3", Witness::BE_SEEN);
        let outcome = arena.run(&witness.policy(arena), &bash(&script));
        assert_eq!(outcome.status, ExitStatus::Code(3));
        witness.check_lived_and_died();
    }

    fn background_process_that_holds_the_streams_does_not_hold_up_the_end(arena) {
        let outcome = arena.run(&arena.policy(), &bash("sleep 1000 & (trap '' TERM HUP; sleep 1000) & echo done"));
        check(&outcome, "done");
        assert!(outcome.success());
    }

    fn ignoring_every_signal_does_not_help_against_the_timeout(arena) {
        let witness = Witness::new(arena);
        let mut policy = witness.policy(arena);
        policy.limits.timeout = a_moment();
        let script = format!("{} trap '' $(seq 1 31); while :; do sleep 1000; done", Witness::BE_SEEN);
        assert!(arena.run(&policy, &bash(&script)).timed_out);
        witness.check_lived_and_died();
    }

    fn a_process_that_stops_itself_is_ended_by_the_timeout(arena) {
        let witness = Witness::new(arena);
        let mut policy = witness.policy(arena);
        policy.limits.timeout = a_moment();
        let script = format!("{} (kill -STOP $BASHPID) & kill -STOP $$", Witness::BE_SEEN);
        assert!(arena.run(&policy, &bash(&script)).timed_out);
        witness.check_lived_and_died();
    }

    fn cannot_kill_or_stop_the_first_process(arena) {
        let outcome = arena.run(
            &arena.policy(),
            &bash("for signal in $(seq 1 64); do kill -$signal 1 2>/dev/null; done; echo still here; exit 5"),
        );
        check(&outcome, "still here");
        assert_eq!(outcome.status, ExitStatus::Code(5));
    }

    fn the_first_process_runs_none_of_the_launchers_signal_handlers(arena) {
        let own = std::fs::read_to_string("/proc/self/status").unwrap();
        assert!(!own.contains("SigCgt:\t0000000000000000"), "the launcher has handlers itself");
        arena.bash("grep SigCgt /proc/1/status", "SigCgt:\t0000000000000000");
    }

    fn signals_to_everybody_reach_nobody_outside(arena) {
        let mut bystander = std::process::Command::new("sleep").arg("1000").spawn().unwrap();
        let outcome = arena.run(
            &arena.policy(),
            &bash("trap '' TERM; kill -TERM -1; kill -TERM 0; kill -USR1 -- -1; sleep 0; echo alone"),
        );
        assert_eq!(bystander.try_wait().unwrap(), None);
        bystander.kill().unwrap();
        bystander.wait().unwrap();
        assert!(outcome.stdout.text().contains("alone") || outcome.status == ExitStatus::Signal(libc::SIGUSR1));
    }

    fn cannot_ask_for_signals_to_processes_outside(arena) {
        let outside = std::process::id();
        let script = format!(
            "
            import fcntl
            ours, theirs = os.pipe()
            print(attempt(os.kill, {outside}, 0), attempt(fcntl.fcntl, ours, fcntl.F_SETOWN, {outside}), attempt(os.pidfd_open, {outside}))
            "
        );
        check(&arena.run(&arena.policy(), &python(&script)), "ESRCH ESRCH ESRCH");
    }

    fn fork_bomb_stops_at_the_limit(arena) {
        let mut policy = arena.policy();
        policy.limits.pids = 20;
        let script = "
            children = 0
            while True:
                try:
                    if os.fork() == 0:
                        signal.pause()
                    children += 1
                except OSError as error:
                    print(children, told(error.errno))
                    break
            ";
        check(&arena.run(&policy, &python(script)), "19 EAGAIN");
    }

    fn thread_bomb_stops_at_the_limit(arena) {
        let mut policy = arena.policy();
        policy.limits.pids = 20;
        let script = "
            threads = 0
            try:
                while True:
                    threading.Thread(target=time.sleep, args=[1000], daemon=True).start()
                    threads += 1
            except RuntimeError:
                print(threads, flush=True)
            os._exit(0)
            ";
        check(&arena.run(&policy, &python(script)), "19");
    }

    fn a_bomb_that_never_stops_forking_is_ended_by_the_timeout(arena) {
        let witness = Witness::new(arena);
        let mut policy = witness.policy(arena);
        policy.limits.timeout = a_moment();
        let script = format!("{} bomb() {{ bomb | bomb & }}; bomb 2>/dev/null; while :; do bomb; done 2>/dev/null", Witness::BE_SEEN);
        assert!(arena.run(&policy, &bash(&script)).timed_out);
        witness.check_lived_and_died();
    }

    fn cannot_raise_its_own_limits(arena) {
        arena.python(
            "
            import resource
            for which in [resource.RLIMIT_NPROC, resource.RLIMIT_NOFILE, resource.RLIMIT_MEMLOCK]:
                soft, hard = resource.getrlimit(which)
                try:
                    resource.setrlimit(which, (hard, hard + 1))
                    print('raised')
                except (ValueError, OSError):
                    print(hard)
            ",
            // The first is of a user on the whole machine; an engine's containers share theirs, and are bounded by their cgroup.
            arena.expecting("129\n4096\n65536", "16384\n4096\n65536"),
        );
    }

    fn open_files_are_bounded(arena) {
        arena.python(
            "
            opened = 0
            while attempt(os.dup, 0) == 'ok':
                opened += 1
            print(opened < 4096, attempt(os.dup, 0))
            ",
            "True EMFILE",
        );
    }

    fn the_end_of_the_command_cannot_be_forged(arena) {
        let outcome = arena.run(
            &arena.policy(),
            &bash("for fd in /proc/self/fd/*; do [ ${fd##*/} -gt 2 ] && printf '\\3\\0\\0\\0' > $fd; done 2>/dev/null; kill -9 $$"),
        );
        assert_eq!(outcome.status, ExitStatus::Signal(libc::SIGKILL));
        assert_eq!(outcome.exit_code(), 137);
    }
}
