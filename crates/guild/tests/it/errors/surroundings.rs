//! Homes, configurations, directories and outputs that are not what a command needs.

use super::{WORLD, check_in};
use crate::{env, envelope};
use expect_test::{Expect, expect};
use guild_testkit::Env;

#[test]
fn a_home_that_is_no_directory_is_no_reason_to_warn() {
    let world = env(WORLD);
    let output = world.invocation(&["list"]).env("HOME", "/dev/null").output();
    expect!["14 skills, 1 hidden by another of the same name (see `--all`)"]
        .assert_eq(output.stderr().trim_end());
}

#[test]
fn a_configuration_that_cannot_be_read_is_told_by_every_command() {
    let env = env(WORLD);
    env.write("//- /home/.config/guild/config.toml\n[agents.default\nskills = []\n");
    env.write("//- /etc/guild/config.toml/\n");
    check_in(
        &env,
        "guild plugins -q\nguild prompt --agent x --format bullets --budget 30\nguild doctor",
        &expect![[r#"
            $ guild plugins -q
            NAME           VERSION  SOURCE   SKILLS  STATE  DESCRIPTION
            a              -        project  1       on
            b              -        project  1       on
            guild-samples  0.1.0    builtin  3       on     Skills that come with Guildhall: complexity of Python code, worksheets for debugging, a scan for systemic weaknesses.
            [stderr]
            warning: [ROOT]/etc/guild/config.toml:1: the file cannot be read: it is no regular file; its settings are not in effect, and agents are offered no skill until it is mended
            warning: [ROOT]/home/.config/guild/config.toml:1: invalid TOML: unclosed table, expected `]`; its settings are not in effect, and agents are offered no skill until it is mended
            $ guild prompt --agent x --format bullets --budget 30
            [stderr]
            warning: [ROOT]/etc/guild/config.toml:1: the file cannot be read: it is no regular file; its settings are not in effect, and agents are offered no skill until it is mended
            warning: [ROOT]/home/.config/guild/config.toml:1: invalid TOML: unclosed table, expected `]`; its settings are not in effect, and agents are offered no skill until it is mended
            $ guild doctor
            good  workspace      [ROOT]/project (no repository; only this directory counts)
            bad   configuration  [ROOT]/etc/guild/config.toml, [ROOT]/home/.config/guild/config.toml; 2 problems
                                 hint: run `guild check` for the lines
            good  roots          2 of 171 known places are there, 0 cannot be read
            good  index          kept below [ROOT]/home/.cache/guild
            good  skills         14 load, 0 do not
            good  descriptions   every skill has one
            good  eligibility    every skill has what it asks for
            look  collisions     1 name borne more than once: review
                                 hint: run `guild list --all` to see who wins
            good  plugins        3 load, 0 do not
            good  allowlists     configured for default; 0 unknown names
            good  embedded       usable ([WALLS])
            good  docker         not usable: no socket at /nowhere/docker.sock
                                 hint: start it with `systemctl start docker`
            good  podman         not usable: no socket at /nowhere/podman.sock
                                 hint: start it with `systemctl --user start podman.socket`, or `podman system service --time=0 unix:///path/to/socket`
            [stderr]
            warning: [ROOT]/etc/guild/config.toml:1: the file cannot be read: it is no regular file; its settings are not in effect, and agents are offered no skill until it is mended
            warning: [ROOT]/home/.config/guild/config.toml:1: invalid TOML: unclosed table, expected `]`; its settings are not in effect, and agents are offered no skill until it is mended
        "#]],
    );
}

#[test]
fn programs_find_it_among_the_problems() {
    let env = env(WORLD);
    env.write("//- /home/.config/guild/config.toml\n[agents.default\nskills = []\n");
    for arguments in [["list", "--json"], ["prompt", "--json"]] {
        let output = env.guild(&arguments);
        assert_eq!(output.stderr(), "");
        assert_eq!(envelope(&output.stdout())["data"]["problems"][0]["code"], "config_invalid");
    }
}

#[test]
fn a_project_that_offers_a_pipe_as_its_configuration_is_not_waited_for() {
    let env = env(WORLD);
    std::os::unix::fs::symlink("/dev/zero", env.join("project/guild.toml")).unwrap();
    check_in(
        &env,
        "guild check",
        &expect![[r#"
            $ guild check
            [ROOT]/project/.guild/skills/deep/1/2/3/4/5/6/7/8/9/10/11/12/13:1:1: warning[scan_limit]: the skill has more than 10000 files or is deeper than 12
              hint: keep what the skill does not need elsewhere
            [ROOT]/project/.guild/skills/deep/SKILL.md:1:1: warning[body_too_short]: the skill has 47 bytes; fewer than 80 are too short to be of use
             1 | ---
               | ^
              hint: say when to use the skill, its steps and how to verify them
            [ROOT]/project/.guild/skills/leaky/SKILL.md:1:1: warning[body_too_short]: the skill has 59 bytes; fewer than 80 are too short to be of use
             1 | ---
               | ^
              hint: say when to use the skill, its steps and how to verify them
            [ROOT]/project/guild.toml:1:1: error[config_invalid]: the file cannot be read: it is no regular file
              hint: check what it is and who may read it
            [stderr]
            error[check_failed]: 5 skills, 5 loaded, 1 error, 3 warnings
            [exit 1]
        "#]],
    );
}

/// What comes of a line of shell in which `$0` is the command.
#[cfg(target_os = "linux")]
#[track_caller]
fn check_shell(line: &str, expect: &Expect) {
    let shell = Env::new("/bin/sh");
    shell.write("//- /project/.guild/skills/\n");
    expect.assert_eq(&shell.guild(&["-c", line, env!("CARGO_BIN_EXE_guild")]).to_string());
}

#[cfg(target_os = "linux")]
#[test]
fn help_that_cannot_be_written_is_a_failure() {
    check_shell(
        "exec \"$0\" --help > /dev/full",
        &expect![[r#"
        exit: 1
        --- stdout
        --- stderr
        error[write_failed]: cannot write the output: No space left on device (os error 28)
    "#]],
    );
    check_shell(
        "exec \"$0\" --version > /dev/full",
        &expect![[r#"
        exit: 1
        --- stdout
        --- stderr
        error[write_failed]: cannot write the output: No space left on device (os error 28)
    "#]],
    );
}

#[cfg(target_os = "linux")]
#[test]
fn in_a_directory_that_is_gone_whole_paths_and_fixed_answers_still_work() {
    check_shell(
        "here=$PWD; /bin/mkdir gone; cd gone; /bin/rmdir ../gone
        \"$0\" list; \"$0\" explain usage; exec \"$0\" -C \"$here\" list --source project",
        &expect![[r#"
            exit: 0
            --- stdout
            usage (outcome, exit code 2)
            The command line is wrong.
            --- stderr
            error[path_not_found]: cannot work in `.`: No such file or directory (os error 2)
            0 skills
        "#]],
    );
}

#[test]
fn an_index_that_cannot_be_kept_is_told() {
    let env = env(WORLD);
    env.write("//- /home/.cache\nA file stands where a directory is needed.\n");
    let output = env.guild(&["doctor"]).stdout();
    let lines: Vec<&str> = output.lines().skip_while(|line| !line.contains(" index ")).take(2).collect();
    expect![[r#"
        look  index          [ROOT]/home/.cache/guild cannot be written; every run reads every file
                             hint: make it a directory that you may write to"#]]
    .assert_eq(&lines.join("\n"));
}

#[test]
#[cfg(unix)]
fn a_directory_in_the_path_that_is_no_text_does_not_take_the_others_along() {
    use std::{ffi::OsString, os::unix::ffi::OsStringExt as _};
    let env = env("
        //- /project/.guild/skills/a/SKILL.md
        ---
        name: a
        description: d
        metadata: {openclaw: {requires: {bins: [tool]}}}
        ---
        x
        //- /bin/tool mode:755
        ");
    let mut path = b"/o\xffdd:".to_vec();
    path.extend(env.join("bin").into_os_string().into_vec());
    let shown = env.invocation(&["show", "a"]).env("PATH", OsString::from_vec(path)).output().stdout();
    assert!(shown.contains("eligible     yes"), "{shown}");
}
