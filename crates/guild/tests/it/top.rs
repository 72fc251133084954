//! `guild top`: what is going on, printed once and followed in a terminal.

use crate::desk::{Desk, HOUR, masked, shown};
use crate::envelope;
use expect_test::{Expect, expect};

/// A desk at which a request waits, a run was interrupted and a skill is broken; the request's id.
fn desk() -> (Desk, String) {
    let desk = Desk::new(
        "
        //- /home/.config/guild/config.toml
        builtins = false
        //- /project/.git/
        //- /project/.guild/skills/broken/SKILL.md
        no frontmatter
        ",
    );
    let id = desk.asked("report", shown().to_value(), HOUR);
    desk.crashed("measure");
    (desk, id)
}

#[track_caller]
fn check(script: &str, expected: &Expect) {
    let (desk, id) = desk();
    expected.assert_eq(&desk.session(&id, script));
}

#[test]
fn everything_that_is_going_on_is_printed_once() {
    check(
        "guild top --once",
        &expect![[r#"
        $ guild top --once
        1 request waiting
          writer asks to run report
          [APR 1] asked [TIME] by agent via mcp
          action      run
          agent       writer
          skill       report
          hash        [SHA256 1]
          workspace   /project
          expires     [TIME]
          source      project · /project/.guild/skills/report
          command     bash -lc 'cd /skill && bash report.sh --title '\''a b'\'''
          parameter   title = "a b"
          needs       workspace: read
          needs       network: host, which reaches local services too (new)
          changed     another hash was approved: sha256:0123
          changed     changed report.sh
          vet         warn.network.egress report.sh:3: sends something
                      curl -d @out
          what has changed since it was approved is no longer known here
        0 runs under way, 1 ended
        AT                        SKILL    AGENT   WHAT         OUTCOME
        [TIME]  measure  writer  interrupted  interrupted
        1 problem
        [ROOT]/project/.guild/skills/broken/SKILL.md:1:1: error[missing_frontmatter]: the file does not begin with a frontmatter block
    "#]],
    );
}

#[test]
fn without_a_terminal_it_is_printed_once_too_and_for_programs_as_an_envelope() {
    let (desk, id) = desk();
    let reply = envelope(&desk.env.guild(&["top", "--json"]).stdout());
    assert_eq!((&reply["status"], &reply["code"]), (&"ok".into(), &"ok".into()));
    let data = &reply["data"];
    assert_eq!(data["waiting"][0]["id"], id.as_str());
    assert_eq!(data["waiting"][0]["shown"]["command"][0], "bash");
    assert_eq!(
        data["waiting"][0]["contents"],
        serde_json::Value::Null,
        "no state of it was ever staged here"
    );
    assert_eq!(data["ended"][0]["kind"], "interrupted");
    assert_eq!(data["problem_count"], 1);
    assert_eq!(data["problems"][0]["file"], "[ROOT]/project/.guild/skills/broken/SKILL.md");
    assert_eq!(
        masked(&desk.env.guild(&["top"]).stdout()),
        masked(&desk.env.guild(&["top", "--once"]).stdout())
    );
}

#[test]
fn a_person_reads_a_request_in_the_terminal_approves_it_by_key_and_leaves_the_terminal_as_it_was() {
    let (desk, id) = desk();
    let mut screen = desk.env.invocation(&["top"]).env("TERM", "xterm-256color").full_screen();
    screen.see("Waiting for you");
    screen.see("report");
    screen.press("\r");
    screen.see("report.sh");
    screen.press("a");
    screen.see("any other key");
    screen.press("\r");
    screen.see("always_allow");
    screen.press("q");
    assert_eq!(screen.finish(), (Some(0), true));
    let grants = envelope(&desk.env.guild(&["grants", "list", "--json"]).stdout());
    let grant = &grants["data"]["grants"][0];
    assert_eq!((&grant["request"], &grant["mode"]), (&id.as_str().into(), &"always_allow".into()));
    assert_eq!((&grant["by"]["kind"], &grant["by"]["via"]), (&"person".into(), &"terminal".into()));
}

#[test]
fn what_comes_while_it_is_open_appears_and_a_denial_is_written() {
    let desk = Desk::new("//- /project/.git/\n");
    let mut screen = desk.env.invocation(&["top"]).env("TERM", "xterm-256color").full_screen();
    screen.see("nothing");
    desk.asked("later", shown().to_value(), HOUR);
    screen.see("later");
    screen.press("\r");
    screen.see("egress");
    screen.press("d");
    screen.see("any other key");
    screen.press("\r");
    screen.see("deny");
    screen.press("\u{3}");
    assert_eq!(screen.finish(), (Some(0), true));
    let grants = envelope(&desk.env.guild(&["grants", "list", "--json"]).stdout());
    assert_eq!(grants["data"]["grants"][0]["mode"], "deny");
}
