//! What waits for a person, what they answer, and what holds because of it.

use crate::desk::{Desk, HOUR, masked, shown};
use crate::envelope;
use expect_test::{Expect, expect};
use serde_json::json;
use std::time::Duration;

fn desk() -> (Desk, String) {
    let desk = Desk::new("");
    let id = desk.asked("report", shown().to_value(), HOUR);
    (desk, id)
}

#[track_caller]
fn check(desk: &Desk, id: &str, script: &str, expected: &Expect) {
    expected.assert_eq(&desk.session(id, script));
}

/// What a person at a terminal sees and types.
#[track_caller]
fn check_typed(desk: &Desk, arguments: &[&str], typed: &str, expected: &Expect) {
    let arguments = [arguments, &["--color", "never"]].concat();
    let shown = desk.env.invocation(&arguments).typed(typed).to_string();
    // A question ends with a blank, which snapshots do not.
    expected.assert_eq(&masked(&shown).replace(" \n", "\n"));
}

#[test]
fn a_request_is_approved_once_and_answered_once() {
    let (desk, id) = desk();
    check(
        &desk,
        &id,
        "guild requests\nguild approve $ID --once --for 30d\nguild requests\nguild approve $ID --always\nguild deny $ID\nguild grants list",
        &expect![[r#"
            $ guild requests
            ID                              ACTION  AGENT   SKILL   EXPIRES
            [APR 1]  run     writer  report  [TIME]
            [stderr]
            1 request
            $ guild approve [APR 1] --once --for 30d
            [stderr]
            run_once ([GRT 1]): run of `report` for agent `writer`
            $ guild requests
            [stderr]
            0 requests
            $ guild approve [APR 1] --always
            [stderr]
            error[already_decided]: [APR 1] was answered before
            [exit 1]
            $ guild deny [APR 1]
            [stderr]
            error[already_decided]: [APR 1] was answered before
            [exit 1]
            $ guild grants list
            ID                              MODE      AGENT   SKILL   EXPIRES                   WORKSPACE
            [GRT 1]  run_once  writer  report  [TIME]  /project
            [stderr]
            1 grant
        "#]],
    );
}

#[test]
fn without_a_terminal_a_person_says_how_often() {
    let (desk, id) = desk();
    check(
        &desk,
        &id,
        "guild approve $ID\nguild approve $ID --once --always\nguild approve $ID --for never",
        &expect![[r#"
        $ guild approve [APR 1]
        [stderr]
        error[usage]: without a terminal, say --once or --always
        [exit 2]
        $ guild approve [APR 1] --once --always
        [stderr]
        error: the argument '--once' cannot be used with '--always'

        Usage: guild approve --once <ID>

        For more information, try '--help'.
        [exit 2]
        $ guild approve [APR 1] --for never
        [stderr]
        error: invalid value 'never' for '--for <TIME>': write how long, such as `30d` or `12h`

        For more information, try '--help'.
        [exit 2]
    "#]],
    );
}

#[test]
fn a_denial_sticks_until_it_is_lifted() {
    let (desk, id) = desk();
    let denied = desk.env.guild(&["deny", &id, "--json"]);
    let grant = envelope(&denied.stdout())["data"]["grant"]["id"].as_str().unwrap().to_owned();
    let again = desk.asked("report", shown().to_value(), HOUR);
    check(
        &desk,
        &again,
        &format!(
            "guild approve $ID --once\nguild grants revoke {grant}\nguild grants lift {grant}\nguild grants lift {grant}\nguild approve $ID --always"
        ),
        &expect![[r#"
            $ guild approve [APR 1] --once
            [stderr]
            error[denial_stands]: it is denied by [GRT 1]; `guild grants lift [GRT 1]` lifts that
            [exit 3]
            $ guild grants revoke [GRT 1]
            [stderr]
            error[grant_not_found]: there is no such grant or denial `[GRT 1]`; `guild grants list` shows them: grants are revoked, denials lifted
            [exit 1]
            $ guild grants lift [GRT 1]
            [stderr]
            [GRT 1] is lifted
            $ guild grants lift [GRT 1]
            [stderr]
            error[already_decided]: [GRT 1] has ended before
            [exit 1]
            $ guild approve [APR 1] --always
            [stderr]
            always_allow ([GRT 2]): run of `report` for agent `writer`
        "#]],
    );
}

#[test]
fn a_grant_is_revoked() {
    let (desk, id) = desk();
    let approved = envelope(&desk.env.guild(&["approve", &id, "--always", "--json"]).stdout());
    let grant = approved["data"]["grant"]["id"].as_str().unwrap();
    check(
        &desk,
        grant,
        "guild grants lift $ID\nguild grants revoke $ID\nguild grants list\nguild grants revoke grt_nothing",
        &expect![[r#"
            $ guild grants lift [GRT 1]
            [stderr]
            error[grant_not_found]: there is no such grant or denial `[GRT 1]`; `guild grants list` shows them: grants are revoked, denials lifted
            [exit 1]
            $ guild grants revoke [GRT 1]
            [stderr]
            [GRT 1] is revoked
            $ guild grants list
            [stderr]
            0 grants
            $ guild grants revoke grt_nothing
            [stderr]
            error[grant_not_found]: there is no such grant or denial `grt_nothing`; `guild grants list` shows them: grants are revoked, denials lifted
            [exit 1]
        "#]],
    );
}

#[test]
fn an_agent_decides_nothing_and_leaves_a_receipt_of_trying() {
    let (desk, id) = desk();
    check(
        &desk,
        &id,
        "guild approve $ID --agent writer\nguild approve $ID --once --agent writer\nguild deny $ID --agent writer\nguild requests\nguild receipts list --kind denied",
        &expect![[r#"
            $ guild approve [APR 1] --agent writer
            [stderr]
            error[person_required]: agent `writer` cannot decide this; it takes a person
            [exit 3]
            $ guild approve [APR 1] --once --agent writer
            [stderr]
            error[person_required]: agent `writer` cannot decide this; it takes a person
            [exit 3]
            $ guild deny [APR 1] --agent writer
            [stderr]
            error[person_required]: agent `writer` cannot decide this; it takes a person
            [exit 3]
            $ guild requests
            ID                              ACTION  AGENT   SKILL   EXPIRES
            [APR 1]  run     writer  report  [TIME]
            [stderr]
            1 request
            $ guild receipts list --kind denied
            ID                              AT                        KIND    CODE             AGENT   SKILL
            [RCP 1]  [TIME]  denied  person_required  writer  -
            [RCP 2]  [TIME]  denied  person_required  writer  -
            [RCP 3]  [TIME]  denied  person_required  writer  -
            [stderr]
            3 receipts
        "#]],
    );
}

#[test]
fn the_configuration_can_forbid_approving_without_a_terminal() {
    let (desk, id) = desk();
    desk.env.write("//- /home/.config/guild/config.toml\n[approvals]\nflag = false\n");
    check(
        &desk,
        &id,
        "guild approve $ID --once\nguild requests\nguild deny $ID",
        &expect![[r#"
        $ guild approve [APR 1] --once
        [stderr]
        error[approval_way_forbidden]: the configuration has `approvals.flag = false`: approve at a terminal
        [exit 3]
        $ guild requests
        ID                              ACTION  AGENT   SKILL   EXPIRES
        [APR 1]  run     writer  report  [TIME]
        [stderr]
        1 request
        $ guild deny [APR 1]
        [stderr]
        deny ([GRT 1]): run of `report` for agent `writer`
    "#]],
    );
}

#[test]
fn a_project_cannot_allow_what_the_person_forbids() {
    let (desk, id) = desk();
    desk.env.write("//- /home/.config/guild/config.toml\n[approvals]\nflag = false\n//- /project/guild.toml\n[approvals]\nflag = true\n");
    assert_eq!(desk.env.guild(&["approve", &id, "--once"]).code(), Some(3));
}

#[test]
fn what_nobody_answers_expires() {
    let desk = Desk::new("");
    let id = desk.asked("report", shown().to_value(), Duration::ZERO);
    check(
        &desk,
        &id,
        "guild requests\nguild approve $ID --once\nguild deny apr_nothing",
        &expect![[r#"
        $ guild requests
        [stderr]
        0 requests
        $ guild approve [APR 1] --once
        [stderr]
        error[request_expired]: [APR 1] has expired; ask again for what it was about
        [exit 1]
        $ guild deny apr_nothing
        [stderr]
        error[request_not_found]: there is no request `apr_nothing`; `guild requests` shows those that wait
        [exit 1]
    "#]],
    );
}

#[test]
fn a_person_at_a_terminal_is_shown_everything_and_types_a_word() {
    let (desk, id) = desk();
    check_typed(
        &desk,
        &["approve", &id],
        "\n\nonce\n",
        &expect![[r#"
            exit: 0
            --- stdout
            --- stderr
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
            Approve? [once/always/deny/later] Approve? [once/always/deny/later] Approve? [once/always/deny/later] run_once ([GRT 1]): run of `report` for agent `writer`
        "#]],
    );
    let grants = envelope(&desk.env.guild(&["grants", "list", "--json"]).stdout());
    let grant = &grants["data"]["grants"][0];
    assert_eq!((&grant["mode"], &grant["by"]["via"]), (&"run_once".into(), &"terminal".into()));
}

#[test]
fn enter_alone_and_going_away_decide_nothing() {
    let (desk, id) = desk();
    check_typed(
        &desk,
        &["approve", &id, "--always", "-q"],
        "\n",
        &expect![[r#"
            exit: 3
            --- stdout
            --- stderr
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
            Approve every such run? [yes/deny/later] Approve every such run? [yes/deny/later]
            error[not_confirmed]: nothing was decided; [APR 1] still waits
        "#]],
    );
    check_typed(
        &desk,
        &["approve", &id, "--once", "-q"],
        "later\n",
        &expect![[r#"
            exit: 3
            --- stdout
            --- stderr
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
            Approve this run, one time? [yes/deny/later] error[not_confirmed]: nothing was decided; [APR 1] still waits
        "#]],
    );
    assert_eq!(desk.env.guild(&["requests"]).stderr(), "1 request\n");
}

#[test]
fn a_person_at_a_terminal_can_deny_instead() {
    let (desk, id) = desk();
    let output = desk.env.invocation(&["approve", &id, "--json"]).typed("deny\n");
    assert_eq!(envelope(&output.stdout())["data"]["decision"], "deny");
}

#[test]
fn a_terminal_counts_where_the_flag_does_not() {
    let (desk, id) = desk();
    desk.env.write("//- /home/.config/guild/config.toml\n[approvals]\nflag = false\n");
    assert_eq!(desk.env.invocation(&["approve", &id, "--always"]).typed("yes\n").code(), Some(0));
}

#[test]
fn a_hostile_skill_does_nothing_to_the_terminal_of_whoever_decides() {
    let evil = "\u{1b}[2J\u{202e}evil\nagent  admin";
    let mut all = shown();
    all.source = evil.to_owned();
    all.command = vec![evil.to_owned()];
    all.parameters = [(evil.to_owned(), evil.into())].into();
    all.capabilities[0].value = evil.to_owned();
    all.changed[0].path = evil.to_owned();
    all.findings[0].evidence = evil.to_owned();
    all.findings[0].message = evil.to_owned();
    let desk = Desk::new("");
    let id = desk.asked(evil, all.to_value(), HOUR);
    let output = desk.env.invocation(&["approve", &id, "--color", "never"]).typed("once\n");
    let text = output.stderr()
        + &desk.env.guild(&["requests"]).stdout()
        + &desk.env.guild(&["grants", "list"]).stdout();
    for line in text.split('\n') {
        assert!(!line.chars().any(|c| c.is_control() || c == '\u{202e}'), "{line:?}");
        assert!(!line.starts_with("agent  admin"), "{text}");
    }
    assert_eq!(output.code(), Some(0), "{output}");
}

#[test]
fn what_another_program_shows_in_its_own_words_is_shown_as_it_is() {
    let desk = Desk::new("");
    let id = desk.asked("report", json!({"command": ["sh"], "mood": "gr\u{202e}im"}), HOUR);
    check_typed(
        &desk,
        &["approve", &id],
        "later\n",
        &expect![[r#"
            exit: 3
            --- stdout
            --- stderr
            action      run
            agent       writer
            skill       report
            hash        [SHA256 1]
            workspace   /project
            expires     [TIME]
            asked       {"command":["sh"],"mood":"gr\u202eim"}
            Approve? [once/always/deny/later] error[not_confirmed]: nothing was decided; [APR 1] still waits
        "#]],
    );
}
