//! `guild watch` while files come and go under it.

use crate::{env, envelope};
use guild_testkit::{Env, Running};
use std::fs;

const WORLD: &str = "
//- /home/.config/guild/config.toml
builtins = false
//- /project/.guild/skills/review/SKILL.md
---
name: review
description: Looks at a change
---
Look.
";

/// A watch that looks often and has a bound, if all else fails.
fn watch(env: &Env, more: &[&str]) -> Running {
    let arguments: Vec<&str> =
        ["watch", "--interval", "0.02", "--for", "60"].into_iter().chain(more.iter().copied()).collect();
    env.invocation(&arguments).spawn()
}

fn deploy(env: &Env, description: &str) {
    // Written elsewhere and moved, so that no look sees half of it.
    env.write(&format!(
        "//- /project/tmp/SKILL.md\n---\nname: deploy\ndescription: {description}\n---\nShip.\n"
    ));
    let directory = env.join("project/.guild/skills/deploy");
    fs::create_dir_all(&directory).unwrap();
    fs::rename(env.join("project/tmp/SKILL.md"), directory.join("SKILL.md")).unwrap();
}

#[test]
fn what_comes_goes_and_becomes_another_is_told_line_by_line() {
    let env = env(WORLD);
    let mut run = watch(&env, &[]);
    assert_eq!(run.error_line(), "watching 1 skill in 1 place, every 0.02 s\n");
    deploy(&env, "Ships it");
    assert_eq!(run.line(), "+ deploy [ROOT]/project/.guild/skills/deploy/SKILL.md\n");
    deploy(&env, "Ships it, and more carefully");
    assert_eq!(run.line(), "~ deploy [ROOT]/project/.guild/skills/deploy/SKILL.md\n");
    fs::rename(env.join("project/.guild/skills/deploy"), env.join("project/gone")).unwrap();
    assert_eq!(run.line(), "- deploy [ROOT]/project/.guild/skills/deploy/SKILL.md\n");
}

#[test]
fn for_programs_every_line_is_an_envelope() {
    let env = env(WORLD);
    let mut run = watch(&env, &["--json"]);
    run.error_line();
    deploy(&env, "Ships it");
    let added = envelope(&run.line());
    assert_eq!((&added["status"], &added["code"]), (&"ok".into(), &"ok".into()));
    assert_eq!(added["data"]["added"][0]["name"], "deploy");
    assert_eq!(added["data"]["added"][0]["path"], "[ROOT]/project/.guild/skills/deploy/SKILL.md");
    assert_eq!(added["data"]["skill_count"], 2);
    env.write("//- /home/.config/guild/config.toml\nbuiltins = \n");
    let failed = envelope(&run.line());
    assert_eq!((&failed["status"], &failed["code"]), (&"error".into(), &"reload_failed".into()));
    assert_eq!(failed["data"]["snapshot"], added["data"]["snapshot"], "what was known stays");
}

#[test]
fn a_look_that_fails_is_told_once_and_what_was_known_stays() {
    let env = env(WORLD);
    let mut run = watch(&env, &[]);
    run.error_line();
    env.write("//- /home/.config/guild/config.toml\nbuiltins = \n");
    let error = run.error_line();
    assert!(error.starts_with("error[reload_failed]: [ROOT]/home/.config/guild/config.toml: "), "{error}");
    assert!(error.ends_with("; what was known before stays in effect\n"), "{error}");
    env.write("//- /home/.config/guild/config.toml\nbuiltins = false\n");
    deploy(&env, "Ships it");
    assert_eq!(run.line(), "+ deploy [ROOT]/project/.guild/skills/deploy/SKILL.md\n");
}

#[test]
fn it_ends_when_nobody_reads_any_more() {
    let env = env(WORLD);
    let mut run = watch(&env, &[]);
    run.error_line();
    run.close_stdout();
    deploy(&env, "Ships it");
    let output = run.finish();
    assert_eq!((output.code(), output.stderr().as_str()), (Some(0), ""));
}

#[test]
fn it_ends_after_the_time_that_was_given() {
    let output = env(WORLD).guild(&["watch", "--for", "0.05", "--interval", "0.02", "-q"]);
    assert_eq!(output.to_string(), "exit: 0\n--- stdout\n--- stderr\n");
}
