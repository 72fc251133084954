//! Receipts as people and programs see them, and what is said when somebody has rewritten them.

use crate::desk::{Desk, HOUR, masked, shown};
use crate::{env, envelope};
use expect_test::{Expect, expect};
use guild_testkit::Postgres;
use std::fs;

#[track_caller]
fn check(desk: &Desk, id: &str, script: &str, expected: &Expect) {
    expected.assert_eq(&desk.session(id, script));
}

/// A desk on which a run was asked for and approved.
fn desk() -> Desk {
    let desk = Desk::new("");
    let id = desk.asked("report", shown().to_value(), HOUR);
    assert_eq!(desk.env.guild(&["approve", &id, "--once"]).code(), Some(0));
    desk
}

#[test]
fn receipts_are_listed_and_found_by_what_they_are_about() {
    check(
        &desk(),
        "",
        "guild receipts list\nguild receipts list -n 1\nguild receipts list --kind asked --skill report --agent writer --since 1h\nguild receipts list --code ok --since 2020-01-01\nguild receipts list --kind nothing\nguild receipts list --since soon",
        &expect![[r#"
            $ guild receipts list
            ID                              AT                        KIND      CODE               AGENT    SKILL
            [RCP 1]  [TIME]  decision  run_once           default  report
            [RCP 2]  [TIME]  asked     approval_required  writer   report
            [stderr]
            2 receipts
            $ guild receipts list -n 1
            ID                              AT                        KIND      CODE      AGENT    SKILL
            [RCP 1]  [TIME]  decision  run_once  default  report
            [stderr]
            1 receipt; there are more: --after [RCP 1]
            $ guild receipts list --kind asked --skill report --agent writer --since 1h
            ID                              AT                        KIND   CODE               AGENT   SKILL
            [RCP 2]  [TIME]  asked  approval_required  writer  report
            [stderr]
            1 receipt
            $ guild receipts list --code ok --since 2020-01-01
            [stderr]
            0 receipts
            $ guild receipts list --kind nothing
            [stderr]
            error: invalid value 'nothing' for '--kind <KIND>'
              [possible values: started, finished, interrupted, denied, load, asked, decision, cut]

            For more information, try '--help'.
            [exit 2]
            $ guild receipts list --since soon
            [stderr]
            error: invalid value 'soon' for '--since <TIME>': write since when, such as `7d`, `2026-11-15` or `2026-11-15T09:30:00Z`

            For more information, try '--help'.
            [exit 2]
        "#]],
    );
}

#[test]
fn a_page_goes_on_where_the_one_before_ended() {
    let desk = desk();
    let first = envelope(&desk.env.guild(&["receipts", "list", "-n", "1", "--json"]).stdout());
    let next = first["data"]["next"].as_str().unwrap();
    let second =
        envelope(&desk.env.guild(&["receipts", "list", "-n", "1", "--after", next, "--json"]).stdout());
    let seq = |page: &serde_json::Value| page["data"]["receipts"][0]["seq"].as_u64();
    assert_eq!((seq(&first), seq(&second)), (Some(2), Some(1)));
    assert_eq!(second["data"]["next"], serde_json::Value::Null);
}

#[test]
fn a_receipt_is_shown_as_it_was_signed() {
    let desk = desk();
    let list = envelope(&desk.env.guild(&["receipts", "list", "-n", "1", "--json"]).stdout());
    let id = list["data"]["receipts"][0]["id"].as_str().unwrap();
    check(
        &desk,
        id,
        "guild receipts show $ID\nguild receipts show rcp_nothing",
        &expect![[r#"
            $ guild receipts show [RCP 1]
            {
              "at": "[TIME]",
              "begins": {
                "digest": "[SHA256 1]",
                "id": "[GRT 1]"
              },
              "code": "run_once",
              "ends": "[APR 1]",
              "id": "[RCP 1]",
              "installation": "[INS 1]",
              "kind": "decision",
              "previous": "[SHA256 2]",
              "principal": {
                "agent": "default",
                "kind": "person",
                "role": "admin",
                "via": "flag"
              },
              "seq": 2,
              "skill": {
                "name": "report",
                "security_hash": "[SHA256 3]"
              },
              "version": 1
            }
            [stderr]
            its signature is this installation's
            $ guild receipts show rcp_nothing
            [stderr]
            error[receipt_not_found]: there is no receipt `rcp_nothing`; `guild receipts list` shows those that there are
            [exit 1]
        "#]],
    );
}

#[test]
fn what_nobody_touched_is_verified() {
    let desk = desk();
    check(
        &desk,
        "",
        "guild receipts verify",
        &expect![[r#"
        $ guild receipts verify
        [stderr]
        2 receipts verified
    "#]],
    );
    let reply = envelope(&desk.env.guild(&["receipts", "verify", "--json"]).stdout());
    assert_eq!((&reply["data"]["verified"], &reply["data"]["count"]), (&true.into(), &2.into()));
    assert_eq!(reply["data"]["broken"], serde_json::json!([]));
}

#[test]
fn an_edit_in_the_database_is_receipts_broken() {
    let desk = desk();
    let path = desk.env.home().join(".local/share/guild/ledger.db");
    desk.books(async |books| books.sweep(crate::desk::now()).await.map(drop)).unwrap();
    // The command leaves its log; whoever opens and closes the ledger in good order moves it into the file.
    let text = fs::read(&path).unwrap();
    let edited = replaced(&text, b"\"approval_required\"", b"\"approval_reqvired\"");
    assert_ne!(text, edited);
    fs::write(&path, edited).unwrap();
    let output = desk.env.guild(&["receipts", "verify", "--json"]);
    let reply = envelope(&output.stdout());
    assert_eq!((output.code(), &reply["code"]), (Some(1), &"receipts_broken".into()));
    assert_eq!(reply["data"]["verified"], false);
    assert_eq!(reply["data"]["broken"][0]["fault"], "edited");
    assert!(reply["data"]["broken"][0]["receipt"].as_str().unwrap().starts_with("rcp_"));
    assert_eq!(reply["data"]["broken"][0]["reason"], "its text was changed after it was signed");
    check(
        &desk,
        "",
        "guild receipts verify",
        &expect![[r#"
        $ guild receipts verify
        edited: [RCP 1]: its text was changed after it was signed
        [stderr]
        error[receipts_broken]: 1 fault in 2 receipts
        [exit 1]
    "#]],
    );
}

#[test]
fn an_exported_file_is_verified_offline_and_an_edit_in_it_is_found() {
    let desk = desk();
    let export = envelope(&desk.env.guild(&["receipts", "export", "out.jsonl", "--json"]).stdout());
    let key = export["data"]["public_key"].as_str().unwrap();
    let file = desk.env.project().join("out.jsonl");
    // Another machine, which has nothing but the file and the key.
    let other = env("");
    fs::copy(&file, other.project().join("out.jsonl")).unwrap();
    let verify = ["receipts", "verify", "--file", "out.jsonl", "--key", key];
    expect![[r#"
        exit: 0
        --- stdout
        --- stderr
        2 receipts verified
    "#]]
    .assert_eq(&masked(&other.guild(&verify).to_string()));
    assert!(!other.home().join(".local").exists(), "no ledger was made for it");

    let text = fs::read_to_string(&file).unwrap();
    fs::write(other.project().join("out.jsonl"), text.replace("run_once", "always_allow")).unwrap();
    expect![[r#"
        exit: 1
        --- stdout
        edited: [RCP 1]: its text was changed after it was signed
        --- stderr
        error[receipts_broken]: 1 fault in 2 receipts
    "#]]
    .assert_eq(&masked(&other.guild(&verify).to_string()));
    let shorter: Vec<&str> = text.lines().take(2).collect();
    fs::write(other.project().join("out.jsonl"), shorter.join("\n")).unwrap();
    expect![[r#"
        exit: 1
        --- stdout
        tail_cut: [INS 1]: the end is missing: 2 receipts were acknowledged and 1 are there
        --- stderr
        error[receipts_broken]: 1 fault in 1 receipt
    "#]]
    .assert_eq(&masked(&other.guild(&verify).to_string()));
    check(
        &desk,
        "",
        "guild receipts export out.jsonl\nguild receipts verify --file missing.jsonl\nguild receipts export no/such/directory/out.jsonl",
        &expect![[r#"
            $ guild receipts export out.jsonl
            [stderr]
            error[write_failed]: cannot write [ROOT]/project/out.jsonl: File exists (os error 17)
            [exit 1]
            $ guild receipts verify --file missing.jsonl
            [stderr]
            error[read_failed]: cannot read [ROOT]/project/missing.jsonl: No such file or directory (os error 2)
            [exit 1]
            $ guild receipts export no/such/directory/out.jsonl
            [stderr]
            error[write_failed]: cannot write [ROOT]/project/no/such/directory/out.jsonl: No such file or directory (os error 2)
            [exit 1]
        "#]],
    );
}

#[test]
fn a_file_of_a_newer_program_and_one_of_something_else_are_told_apart() {
    let env = env(
        "//- /project/newer.jsonl\n{\"format\":\"guild-receipts\",\"version\":9}\n//- /project/other.txt\nhello\n",
    );
    let verify = |file| env.guild(&["receipts", "verify", "--file", file]).to_string();
    expect![[r#"
        exit: 1
        --- stdout
        --- stderr
        error[ledger_newer]: [ROOT]/project/newer.jsonl: the file has version 9, and this program reads 1
        exit: 1
        --- stdout
        --- stderr
        error[read_failed]: cannot read [ROOT]/project/other.txt: this is not a file of receipts
    "#]]
    .assert_eq(&(verify("newer.jsonl") + &verify("other.txt")));
}

#[test]
fn a_lost_head_is_ledger_cut_until_a_person_accepts_the_loss() {
    let desk = desk();
    fs::remove_dir_all(desk.env.home().join(".local/state/guild/heads")).unwrap();
    check(
        &desk,
        "",
        "guild token create\nguild receipts verify\nguild receipts accept-loss --reason 'restored from a backup'\nguild receipts accept-loss --reason again\nguild receipts verify",
        &expect![[r#"
            $ guild token create
            [stderr]
            error[ledger_cut]: [ROOT]/home/.local/share/guild/ledger.db: the chain's head is missing, and the chain has 2 receipts; nothing is written until a person has looked: `guild receipts verify` says what is wrong, and `guild receipts accept-loss` goes on from here
            [exit 1]
            $ guild receipts verify
            head_missing: [INS 1]: the head is missing, so that nobody can say whether the end is
            [stderr]
            error[receipts_broken]: 1 fault in 2 receipts
            [exit 1]
            $ guild receipts accept-loss --reason 'restored from a backup'
            [stderr]
            the loss is accepted: [RCP 1]
            $ guild receipts accept-loss --reason again
            [stderr]
            error[nothing_lost]: nothing is lost: the chain ends where its head says
            [exit 1]
            $ guild receipts verify
            [stderr]
            3 receipts verified
        "#]],
    );
}

#[test]
fn a_run_whose_process_is_gone_is_interrupted_by_the_next_who_writes() {
    let desk = Desk::new("");
    let run = desk.crashed("report");
    check(
        &desk,
        &run.to_string(),
        "guild receipts list --run $ID\nguild token list\nguild deny apr_nothing\nguild receipts list --run $ID",
        &expect![[r#"
            $ guild receipts list --run [RUN 1]
            ID                              AT                        KIND     CODE  AGENT   SKILL
            [RCP 1]  [TIME]  started  ok    writer  report
            [stderr]
            1 receipt
            $ guild token list
            [stderr]
            0 tokens
            $ guild deny apr_nothing
            [stderr]
            error[request_not_found]: there is no request `apr_nothing`; `guild requests` shows those that wait
            [exit 1]
            $ guild receipts list --run [RUN 1]
            ID                              AT                        KIND         CODE         AGENT   SKILL
            [RCP 2]  [TIME]  interrupted  interrupted  writer  report
            [RCP 1]  [TIME]  started      ok           writer  report
            [stderr]
            2 receipts
        "#]],
    );
}

#[test]
fn a_ledger_that_is_no_database_is_ledger_unavailable() {
    let env = env("//- /home/.local/share/guild/ledger.db\nhello, I am no database at all\n");
    let output = env.guild(&["receipts", "list", "--json"]);
    let reply = envelope(&output.stdout());
    assert_eq!((output.code(), &reply["code"]), (Some(1), &"ledger_unavailable".into()));
    assert_eq!(reply["data"]["receipts"], serde_json::json!([]), "the reply keeps its shape");
}

#[test]
fn several_hosts_share_one_ledger_in_postgresql() {
    let server = Postgres::start();
    let url = server.database("shared").replace("guild@", "guild:hunter2@");
    let hosts =
        [0, 1].map(|_| env(&format!("//- /home/.config/guild/config.toml\n[ledger]\nurl = \"{url}\"\n")));
    for host in &hosts {
        assert_eq!(host.guild(&["token", "create", "laptop"]).code(), Some(0));
        assert!(!host.home().join(".local/share/guild/ledger.db").exists());
    }
    let reply = envelope(&hosts[0].guild(&["receipts", "verify", "--json"]).stdout());
    assert_eq!((&reply["data"]["verified"], &reply["data"]["count"]), (&true.into(), &2.into()));
    // What another installation has signed counts only where its key is trusted.
    let tokens = |host: usize| {
        envelope(&hosts[host].guild(&["token", "list", "--json"]).stdout())["data"]["count"].clone()
    };
    assert_eq!(tokens(0), 1);
    let other = envelope(&hosts[1].guild(&["receipts", "verify", "--json"]).stdout());
    let key = other["data"]["public_key"].as_str().unwrap();
    hosts[0].write(&format!(
        "//- /home/.config/guild/config.toml\n[ledger]\nurl = \"{url}\"\n[trust]\ninstallations = [\"{key}\"]\n"
    ));
    assert_eq!((tokens(0), tokens(1)), (2.into(), 1.into()));
    drop(server);
    let down = hosts[0].guild(&["receipts", "list"]);
    assert_eq!(down.code(), Some(1));
    assert!(
        down.stderr().starts_with("error[ledger_unavailable]: postgres://guild@localhost/shared: "),
        "{down}"
    );
    assert!(!down.to_string().contains("hunter2"), "{down}");
}

fn replaced(text: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let mut text = text.to_vec();
    let places: Vec<usize> =
        text.windows(from.len()).enumerate().filter(|(_, it)| *it == from).map(|(at, _)| at).collect();
    for at in places {
        text[at..at + to.len()].copy_from_slice(to);
    }
    text
}
