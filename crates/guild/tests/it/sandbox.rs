//! Containers from the command line: one command in each, and those that live on.

use crate::{env, envelope};
use expect_test::{Expect, expect};
use guild_testkit::{Env, kill, session, wait_until};

/// Ends whatever a test has launched.
struct World(Env);

impl World {
    fn new() -> World {
        World(env("//- /project/notes.txt\nhello\n"))
    }

    #[track_caller]
    fn launch(&self, arguments: &[&str]) -> String {
        let output = self.0.guild(&[&["sandbox", "launch", "--timeout", "60s"], arguments].concat());
        assert_eq!(output.code(), Some(0), "{output}");
        output.stdout().trim().to_owned()
    }

    /// A session in which `$C` is a container's id, and shown as such.
    #[track_caller]
    fn check(&self, id: &str, script: &str, expected: &Expect) {
        expected.assert_eq(&session(&self.0, &script.replace("$C", id)).replace(id, "$C"));
    }

    fn containers(&self) -> Vec<serde_json::Value> {
        let list = envelope(&self.0.guild(&["sandbox", "list", "--json"]).stdout());
        list["data"]["containers"].as_array().unwrap().clone()
    }
}

impl Drop for World {
    fn drop(&mut self) {
        for container in self.containers() {
            let (id, owner) = (container["id"].as_str().unwrap(), container["owner"].as_str().unwrap());
            let _ = self.0.guild(&["sandbox", "stop", id, "--owner", owner]).code();
        }
    }
}

#[test]
fn a_command_sees_what_it_is_shown_and_its_code_is_passed_on() {
    let world = World::new();
    expect![[r#"
        $ guild sandbox run --mount .:/workspace -- cat /workspace/notes.txt
        hello
        $ guild sandbox run --env GREETING=hi --env ABSENT -- env
        GREETING=hi
        HOME=/tmp
        LANG=C.UTF-8
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
        $ guild sandbox run -- sh -c 'exit 3'
        [exit 3]
        $ guild sandbox run -- sh -c 'kill -9 $$'
        [exit 137]
        $ guild sandbox run --timeout 100ms -- sleep 9
        [stderr]
        its time was up
        [exit 124]
        $ guild sandbox run --memory 32M -q -- python3 -c 'bytearray(99 << 20)'
        [exit 137]
        $ guild sandbox run --workdir /tmp -- pwd
        /tmp
    "#]]
    .assert_eq(&session(
        &world.0,
        "guild sandbox run --mount .:/workspace -- cat /workspace/notes.txt\nguild sandbox run --env GREETING=hi --env ABSENT -- env\nguild sandbox run -- sh -c 'exit 3'\nguild sandbox run -- sh -c 'kill -9 $$'\nguild sandbox run --timeout 100ms -- sleep 9\nguild sandbox run --memory 32M -q -- python3 -c 'bytearray(99 << 20)'\nguild sandbox run --workdir /tmp -- pwd",
    ));
}

#[test]
fn what_is_piped_in_reaches_the_command_and_bytes_come_out_as_they_are() {
    let world = World::new();
    let bytes: Vec<u8> = (0..=255).cycle().take(300_000).collect();
    let output = world.0.invocation(&["sandbox", "run", "--", "cat"]).stdin(bytes.clone()).output();
    assert!(output.raw_stdout() == bytes, "{} bytes came out", output.raw_stdout().len());
}

#[test]
fn files_left_in_output_are_kept_and_links_are_not() {
    let world = World::new();
    let script = "mkdir /output/d && echo 1 > /output/d/a && ln -s /etc/passwd /output/link";
    let arguments = ["sandbox", "run", "--json", "--out", "kept", "--", "sh", "-c", script];
    let data = envelope(&world.0.guild(&arguments).stdout())["data"].clone();
    assert_eq!(data["files"], serde_json::json!(["d/a"]));
    assert_eq!(data["left_behind"][0]["path"], "link");
    assert_eq!(std::fs::read_to_string(world.0.join("project/kept/d/a")).unwrap(), "1\n");
    assert!(!world.0.join("project/kept/link").exists());
}

#[test]
fn a_file_that_is_in_the_way_stays_as_it_is_and_is_named() {
    let world = World::new();
    expect![[r#"
        $ guild sandbox run --out kept -- sh -c 'echo 1 > /output/f'
        $ guild sandbox run --out kept -- sh -c 'echo 2 > /output/f; echo 2 > /output/g'
        [stderr]
        error[already_exists]: `f` of /output left behind: there is something of that name in [ROOT]/project/kept already, which stays as it is; move it away, or name another directory
        [exit 1]
        $ guild sandbox run --out kept -- sh -c 'echo 3 > /output/f; exit 3'
        [stderr]
        error[already_exists]: `f` of /output left behind: there is something of that name in [ROOT]/project/kept already, which stays as it is; move it away, or name another directory
        [exit 3]
        $ guild sandbox run --mount kept:/kept -- sh -c 'head /kept/*'
        ==> /kept/f <==
        1

        ==> /kept/g <==
        2
        $ guild sandbox run --out other -- ln -s /etc/passwd /output/link
        [stderr]
        /output/link left behind: not a regular file but a symbolic link
    "#]]
    .assert_eq(&session(
        &world.0,
        "guild sandbox run --out kept -- sh -c 'echo 1 > /output/f'\nguild sandbox run --out kept -- sh -c 'echo 2 > /output/f; echo 2 > /output/g'\nguild sandbox run --out kept -- sh -c 'echo 3 > /output/f; exit 3'\nguild sandbox run --mount kept:/kept -- sh -c 'head /kept/*'\nguild sandbox run --out other -- ln -s /etc/passwd /output/link",
    ));
}

#[test]
fn a_command_is_not_run_whose_output_would_have_no_place_to_go_to() {
    let world = World::new();
    world.0.write("//- /project/run/SKILL.md\n");
    expect![[r#"
        $ guild sandbox run --mount .:/workspace:rw --out notes.txt -- touch /workspace/run/it-ran
        [stderr]
        error[already_exists]: the files of /output cannot go to [ROOT]/project/notes.txt: [ROOT]/project/notes.txt is no directory; name another place
        [exit 1]
        $ guild sandbox run --mount .:/workspace:rw --out notes.txt/below -- touch /workspace/run/it-ran
        [stderr]
        error[already_exists]: the files of /output cannot go to [ROOT]/project/notes.txt/below: [ROOT]/project/notes.txt is no directory; name another place
        [exit 1]
    "#]].assert_eq(&session(
        &world.0,
        "guild sandbox run --mount .:/workspace:rw --out notes.txt -- touch /workspace/run/it-ran\nguild sandbox run --mount .:/workspace:rw --out notes.txt/below -- touch /workspace/run/it-ran",
    ));
    assert!(!world.0.join("project/run/it-ran").exists());
}

#[test]
fn a_number_below_nothing_is_told_as_one_that_does_not_fit() {
    let world = World::new();
    expect![[r#"
        $ guild sandbox run --memory -1 -- true
        [stderr]
        error: invalid value '-1' for '--memory <SIZE>': a size is a number with K, M or G, such as 512M

        For more information, try '--help'.
        [exit 2]
        $ guild sandbox run --cpus -0.5 -- true
        [stderr]
        error: invalid value '-0.5' for '--cpus <N>': processors are a number such as 0.5 or 2

        For more information, try '--help'.
        [exit 2]
        $ guild sandbox run --pids -1 -- true
        [stderr]
        error: invalid value '-1' for '--pids <N>': -1 is not in 1..=1000000

        For more information, try '--help'.
        [exit 2]
        $ guild sandbox exec x --timeout -1 -- true
        [stderr]
        error: invalid value '-1' for '--timeout <TIME>': a time is more than nothing and at most a year

        For more information, try '--help'.
        [exit 2]
    "#]].assert_eq(&session(
        &world.0,
        "guild sandbox run --memory -1 -- true\nguild sandbox run --cpus -0.5 -- true\nguild sandbox run --pids -1 -- true\nguild sandbox exec x --timeout -1 -- true",
    ));
}

#[test]
fn a_directory_to_start_in_that_is_not_there_is_named_as_the_cause() {
    let world = World::new();
    let id = world.launch(&[]);
    world.check(
        &id,
        "guild sandbox run --workdir /nope -- pwd\nguild sandbox run --workdir /etc/passwd -- pwd\nguild sandbox exec $C --workdir /nope -- pwd\nguild sandbox run -- nothing",
        &expect![[r#"
            $ guild sandbox run --workdir /nope -- pwd
            [stderr]
            error[sandbox_exec_failed]: cannot start in `/nope` of the container: No such file or directory (os error 2)
            [exit 127]
            $ guild sandbox run --workdir /etc/passwd -- pwd
            [stderr]
            error[sandbox_exec_failed]: cannot start in `/etc/passwd` of the container: Not a directory (os error 20)
            [exit 127]
            $ guild sandbox exec $C --workdir /nope -- pwd
            [stderr]
            error[sandbox_exec_failed]: cannot start in `/nope` of the container: No such file or directory (os error 2)
            [exit 127]
            $ guild sandbox run -- nothing
            [stderr]
            error[sandbox_exec_failed]: cannot execute `nothing` in the container: No such file or directory (os error 2)
            [exit 127]
        "#]],
    );
}

#[test]
fn mounts_that_hide_each_other_or_have_no_place_are_refused_in_words() {
    let world = World::new();
    world.0.write("//- /project/d/x\n//- /project/e/y\n");
    expect![[r#"
        $ guild sandbox run --mount d:/w --mount e:/w/e -- ls /w
        [stderr]
        error[sandbox_policy_invalid]: nothing can be mounted at `/w/e`: `/w` is read-only there, and [ROOT]/project/d/e does not exist; make it, or choose a target elsewhere
        [exit 2]
        $ guild sandbox run --mount d:/w --mount e:/w -- ls /w
        [stderr]
        error[sandbox_policy_invalid]: two mounts have the target `/w`; give each its own
        [exit 2]
        $ guild sandbox run --mount .:/w --mount d:/w/e -- ls /w/e
        x
        $ guild sandbox run --mount d:/output/:rw --out kept -- touch /output/x
        [stderr]
        error[sandbox_policy_invalid]: a mount at `/output` hides the files that are to be copied from there; choose another target
        [exit 2]
    "#]]
    .assert_eq(&session(
        &world.0,
        "guild sandbox run --mount d:/w --mount e:/w/e -- ls /w\nguild sandbox run --mount d:/w --mount e:/w -- ls /w\nguild sandbox run --mount .:/w --mount d:/w/e -- ls /w/e\nguild sandbox run --mount d:/output/:rw --out kept -- touch /output/x",
    ));
}

#[test]
fn a_container_lives_on_between_commands_and_ends_when_it_is_stopped() {
    let world = World::new();
    let id = world.launch(&[]);
    world.check(
        &id,
        "guild sandbox exec $C -- sh -c 'echo kept > /tmp/x'\nguild sandbox exec $C -- cat /tmp/x\nguild sandbox exec $C --timeout 100ms -- sleep 9\nguild sandbox exec $C -- nothing\nguild sandbox stop $C\nguild sandbox exec $C -- true\nguild sandbox stop $C\nguild sandbox list",
        &expect![[r#"
            $ guild sandbox exec $C -- sh -c 'echo kept > /tmp/x'
            $ guild sandbox exec $C -- cat /tmp/x
            kept
            $ guild sandbox exec $C --timeout 100ms -- sleep 9
            [stderr]
            its time was up
            [exit 124]
            $ guild sandbox exec $C -- nothing
            [stderr]
            error[sandbox_exec_failed]: cannot execute `nothing` in the container: No such file or directory (os error 2)
            [exit 127]
            $ guild sandbox stop $C
            $ guild sandbox exec $C -- true
            [stderr]
            error[container_not_found]: no container `$C` is running; `guild sandbox list` shows those that are
            [exit 1]
            $ guild sandbox stop $C
            [stderr]
            error[container_not_found]: no container `$C` is running; `guild sandbox list` shows those that are
            [exit 1]
            $ guild sandbox list
            [stderr]
            0 containers
        "#]],
    );
}

#[test]
fn a_container_whose_name_was_copied_badly_is_named() {
    let world = World::new();
    let id = world.launch(&[]);
    for part in [&id[..9], &id[..id.len() - 1], &format!("{id}0")] {
        let refused = world.0.guild(&["sandbox", "stop", part]);
        let expected =
            format!("error[container_not_found]: no container `{part}` is running; did you mean `{id}`?\n");
        assert_eq!((refused.code(), refused.stderr()), (Some(1), expected));
    }
}

#[test]
fn a_command_that_does_not_read_its_input_ends_with_whoever_asked_for_it() {
    let world = World::new();
    let id = world.launch(&[]);
    let run = &["sandbox", "exec", &id, "--", "sh", "-c", "echo runs; exec sleep 55"];
    let mut running = world.0.invocation(run).stdin(vec![b'y'; 16 << 20]).spawn();
    assert_eq!(running.line(), "runs\n");
    assert_eq!(running.kill().code(), None);
    let lives = ["sandbox", "exec", &id, "--", "sh", "-c", "cat /proc/[0-9]*/cmdline | tr '\\0' ' '"];
    wait_until("the command is gone", || !world.0.guild(&lives).stdout().contains("sleep 55"));
}

#[test]
fn a_container_lives_on_below_a_home_whose_path_is_long() {
    let world = World::new();
    let home = world.0.join("home").join("a-directory-with-a-long-name".repeat(5));
    let with_home = |arguments: &[&str]| world.0.invocation(arguments).env("HOME", &home).output();
    let launched = with_home(&["sandbox", "launch", "--timeout", "60s"]);
    assert_eq!(launched.code(), Some(0), "{launched}");
    let id = launched.stdout().trim().to_owned();
    assert_eq!(with_home(&["sandbox", "exec", &id, "--", "echo", "here"]).stdout(), "here\n");
    assert_eq!(with_home(&["sandbox", "stop", &id]).code(), Some(0));
}

#[test]
fn another_owners_container_is_used_only_where_it_is_shared_and_never_stopped() {
    let world = World::new();
    let own = world.launch(&["--owner", "ann"]);
    world.check(
        &own,
        "guild sandbox exec $C --owner bob -- true\nguild sandbox stop $C --owner bob",
        &expect![[r#"
            $ guild sandbox exec $C --owner bob -- true
            [stderr]
            error[container_not_yours]: the container $C belongs to ann
            [exit 3]
            $ guild sandbox stop $C --owner bob
            [stderr]
            error[container_not_yours]: the container $C belongs to ann
            [exit 3]
        "#]],
    );
    let shared = world.launch(&["--owner", "ann", "--shared"]);
    world.check(
        &shared,
        "guild sandbox exec $C --owner bob -- echo shared\nguild sandbox stop $C --owner bob",
        &expect![[r#"
            $ guild sandbox exec $C --owner bob -- echo shared
            shared
            $ guild sandbox stop $C --owner bob
            [stderr]
            error[container_not_yours]: the container $C belongs to ann
            [exit 3]
        "#]],
    );
}

#[test]
fn an_owner_has_four_containers_at_the_most() {
    let world = World::new();
    world.0.write("//- /home/.config/guild/config.toml\n[sandbox]\nmemory_mb = 64\ncpus = 0.1\n");
    for _ in 0..4 {
        world.launch(&["--owner", "ann"]);
    }
    expect![[r#"
        $ guild sandbox launch --owner ann
        [stderr]
        error[container_ceiling]: ann has 4 containers already, and may have 4; stop one, or raise `sandbox.ceilings` in your own configuration
        [exit 3]
    "#]].assert_eq(&session(&world.0, "guild sandbox launch --owner ann"));
    world.launch(&["--owner", "bob"]);
    assert_eq!(world.containers().len(), 5);
}

#[test]
fn a_container_dies_with_its_supervisor_and_nothing_is_left() {
    let world = World::new();
    let id = world.launch(&[]);
    let supervisor = world.containers()[0]["supervisor"].as_i64().unwrap();
    let mut running =
        world.0.invocation(&["sandbox", "exec", &id, "--", "sh", "-c", "echo runs; sleep 60"]).spawn();
    assert_eq!(running.line(), "runs\n");
    kill(supervisor);
    let output = running.finish();
    assert_eq!(output.code(), Some(1), "{output}");
    wait_until("the container is gone", || world.containers().is_empty());
    let left = std::fs::read_dir(world.0.join("home/.local/state/guild/containers")).unwrap();
    let names: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["lock"]);
}

#[test]
fn without_a_home_nothing_can_live_on() {
    let world = World::new();
    expect![[r#"
        $ HOME= guild sandbox list
        [stderr]
        error[no_home]: there is no home directory; set HOME or XDG_STATE_HOME to an absolute path
        [exit 1]
    "#]]
    .assert_eq(&session(&world.0, "HOME= guild sandbox list"));
}
