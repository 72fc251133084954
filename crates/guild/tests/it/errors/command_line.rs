//! Command lines that mean nothing, for people and for programs.

use super::check;
use crate::env;
use expect_test::expect;

#[test]
fn help_is_a_word_as_well_as_an_option() {
    let env = env("");
    for (word, option) in [
        (vec!["help"], vec!["--help"]),
        (vec!["help", "list"], vec!["list", "--help"]),
        (vec!["help", "plugins", "show"], vec!["plugins", "show", "--help"]),
    ] {
        let (word, option) = (env.guild(&word), env.guild(&option));
        assert_eq!((word.stdout(), word.code()), (option.stdout(), Some(0)));
    }
    check(
        "guild help nowhere",
        &expect![[r#"
        $ guild help nowhere
        [stderr]
        error: unrecognized subcommand 'nowhere'

        Usage: guild [OPTIONS] <COMMAND>

        For more information, try '--help'.
        [exit 2]
    "#]],
    );
}

#[test]
fn a_long_query_is_not_repeated_whole() {
    let output = env("").guild(&["search", &"xyzzy".repeat(2_000)]);
    assert!(output.stderr().chars().count() < 200, "{output}");
}

#[test]
fn a_query_and_a_file_must_not_be_empty() {
    check(
        "guild search ''\nguild search ' '\nguild search\nguild search -n 0 x\nguild search x --file ''\nguild prompt --file ' '",
        &expect![[r#"
            $ guild search ''
            [stderr]
            error[empty_query]: the query is empty; say what you are looking for
            [exit 2]
            $ guild search ' '
            [stderr]
            error[empty_query]: the query is empty; say what you are looking for
            [exit 2]
            $ guild search
            [stderr]
            error: the following required arguments were not provided:
              <QUERY>...

            Usage: guild search <QUERY>...

            For more information, try '--help'.
            [exit 2]
            $ guild search -n 0 x
            [stderr]
            error: invalid value '0' for '--limit <N>': write a whole number from 1 on

            For more information, try '--help'.
            [exit 2]
            $ guild search x --file ''
            [stderr]
            error[invalid_pattern]: the file is empty; name the file that is worked on
            [exit 2]
            $ guild prompt --file ' '
            [stderr]
            error[invalid_pattern]: the file is empty; name the file that is worked on
            [exit 2]
        "#]],
    );
}

#[test]
fn a_directory_that_is_not_there_ends_every_command() {
    check(
        "guild -C nowhere list\nguild list -C draft.md\nguild -C nowhere explain ok --json",
        &expect![[r#"
            $ guild -C nowhere list
            [stderr]
            error[path_not_found]: cannot work in `nowhere`: No such file or directory (os error 2)
            [exit 1]
            $ guild list -C draft.md
            [stderr]
            error[path_not_found]: cannot work in `draft.md`: it is no directory
            [exit 1]
            $ guild -C nowhere explain ok --json
            {"status":"error","code":"path_not_found","message":"cannot work in `nowhere`: No such file or directory (os error 2)","data":null}
            [exit 1]
        "#]],
    );
}

#[test]
fn a_number_below_nothing_is_told_what_is_to_be_written_instead() {
    check(
        "guild search x -n -1\nguild prompt --budget -5\nguild watch --for -1",
        &expect![[r#"
            $ guild search x -n -1
            [stderr]
            error: invalid value '-1' for '--limit <N>': write a whole number from 1 on

            For more information, try '--help'.
            [exit 2]
            $ guild prompt --budget -5
            [stderr]
            error: invalid value '-5' for '--budget <N>': write a number, or a number and `t`

            For more information, try '--help'.
            [exit 2]
            $ guild watch --for -1
            [stderr]
            error: invalid value '-1' for '--for <SECONDS>': write a number of seconds from 0.01 to 86400

            For more information, try '--help'.
            [exit 2]
        "#]],
    );
}

#[test]
fn a_wrong_command_line_is_explained_to_people_and_to_programs() {
    check(
        "guild lst\nguild lst --json\nguild --json\nguild list --sourc x\nguild list --json --sourc x\nguild prompt --budget many\nguild --json prompt --budget many\nguild check --sarif --json\nguild watch --interval 0\nguild new\nguild render",
        &expect![[r#"
            $ guild lst
            [stderr]
            error: unrecognized subcommand 'lst'

              tip: a similar subcommand exists: 'list'

            Usage: guild [OPTIONS] <COMMAND>

            For more information, try '--help'.
            [exit 2]
            $ guild lst --json
            {"status":"error","code":"usage","message":"unrecognized subcommand 'lst'; tip: a similar subcommand exists: 'list'","data":null}
            [exit 2]
            $ guild --json
            {"status":"error","code":"usage","message":"'guild' requires a subcommand but one was not provided; [subcommands: list, show, search, check, vet, contract, deps, run, hash, diff, roots, plugins, enable, disable, registry, secret, new, add, verify, sync, outdated, update, rollback, pin, remove, link, export, import, prompt, render, reload, watch, top, mcp, serve, login, servers, connect, sandbox, image, changes, requests, approve, deny, grants, receipts, replay, feedback, improve, token, tools, gc, doctor, explain, completions]","data":null}
            [exit 2]
            $ guild list --sourc x
            [stderr]
            error: unexpected argument '--sourc' found

              tip: a similar argument exists: '--source'

            Usage: guild list --source <SOURCE>

            For more information, try '--help'.
            [exit 2]
            $ guild list --json --sourc x
            {"status":"error","code":"usage","message":"unexpected argument '--sourc' found; tip: a similar argument exists: '--source'","data":null}
            [exit 2]
            $ guild prompt --budget many
            [stderr]
            error: invalid value 'many' for '--budget <N>': write a number, or a number and `t`

            For more information, try '--help'.
            [exit 2]
            $ guild --json prompt --budget many
            {"status":"error","code":"usage","message":"invalid value 'many' for '--budget <N>': write a number, or a number and `t`","data":null}
            [exit 2]
            $ guild check --sarif --json
            {"status":"error","code":"usage","message":"the argument '--sarif' cannot be used with '--json'","data":null}
            [exit 2]
            $ guild watch --interval 0
            [stderr]
            error: invalid value '0' for '--interval <SECONDS>': write a number of seconds from 0.01 to 86400

            For more information, try '--help'.
            [exit 2]
            $ guild new
            [stderr]
            error: the following required arguments were not provided:
              <NAME>

            Usage: guild new <NAME>

            For more information, try '--help'.
            [exit 2]
            $ guild render
            [stderr]
            error: the following required arguments were not provided:
              <NAME>

            Usage: guild render <NAME> [ARGS]...

            For more information, try '--help'.
            [exit 2]
        "#]],
    );
}

#[test]
fn a_container_that_cannot_be_had_says_why() {
    check(
        "guild sandbox run --mount .:/proc/x -- true\nguild sandbox run --mount nowhere:/x -- true\nguild sandbox run --backend chroot -- true\nguild sandbox run --backend podman -- true\nguild sandbox run --role defualt -- true\nguild sandbox run --memory lots -- true\nguild sandbox run --memory 1K -- true\nguild sandbox run true",
        &expect![[r#"
            $ guild sandbox run --mount .:/proc/x -- true
            [stderr]
            error[sandbox_policy_invalid]: the policy cannot be applied: `/proc/x` belongs to the kernel
            [exit 2]
            $ guild sandbox run --mount nowhere:/x -- true
            [stderr]
            error[sandbox_mount_failed]: cannot mount [ROOT]/project/nowhere: No such file or directory (os error 2)
            [exit 1]
            $ guild sandbox run --backend chroot -- true
            [stderr]
            error[unknown_backend]: there is no runtime `chroot` here; there is: embedded, docker, podman
            [exit 2]
            $ guild sandbox run --backend podman -- true
            [stderr]
            error[sandbox_unavailable]: podman cannot run containers here: no socket at /nowhere/podman.sock; start it with `systemctl --user start podman.socket`, or `podman system service --time=0 unix:///path/to/socket`
            [exit 4]
            $ guild sandbox run --role defualt -- true
            [stderr]
            error[unknown_image_role]: there is no image role `defualt`; there are: default; did you mean `default`?
            [exit 2]
            $ guild sandbox run --memory lots -- true
            [stderr]
            error: invalid value 'lots' for '--memory <SIZE>': a size is a number with K, M or G, such as 512M

            For more information, try '--help'.
            [exit 2]
            $ guild sandbox run --memory 1K -- true
            [stderr]
            error: invalid value '1K' for '--memory <SIZE>': memory is at least 16M and at most 1048576M

            For more information, try '--help'.
            [exit 2]
            $ guild sandbox run true
            [stderr]
            error: unexpected argument 'true' found

            Usage: guild sandbox run [OPTIONS] -- <CMD>...

            For more information, try '--help'.
            [exit 2]
        "#]],
    );
}
