//! The help of every command, as it is printed into a pipe.

use crate::{env, subcommands};
use expect_test::expect_file;
use guild_testkit::Env;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The help, without the blanks that clap leaves on empty lines.
#[track_caller]
pub fn help_of(env: &Env, arguments: &[&str]) -> String {
    let output = env.guild(arguments);
    assert!(output.stderr().is_empty() && output.code() == Some(0), "{output}");
    output.stdout().lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

#[test]
fn the_help_of_every_command_is_as_it_was() {
    let env = env("");
    expect_file!["help/guild.txt"].assert_eq(&help_of(&env, &["--help"]));
    for command in subcommands() {
        let help = help_of(&env, &command.split(' ').chain(["--help"]).collect::<Vec<_>>());
        expect_file![format!("help/{}.txt", command.replace(' ', "-"))].assert_eq(&help);
    }
}

#[test]
fn no_help_is_kept_of_a_command_that_is_gone() {
    let kept = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/help")).unwrap();
    let kept: BTreeSet<String> = kept.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    let known = subcommands().into_iter().chain(["guild".to_owned()]);
    let known = known.map(|command| format!("{}.txt", command.replace(' ', "-")));
    assert_eq!(kept, known.collect());
}

#[test]
fn short_and_long_help_have_no_colour_in_a_pipe() {
    for arguments in [["-h"], ["--help"]] {
        assert!(!env("").guild(&arguments).raw_stdout().contains(&0x1b));
    }
}

#[test]
fn the_version_is_one_line() {
    assert_eq!(env("").guild(&["--version"]).stdout(), concat!("guild ", env!("CARGO_PKG_VERSION"), "\n"));
}
