//! Frames as a person sees them, and what keys do there.

use super::super::view::{Act, Answer, View};
use super::draw;
use expect_test::{Expect, expect};
use guild_engine::ledger::{Principal, Timestamp};
use guild_engine::reply::{
    Comparison, FileChange, PrincipalLine, ProblemLine, ReceiptLine, RequestLine, Top, WaitingLine,
};
use guild_engine::{Envelope, Shown, ShownFinding, difference};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::time::{Duration, SystemTime};

/// What a hostile author puts wherever text is taken.
const HOSTILE: &str = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{202e}\u{9b}31m\u{200b}";

fn agent() -> PrincipalLine {
    PrincipalLine::of(&Principal::agent("writer", "mcp"))
}

fn at(seconds: u64) -> Timestamp {
    Timestamp::from(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds))
}

fn request(id: &str, skill: &str, action: &str) -> WaitingLine {
    let shown = Shown {
        command: ["bash", "-lc", "cd /skill && bash report.sh --title 'a b'"].map(str::to_owned).to_vec(),
        approved: Some("sha256:0123".to_owned()),
        findings: vec![ShownFinding {
            code: "warn.network.egress".to_owned(),
            severity: "warn".to_owned(),
            path: "report.sh".to_owned(),
            line: 2,
            message: "sends something".to_owned(),
            evidence: format!("curl -d @out{HOSTILE}"),
        }],
        ..Shown::default()
    };
    let file = FileChange {
        path: format!("report{HOSTILE}.sh"),
        change: "changed",
        was_executable: Some(false),
        is_executable: Some(true),
        lock: false,
        difference: difference(b"echo one\n", format!("echo two{HOSTILE}\n").as_bytes()),
    };
    WaitingLine {
        request: RequestLine {
            id: id.to_owned(),
            action: action.to_owned(),
            agent: "writer".to_owned(),
            skill: skill.to_owned(),
            security_hash: Some("sha256:4567".to_owned()),
            workspace: "/project".to_owned(),
            by: agent(),
            at: at(100).to_string(),
            expires: at(900).to_string(),
            shown: shown.to_value(),
        },
        contents: Some(Comparison { files: vec![file], ..Comparison::default() }),
    }
}

fn receipt(kind: &'static str, code: &str, skill: &str) -> ReceiptLine {
    ReceiptLine {
        id: "rcp_1".to_owned(),
        seq: 1,
        installation: "ins_1".to_owned(),
        at: at(40).to_string(),
        kind,
        code: code.to_owned(),
        skill: Some(skill.to_owned()),
        security_hash: None,
        principal: agent(),
        run: None,
        note: None,
    }
}

fn top() -> Top {
    Top {
        workspace: format!("/project{HOSTILE}"),
        skill_count: 3,
        waiting: vec![
            request("apr_1", "report", "run"),
            request("apr_2", &format!("evil{HOSTILE}"), "install"),
        ],
        running: vec![receipt("started", "ok", "measure")],
        ended: vec![receipt("finished", "ok", "notes"), receipt("denied", "approval_denied", "deploy")],
        problems: vec![ProblemLine {
            code: "missing_frontmatter",
            severity: "error",
            file: format!("/project/a{HOSTILE}").into(),
            line: 1,
            column: 1,
            message: format!("there is none{HOSTILE}").into(),
            hint: "".into(),
            source: None,
            source_column: None,
        }],
        problem_count: 1,
    }
}

/// The view after these keys: `^` is up, `v` down, `>` Tab, `!` Enter, `<` Esc, all others are themselves.
fn pressed(keys: &str) -> (View, Vec<Act>) {
    let mut view = View::new(false);
    view.take(Envelope::ok(top()), at(160));
    let acts = keys.chars().map(|key| {
        frame(&mut view);
        let code = match key {
            '^' => KeyCode::Up,
            'v' => KeyCode::Down,
            '>' => KeyCode::Tab,
            '!' => KeyCode::Enter,
            '<' => KeyCode::Esc,
            other => KeyCode::Char(other),
        };
        view.press(KeyEvent::new(code, KeyModifiers::NONE))
    });
    let acts = acts.collect();
    (view, acts)
}

fn frame(view: &mut View) -> String {
    let mut terminal = Terminal::new(TestBackend::new(88, 20)).unwrap();
    terminal.draw(|frame| draw(frame, view)).unwrap();
    terminal.backend().to_string()
}

#[track_caller]
fn check(keys: &str, expected: &Expect) {
    let drawn = frame(&mut pressed(keys).0);
    let bad = drawn.chars().find(|c| *c != '\n' && (c.is_control() || "\u{202e}\u{200b}".contains(*c)));
    assert_eq!(bad, None, "{drawn}");
    let lines: Vec<&str> = drawn.lines().map(|line| line.trim_matches('"').trim_end()).collect();
    expected.assert_eq(&(lines.join("\n") + "\n"));
}

/// What the keys ask for, the last that is anything.
#[track_caller]
fn check_act(keys: &str, expected: &Act) {
    let (_, acts) = pressed(keys);
    let last = acts.into_iter().rfind(|act| *act != Act::Stay).unwrap_or(Act::Stay);
    assert_eq!(last, *expected, "{keys}");
}

#[test]
fn what_waits_runs_and_is_wrong_is_seen_at_once() {
    check(
        "",
        &expect![[r#"
        guild top 2 waiting, 1 under way, 1 problem, 3 skills · /project\u{1b}]0;owned\u{7}\u{1b
        ┌ Waiting for you (2) ─────────────────────────────────────────────────────────────────┐
        │> 1 min   writer           run        report                                          │
        │  1 min   writer           install    evil\u{1b}]0;owned\u{7}\u{1b}[2J\u{202e}\u{9b}31│
        └──────────────────────────────────────────────────────────────────────────────────────┘
        ┌ Runs (3) ────────────────────────────────────────────────────────────────────────────┐
        │2 min   measure                   writer        started      under way                │
        │2 min   notes                     writer        finished     ok                       │
        │2 min   deploy                    writer        denied       approval_denied          │
        │                                                                                      │
        │                                                                                      │
        │                                                                                      │
        │                                                                                      │
        └──────────────────────────────────────────────────────────────────────────────────────┘
        ┌ Problems (1) ────────────────────────────────────────────────────────────────────────┐
        │error   missing_frontmatter    there is none\u{1b}]0;owned /project/a\u{1b}]0;owned\u{│
        │                                                                                      │
        │                                                                                      │
        └──────────────────────────────────────────────────────────────────────────────────────┘
        ↑↓ move  Tab next list  Enter open  q end
    "#]],
    );
}

#[test]
fn a_request_is_shown_with_command_findings_and_difference() {
    check(
        "!",
        &expect![[r#"
        guild top 2 waiting, 1 under way, 1 problem, 3 skills · /project\u{1b}]0;owned\u{7}\u{1b
        ┌ Request ─────────────────────────────────────────────────────────────────────────────┐
        │writer asks to run report                                                             │
        │apr_1 asked 1970-01-01T00:01:40.000Z by agent via mcp                                 │
        │action      run                                                                       │
        │agent       writer                                                                    │
        │skill       report                                                                    │
        │hash        sha256:4567                                                               │
        │workspace   /project                                                                  │
        │expires     1970-01-01T00:15:00.000Z                                                  │
        │command     bash -lc 'cd /skill && bash report.sh --title '\''a b'\'''                │
        │changed     another hash was approved: sha256:0123                                    │
        │vet         warn.network.egress report.sh:2: sends something                          │
        │            curl -d @out\u{1b}]0;owned\u{7}\u{1b}[2J\u{202e}\u{9b}31m\u{200b}         │
        │changed since it was approved:                                                        │
        │changed report\u{1b}]0;owned\u{7}\u{1b}[2J\u{202e}\u{9b}31m\u{200b}.sh (can be execute│
        │d)                                                                                    │
        │@@ -1 +1 @@                                                                           │
        └ rows 1 to 16 of 18 ──────────────────────────────────────────────────────────────────┘
        o allow once  a allow always  d deny  ↑↓ PgUp PgDn read  Esc back
    "#]],
    );
}

#[test]
fn a_request_is_read_to_its_end_row_by_row() {
    check(
        "!vvv",
        &expect![[r#"
        guild top 2 waiting, 1 under way, 1 problem, 3 skills · /project\u{1b}]0;owned\u{7}\u{1b
        ┌ Request ─────────────────────────────────────────────────────────────────────────────┐
        │action      run                                                                       │
        │agent       writer                                                                    │
        │skill       report                                                                    │
        │hash        sha256:4567                                                               │
        │workspace   /project                                                                  │
        │expires     1970-01-01T00:15:00.000Z                                                  │
        │command     bash -lc 'cd /skill && bash report.sh --title '\''a b'\'''                │
        │changed     another hash was approved: sha256:0123                                    │
        │vet         warn.network.egress report.sh:2: sends something                          │
        │            curl -d @out\u{1b}]0;owned\u{7}\u{1b}[2J\u{202e}\u{9b}31m\u{200b}         │
        │changed since it was approved:                                                        │
        │changed report\u{1b}]0;owned\u{7}\u{1b}[2J\u{202e}\u{9b}31m\u{200b}.sh (can be execute│
        │d)                                                                                    │
        │@@ -1 +1 @@                                                                           │
        │-echo one                                                                             │
        │+echo two\u{1b}]0;owned\u{7}\u{1b}[2J\u{202e}\u{9b}31m\u{200b}                        │
        └ rows 3 to 18 of 18 ──────────────────────────────────────────────────────────────────┘
        o allow once  a allow always  d deny  ↑↓ PgUp PgDn read  Esc back
    "#]],
    );
}

#[test]
fn an_answer_is_confirmed_before_it_counts() {
    check(
        "!o",
        &expect![[r#"
        guild top 2 waiting, 1 under way, 1 problem, 3 skills · /project\u{1b}]0;owned\u{7}\u{1b
        ┌ Request ─────────────────────────────────────────────────────────────────────────────┐
        │writer asks to run report                                                             │
        │apr_1 asked 1970-01-01T00:01:40.000Z by agent via mcp                                 │
        │action      run                                                                       │
        │agent       writer                                                                    │
        │skill       report                                                                    │
        │hash        sha256:4567                                                               │
        │workspace   /project                                                                  │
        │expires     1970-01-01T00:15:00.000Z                                                  │
        │command     bash -lc 'cd /skill && bash report.sh --title '\''a b'\'''                │
        │changed     another hash was approved: sha256:0123                                    │
        │vet         warn.network.egress report.sh:2: sends something                          │
        │            curl -d @out\u{1b}]0;owned\u{7}\u{1b}[2J\u{202e}\u{9b}31m\u{200b}         │
        │changed since it was approved:                                                        │
        │changed report\u{1b}]0;owned\u{7}\u{1b}[2J\u{202e}\u{9b}31m\u{200b}.sh (can be execute│
        │d)                                                                                    │
        │@@ -1 +1 @@                                                                           │
        └ rows 1 to 16 of 18 ──────────────────────────────────────────────────────────────────┘
        allow once: report for writer? Enter does it, any other key does not
    "#]],
    );
}

#[test]
fn a_request_is_answered_by_a_key_and_enter_and_by_nothing_less() {
    let decided = |id: &str, answer| Act::Decide(id.to_owned(), answer);
    check_act("!o!", &decided("apr_1", Answer::Once));
    check_act("!a!", &decided("apr_1", Answer::Always));
    check_act("!d!", &decided("apr_1", Answer::Deny));
    check_act("v!o!", &decided("apr_2", Answer::Once));
    check_act("v!a!", &Act::Stay);
    check_act("o!", &Act::Stay);
    check_act("oad", &Act::Stay);
    check_act("!o<", &Act::Stay);
    check_act("!ox", &Act::Stay);
    check_act("!oo!", &Act::Stay);
    check_act(">!o!", &Act::Stay);
    check_act("q", &Act::Quit);
    check_act("!qq", &Act::Quit);
}

#[test]
fn the_selection_stays_with_its_request_when_others_come_and_go() {
    let (mut view, _) = pressed("v");
    let mut more = top();
    more.waiting.insert(0, request("apr_0", "earlier", "run"));
    view.take(Envelope::ok(more), at(170));
    view.press(KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE));
    assert_eq!(view.opened().map(|line| line.request.id.as_str()), Some("apr_2"));
}

#[test]
fn a_request_that_was_answered_elsewhere_closes_and_says_so() {
    let (mut view, _) = pressed("!o");
    let mut fewer = top();
    fewer.waiting.remove(0);
    view.take(Envelope::ok(fewer), at(170));
    assert!(view.open.is_none());
    assert!(frame(&mut view).contains("it no longer waits"));
    assert_eq!(view.press(KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE)), Act::Stay);
}
