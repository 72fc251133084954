//! What a command is given, and what it gives.

use std::time::Duration;

use expect_test::expect;
use guild_sandbox::{Backend, Captured, Command, ExitStatus, LaunchError, Limits, Policy, Stdin, Stream};

use crate::world::{block_on, policy, shell, shown, with_both};

with_both! {
    fn a_command_says_something_and_ends(world) {
        let outcome = world.shell(&policy(), "echo out; echo err >&2; exit 3");
        expect![[r#"3 "out\n" "err\n""#]].assert_eq(&shown(&outcome));
        assert_eq!((outcome.oom, outcome.timed_out, &*outcome.backend), (false, false, world.engine.name()));
    }

    fn a_command_is_who_the_policy_says(world) {
        let mut policy = policy();
        policy.user = 4321;
        policy.hostname = "hall".to_owned();
        let outcome = world.shell(&policy, "id -u; id -g; id -G; uname -n; pwd; umask");
        expect![[r#"0 "4321\n4321\n4321\nhall\n/\n0022\n" """#]].assert_eq(&shown(&outcome));
    }

    fn the_environment_is_the_policys_with_the_commands_over_it_and_nothing_else(world) {
        let mut policy = policy();
        policy.env.insert("PATH".to_owned(), "/usr/bin".to_owned());
        policy.env.insert("A".to_owned(), "policy".to_owned());
        policy.env.insert("ODD".to_owned(), " =\n*\"'$".to_owned());
        let mut command = Command::new("python3").arg("-Ic").arg("import os; print(sorted(os.environ.items()))");
        command.env.insert("A".to_owned(), "command".to_owned());
        let outcome = world.run(&policy, &command);
        expect![[r#"0 "[('A', 'command'), ('ODD', ' =\\n*\"\\'$'), ('PATH', '/usr/bin')]\n" """#]]
            .assert_eq(&shown(&outcome));
        let nothing = world.run(&self::policy(), &shell("cat /proc/$$/environ"));
        expect![[r#"0 "" """#]].assert_eq(&shown(&nothing));
    }

    fn it_starts_where_it_is_told_and_its_program_is_found_in_the_path(world) {
        let mut policy = policy();
        policy.env.insert("PATH".to_owned(), "/nowhere:/usr/bin".to_owned());
        let outcome = world.run(&policy, &Command::new("pwd").cwd("/usr/bin"));
        expect![[r#"0 "/usr/bin\n" """#]].assert_eq(&shown(&outcome));
        let outcome = world.run(&policy, &Command::new("./pwd").cwd("/usr/bin"));
        expect![[r#"0 "/usr/bin\n" """#]].assert_eq(&shown(&outcome));
    }

    fn a_program_that_cannot_be_executed_is_an_error_and_not_an_exit_code(world) {
        let failure = |command: Command| match world.try_run(&policy(), &command) {
            Err(LaunchError::Exec { program, source }) => format!("{program}: {:?}", source.kind()),
            Err(LaunchError::Directory { path, source }) => format!("in {}: {:?}", path.display(), source.kind()),
            other => format!("{other:?}"),
        };
        let shown = [
            failure(Command::new("nope")),
            failure(Command::new("/etc/passwd")),
            failure(Command::new("true").cwd("/nowhere")),
        ];
        expect![[r#"
            nope: NotFound
            /etc/passwd: PermissionDenied
            in /nowhere: NotFound"#]].assert_eq(&shown.join("\n"));
        let outcome = world.shell(&policy(), "nope; exit 127");
        assert_eq!(outcome.exit_code(), 127, "a script may say so too");
    }

    fn a_signal_is_said_as_such(world) {
        let outcome = world.shell(&policy(), "kill -15 $$");
        assert_eq!((outcome.status, outcome.exit_code()), (ExitStatus::Signal(15), 143));
    }

    fn input_and_output_are_bytes(world) {
        let bytes: Vec<u8> = (0..=255).cycle().take(3_000_000).collect();
        let mut policy = policy();
        policy.limits.kept_output = 4_000_000;
        let command = Command::new("cat").stdin(Stdin::Bytes(bytes.clone()));
        let outcome = world.run(&policy, &command);
        assert!(outcome.stdout.bytes == bytes, "{} bytes came back", outcome.stdout.total);
    }

    fn no_input_is_an_input_that_has_ended(world) {
        expect![[r#"0 "0\n" """#]].assert_eq(&shown(&world.shell(&policy(), "wc -c")));
    }

    fn input_can_be_written_while_output_is_read(world) {
        let policy = policy();
        let answers = block_on(async {
            let command = shell("while read -r line; do echo \"got $line\"; done; echo end >&2")
                .stdin(Stdin::Piped);
            let mut child = world.engine.launch(&policy, &command).await.unwrap();
            let input = child.take_stdin().unwrap();
            let mut answers = Vec::new();
            for line in ["one\n", "two\n"] {
                input.write(line.as_bytes().to_vec()).await.unwrap();
                let chunk = child.next().await.unwrap();
                assert_eq!(chunk.stream, Stream::Stdout);
                answers.push(String::from_utf8(chunk.bytes).unwrap());
            }
            drop(input);
            let outcome = child.wait().await.unwrap();
            answers.push(shown(&outcome));
            answers.concat()
        });
        expect![[r#"
            got one
            got two
            0 "got one\ngot two\n" "end\n""#]].assert_eq(&answers);
    }

    fn a_command_that_does_not_read_its_input_ends_all_the_same(world) {
        let command = Command::new("true").stdin(Stdin::Bytes(vec![0; 5_000_000]));
        assert_eq!(world.run(&policy(), &command).exit_code(), 0);
    }

    fn output_beyond_the_limit_is_drained_and_counted(world) {
        let mut policy = policy();
        policy.limits.kept_output = 10;
        let outcome = world.shell(&policy, "yes | head -c 5000000; echo all >&2");
        let Captured { bytes, total } = &outcome.stdout;
        assert_eq!((bytes.as_slice(), *total), (b"y\ny\ny\ny\ny\n".as_slice(), 5_000_000));
        assert_eq!((outcome.stdout.truncated(), outcome.stderr.text().as_ref()), (true, "all\n"));
    }

    fn usage_is_measured(world) {
        let busy = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; head -c 30000000 /dev/zero | tail -c 1 >/dev/null;
            python3 -c 'x = bytearray(40 << 20)'";
        let usage = world.shell(&policy(), busy).usage;
        assert!(usage.cpu.unwrap() > Duration::from_millis(1) && usage.cpu.unwrap() < Duration::from_secs(50), "{usage:?}");
        assert!(usage.peak_memory.unwrap() > 40 << 20, "{usage:?}");
        assert!(usage.wall >= usage.cpu.unwrap() / 8, "{usage:?}");
    }

    fn arguments_that_engines_do_not_take_are_refused(world) {
        use std::os::unix::ffi::OsStringExt;
        let odd = std::ffi::OsString::from_vec(b"\xff".to_vec());
        let error = world.try_run(&policy(), &Command::new("echo").arg(odd)).unwrap_err();
        expect![[r#"the policy cannot be applied: engines take no argument that is not UTF-8: "\xFF""#]]
            .assert_eq(&error.to_string());
    }

    fn an_output_that_looks_like_ours_is_the_commands_own(world) {
        let outcome = world.shell(&policy(), "printf '_guild__\\002\\0\\0\\0\\0\\0\\0\\0'; exit 126");
        assert_eq!((outcome.exit_code(), outcome.stdout.total), (126, 16));
    }
}

#[test]
fn a_policy_for_tests_is_small() {
    let Policy { limits: Limits { memory, .. }, .. } = policy();
    assert_eq!(memory, 128 << 20);
}
