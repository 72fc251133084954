//! Attacks by what a command writes to its streams.

use guild_sandbox::{ExitStatus, Stdin, Stream};

use crate::arena::{a_moment, bash, check, python, resident_peak};

attacks! {
    fn flooding_stdout_neither_hangs_nor_grows_memory(arena) {
        // The first launch makes what every later one uses.
        arena.bash("true", "");
        let before = resident_peak();
        let outcome = arena.run(&arena.policy(), &bash("head -c 300000000 /dev/zero & head -c 300000000 /dev/zero >&2; wait"));
        assert_eq!((outcome.stdout.total, outcome.stderr.total), (300_000_000, 300_000_000));
        assert_eq!((outcome.stdout.bytes.len(), outcome.stderr.bytes.len()), (1 << 20, 1 << 20));
        assert!(outcome.stdout.truncated() && outcome.success());
        let grown = resident_peak() - before;
        assert!(grown < 32 << 20, "{grown} bytes more");
    }

    fn a_reader_that_never_reads_costs_no_memory(arena) {
        let outcome = arena.wait(async {
            let policy = arena.policy();
            let mut child = arena.backend().launch(&policy, &bash("head -c 100000000 /dev/zero; echo end >&2")).await.unwrap();
            let first = child.next().await.unwrap();
            assert!(!first.bytes.is_empty());
            child.wait().await.unwrap()
        });
        assert_eq!((outcome.stdout.total, outcome.stdout.bytes.len()), (100_000_000, 1 << 20));
        assert_eq!(outcome.stderr.text(), "end\n");
    }

    fn writing_without_end_does_not_put_off_the_timeout(arena) {
        let mut policy = arena.policy();
        policy.limits.timeout = a_moment();
        policy.limits.cpus = 4.0;
        let script = "for each in $(seq 16); do (exec cat /dev/zero) & (exec cat /dev/zero >&2) & done; wait";
        let outcome = arena.run(&policy, &bash(script));
        assert!(outcome.timed_out && outcome.stdout.total > 0 && outcome.stderr.total > 0);
    }

    fn closing_the_streams_is_not_the_end(arena) {
        let outcome = arena.run(&arena.policy(), &bash("exec 0<&- 1>&- 2>&-; for each in 1 2 3; do /bin/true; done; exit 9"));
        assert_eq!((outcome.status, outcome.stdout.total, outcome.stderr.total), (ExitStatus::Code(9), 0, 0));
    }

    fn every_byte_comes_out_as_it_went_in(arena) {
        let outcome = arena.run(&arena.policy(), &python("os.write(1, bytes(range(256)) * 400); os.write(2, b'\\x1b[31m\\0\\xff')"));
        let expected: Vec<u8> = (0..=255).cycle().take(256 * 400).collect();
        assert_eq!(outcome.stdout.bytes, expected);
        assert_eq!(outcome.stderr.bytes, b"\x1b[31m\0\xff");
    }

    fn changing_the_pipes_own_settings_loses_nothing(arena) {
        let script = "
            import fcntl
            fcntl.fcntl(1, fcntl.F_SETFL, os.O_NONBLOCK | os.O_DIRECT)
            fcntl.fcntl(1, 1031, 1 << 20)
            fcntl.fcntl(0, fcntl.F_SETFL, os.O_NONBLOCK)
            written = 0
            while written < 5000000:
                try:
                    written += os.write(1, bytes(100000))
                except BlockingIOError:
                    pass
            os.write(2, str(written).encode())
            ";
        let outcome = arena.run(&arena.policy(), &python(script));
        assert!(outcome.success());
        let (heard, said): (u64, u64) = (outcome.stdout.total, outcome.stderr.text().parse().unwrap());
        // In such a pipe the kernel throws away what a reader's buffer has no room for. Ours has room for whole packets; an engine
        // reads the pipe with a program of its own, which was seen to lose the rest of one.
        assert!(if arena.is_embedded() { heard == said } else { heard > 0 && heard <= said }, "{heard} of {said}");
    }

    fn what_was_written_last_is_not_lost(arena) {
        for _ in 0..arena.rounds(guild_testkit::rounds()) {
            let outcome = arena.run(&arena.policy(), &bash("head -c 65536 /dev/zero; printf end >&2"));
            assert_eq!((outcome.stdout.total, &*outcome.stderr.text()), (65536, "end"));
        }
    }

    fn input_that_nobody_reads_does_not_hang(arena) {
        let command = bash("exit 4").stdin(Stdin::Bytes(vec![0; 8 << 20]));
        assert_eq!(arena.run(&arena.policy(), &command).status, ExitStatus::Code(4));
        let command = bash("wc -c").stdin(Stdin::Bytes(vec![0; 8 << 20]));
        check(&arena.run(&arena.policy(), &command), "8388608");
    }

    fn a_program_that_is_talked_to_is_heard_as_it_speaks(arena) {
        let echo = bash("while read line; do echo \"<$line>\"; done; echo gone >&2").stdin(Stdin::Conversation);
        arena.wait(async {
            let policy = arena.policy();
            let mut child = arena.backend().launch(&policy, &echo).await.unwrap();
            let stdin = child.take_stdin().unwrap();
            for word in ["one", "two"] {
                stdin.write(format!("{word}\n").into_bytes()).await.unwrap();
                let said = child.next().await.unwrap();
                assert_eq!((said.stream, said.bytes), (Stream::Stdout, format!("<{word}>\n").into_bytes()));
            }
            drop(stdin);
            let last = child.next().await.unwrap();
            assert_eq!((last.stream, last.bytes), (Stream::Stderr, b"gone\n".to_vec()));
            assert!(child.next().await.is_none());
            let outcome = child.wait().await.unwrap();
            assert!(outcome.success() && outcome.stdout.bytes.is_empty(), "nothing is kept");
        });
    }

    fn a_program_that_nobody_listens_to_costs_no_memory_and_ends_in_time(arena) {
        let mut policy = arena.policy();
        policy.limits.timeout = a_moment();
        arena.bash("true", "");
        let before = resident_peak();
        let flood = bash("cat /dev/zero").stdin(Stdin::Conversation);
        let outcome = arena.wait(async { arena.backend().launch(&policy, &flood).await?.wait().await });
        assert!(outcome.unwrap().timed_out);
        let grown = resident_peak() - before;
        assert!(grown < 32 << 20, "{grown} bytes more");
    }
}
