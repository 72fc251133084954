//! Output through a real pipe: complete when it is read slowly, quiet when nobody reads on.

use crate::{env, envelope};
use guild_testkit::Env;
use std::fs;
use std::process::Stdio;

const SKILLS: usize = 3_000;

/// A project with more than fits into any pipe.
fn crowd() -> Env {
    let env = env("//- /project/.git/\n//- /home/.config/guild/config.toml\nbuiltins = false\n");
    let text = "x".repeat(200);
    for number in 0..SKILLS {
        let directory = env.project().join(format!(".guild/skills/skill-{number:04}"));
        fs::create_dir_all(&directory).unwrap();
        let skill =
            format!("---\nname: skill-{number:04}\ndescription: Number {number} {text}\n---\n\nDo it.\n");
        fs::write(directory.join("SKILL.md"), skill).unwrap();
    }
    env
}

#[test]
fn a_large_reply_is_complete_however_slowly_it_is_read_and_quiet_when_it_is_not() {
    let env = crowd();

    let mut run = env.invocation(&["list", "--json"]).spawn();
    let mut bytes = Vec::new();
    loop {
        // Pieces that are far smaller than a pipe: the writer has to wait again and again.
        let piece = run.read(512);
        if piece.is_empty() {
            break;
        }
        bytes.extend(piece);
    }
    assert_eq!(run.finish().code(), Some(0));
    assert!(bytes.len() > 1_000_000, "{} bytes", bytes.len());
    let envelope = envelope(&String::from_utf8(bytes).unwrap());
    assert_eq!(envelope["data"]["count"], SKILLS);
    assert_eq!(envelope["data"]["skills"].as_array().unwrap().len(), SKILLS);

    for arguments in [
        &["list", "--json"] as &[&str],
        &["list"],
        &["prompt", "--budget", "9999999"],
        &["check", "--json"],
        &["search", "number", "-n", "3000"],
    ] {
        let mut run = env.invocation(arguments).spawn();
        let mut count = 0;
        while count < 1024 {
            count += run.read(1024 - count).len();
        }
        run.close_stdout();
        let output = run.finish();
        assert_eq!((output.code(), output.stderr().as_str()), (Some(0), ""), "{arguments:?}");
    }
}

#[test]
fn a_reader_that_is_gone_from_the_start_is_no_defect() {
    for arguments in
        [&["completions", "bash"] as &[&str], &["--help"], &["roots", "--all"], &["show", "init"]]
    {
        let env = env("");
        let mut run = env.invocation(arguments).spawn();
        run.close_stdout();
        let output = run.finish();
        assert_eq!(output.code(), Some(0), "{arguments:?}: {output}");
        assert!(!output.stderr().contains("panicked"), "{output}");
        assert!(!output.stderr().contains("internal"), "{output}");
    }
}

#[test]
fn a_command_in_a_container_ends_when_its_reader_has_seen_enough() {
    let env = env("");
    let launched = env.guild(&["sandbox", "launch", "--timeout", "60s"]).stdout();
    let exec = ["sandbox", "exec", launched.trim(), "--", "yes"];
    for arguments in [&["sandbox", "run", "--timeout", "60s", "--", "yes"] as &[&str], &exec] {
        let mut run = env.invocation(arguments).spawn();
        assert_eq!(run.line(), "y\n");
        run.close_stdout();
        let output = run.finish();
        assert_eq!((output.code(), output.stderr().as_str()), (Some(141), ""), "{arguments:?}");
    }
    let left = env.guild(&["sandbox", "exec", launched.trim(), "--", "pgrep", "yes"]);
    let _ = env.guild(&["sandbox", "stop", launched.trim()]).code();
    assert_eq!(left.code(), Some(1), "what the reader left still runs: {left}");
}

#[test]
fn a_command_that_has_said_all_that_is_passed_on_ends_when_its_reader_has_gone() {
    let env = env("");
    let script = "head -c 2000000 /dev/zero; sleep 1000";
    let mut run = env.invocation(&["sandbox", "run", "--timeout", "60s", "--", "sh", "-c", script]).spawn();
    let mut count = 0;
    while count < 1 << 20 {
        count += run.read((1 << 20) - count).len();
    }
    run.close_stdout();
    let output = run.finish();
    assert_eq!((output.code(), output.stderr().as_str()), (Some(141), ""));
}

#[test]
fn a_skill_ends_when_its_reader_has_seen_enough_and_its_receipt_says_so() {
    let env = env(
        "//- /project/.git/\n//- /project/.guild/skills/talk/SKILL.md\n---\nname: talk\ndescription: Talks\nscript: talk.sh\ntimeout_seconds: 60\n---\nTalk.\n//- /project/.guild/skills/talk/talk.sh\nyes\n",
    );
    let mut run = env.invocation(&["run", "talk", "--approve", "once"]).spawn();
    assert_eq!(run.line(), "y\n");
    run.close_stdout();
    let output = run.finish();
    assert_eq!(output.code(), Some(130), "{output}");
    assert!(output.stderr().contains("nobody reads its output any more"), "{output}");
    let receipts = envelope(&env.guild(&["receipts", "list", "--json"]).stdout());
    assert_eq!(receipts["data"]["receipts"][0]["kind"], "interrupted", "{receipts}");
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_a_failure_though_the_command_ran() {
    let env = env(
        "//- /project/.git/\n//- /project/.guild/skills/talk/SKILL.md\n---\nname: talk\ndescription: Talks\nscript: talk.sh\n---\nTalk.\n//- /project/.guild/skills/talk/talk.sh\necho hello\n",
    );
    for arguments in
        [&["sandbox", "run", "--", "echo", "hello"] as &[&str], &["run", "talk", "--approve", "once"]]
    {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = env.invocation(arguments).between(Stdio::null(), full).finish();
        assert_eq!(output.code(), Some(1), "{output}");
        let expected =
            "error[write_failed]: cannot write the output: No space left on device (os error 28)\n";
        assert_eq!(output.stderr(), expected);
    }
    let receipts = envelope(&env.guild(&["receipts", "list", "--json"]).stdout());
    let last = &receipts["data"]["receipts"][0];
    assert_eq!((&last["kind"], &last["code"]), (&"finished".into(), &"ok".into()), "{receipts}");
}
