//! Receipts: what they say, how they are found, and how they follow each other.

use std::collections::BTreeMap;

use expect_test::{expect, expect_file};
use guild_ledger::receipt::{
    Access, Changes, Entry, Kind, Limits, Outcome, Output, Parameter, Plan, Resources, SkillRef,
};
use guild_ledger::{Ledger, MAX_TEXT, ReceiptId, RunId, WriteError};
use guild_manifest::Digest;
use serde_json::{Value, json};

use crate::on_both_databases;
use crate::script::check;
use crate::site::{Site, agent, at, person};

on_both_databases! {
    receipts_are_found_by_what_they_are_about
    pages_have_no_gaps_and_nothing_twice
    a_receipt_says_everything_and_reads_back
    receipts_follow_each_other_in_one_moment_and_when_the_clock_goes_back
    what_another_process_has_written_is_news_once
    secrets_are_shown_by_a_digest_that_others_cannot_compute
    a_text_that_is_too_long_is_refused_and_the_ledger_goes_on
    a_name_that_no_database_takes_is_refused
    hostile_text_is_kept_as_it_is
    runs_requests_and_cuts_are_not_made_up_by_a_receipt
}

async fn receipts_are_found_by_what_they_are_about(site: Site) {
    check(
        &site,
        "
        deny code=approval_required skill=s
        deny code=ok skill=t agent=b
        wait 1
        start r1 freely skill=s agent=b
        finish r1 code=script_failed skill=s agent=b
        wait 1
        deny code=approval_required skill=t
        receipts
        receipts skill=s
        receipts skill=t agent=b
        receipts code=approval_required
        receipts run=r1
        receipts kind=finished
        receipts since=1
        receipts since=2 skill=s
        receipts skill=nobody
        ",
        expect![[r#"
            deny code=approval_required skill=s → denied
            deny code=ok skill=t agent=b → denied
            wait 1 → 2026-11-15T09:01:00.000Z
            start r1 freely skill=s agent=b → started
            finish r1 code=script_failed skill=s agent=b → finished
            wait 1 → 2026-11-15T09:02:00.000Z
            deny code=approval_required skill=t → denied
            receipts → [5 4 3 2 1]
            receipts skill=s → [4 3 1]
            receipts skill=t agent=b → [2]
            receipts code=approval_required → [5 1]
            receipts run=r1 → [4 3]
            receipts kind=finished → [4]
            receipts since=1 → [5 4 3]
            receipts since=2 skill=s → []
            receipts skill=nobody → []
        "#]],
    )
    .await;
}

async fn pages_have_no_gaps_and_nothing_twice(site: Site) {
    check(
        &site,
        "
        deny
        deny
        deny skill=t
        deny
        deny
        receipts limit=2
        receipts limit=5
        receipts limit=1 skill=t
        receipts limit=3 skill=s
        ",
        expect![[r#"
            deny → denied
            deny → denied
            deny skill=t → denied
            deny → denied
            deny → denied
            receipts limit=2 → [5 4][3 2][1]
            receipts limit=5 → [5 4 3 2 1]
            receipts limit=1 skill=t → [3]
            receipts limit=3 skill=s → [5 4 2][1]
        "#]],
    )
    .await;
}

fn everything() -> Entry {
    let digest = Digest::of(b"content");
    let parameters = BTreeMap::from([
        ("count".to_owned(), Parameter::Value(json!(9_007_199_254_740_993_u64))),
        ("threshold".to_owned(), Parameter::Value(json!(0.1))),
        ("text".to_owned(), Parameter::Digest { digest, bytes: 70_000 }),
        ("password".to_owned(), Parameter::Secret("hmac-sha256:…".to_owned())),
    ]);
    let plan = Plan {
        digest: Some(digest),
        parameters,
        undeclared: vec!["threshold".to_owned(), "count".to_owned()],
        workspace: Some("/home/somebody/project".to_owned()),
        access: Access::Write,
        network: Some("none".to_owned()),
        environment: vec!["LANG".to_owned()],
        backend: Some("embedded".to_owned()),
        image: Some(digest),
        limits: Some(Limits {
            time_ms: Some(600_000),
            cpu_milli: Some(500),
            enforced: true,
            ..Limits::default()
        }),
    };
    let outcome = Outcome {
        started: at(0),
        finished: at(1),
        exit_code: Some(3),
        signal: None,
        timed_out: false,
        out_of_memory: false,
        outputs: BTreeMap::from([("stdout".to_owned(), Output { digest, bytes: 12, truncated: true })]),
        resources: Resources { cpu_ms: Some(12), ..Resources::default() },
        changes: Some(Changes { id: "chg_1".to_owned(), files: 2, digest }),
    };
    Entry {
        skill: Some(SkillRef { name: "samples/one".to_owned(), security_hash: Some(digest) }),
        plan: Some(plan),
        outcome: Some(outcome),
        note: Some("all of it".to_owned()),
        ..Entry::new(Kind::Finished, "script_failed", agent("a"))
    }
}

async fn a_receipt_says_everything_and_reads_back(site: Site) {
    let ledger = site.open().await;
    let run = RunId::new(at(0)).unwrap();
    ledger.start(at(0), run, everything(), None).await.unwrap();
    let written = ledger.finish(at(1), run, everything()).await.unwrap();
    assert!(written.is_signed_by(&ledger.public_key()));
    let read = ledger.receipt(written.receipt.id).await.unwrap().unwrap();
    assert_eq!(read, written);
    assert_eq!(read.receipt.entry, Entry { run: Some(run), ..everything() });
    let mut value: Value = serde_json::from_str(&read.text).unwrap();
    for key in ["id", "installation", "previous", "run"] {
        value[key] = "…".into();
    }
    expect_file!["receipt.json"].assert_eq(&format!(
        "{value:#}
"
    ));
    assert_eq!(ledger.receipt(ReceiptId::new(at(0)).unwrap()).await.unwrap(), None);
}

async fn receipts_follow_each_other_in_one_moment_and_when_the_clock_goes_back(site: Site) {
    let ledger = site.open().await;
    let mut before = None;
    for minute in [5, 5, 5, 0, 5, 6] {
        let entry = Entry::new(Kind::Load, "ok", person());
        let signed = ledger.append(at(minute), entry).await.unwrap();
        if let Some((hash, id)) = before {
            assert_eq!(signed.receipt.previous, hash);
            assert!(signed.receipt.id > id);
        }
        assert_eq!(signed.receipt.at, at(minute));
        before = Some((signed.hash, signed.receipt.id));
    }
    assert!(ledger.verify().await.unwrap().is_whole());
}

async fn what_another_process_has_written_is_news_once(site: Site) {
    let (ours, theirs) = (site.open().await, site.open().await);
    let write = async |ledger: &Ledger| {
        ledger.append(at(0), Entry::new(Kind::Denied, "no", agent("a"))).await.unwrap();
    };
    assert!(ours.has_news().await.unwrap(), "whoever asks first knows nothing");
    write(&ours).await;
    assert!(!ours.has_news().await.unwrap(), "what one has written oneself is none");
    write(&theirs).await;
    assert!(ours.has_news().await.unwrap());
    assert!(!ours.has_news().await.unwrap());
    write(&theirs).await;
    write(&ours).await;
    assert!(ours.has_news().await.unwrap(), "what was written over is news still");
    assert!(!ours.has_news().await.unwrap());
}

async fn secrets_are_shown_by_a_digest_that_others_cannot_compute(site: Site) {
    let (ledger, other) = (site.open().await, site.neighbour().open().await);
    let digest = ledger.keyed_digest("samples/one password", b"hunter2");
    assert_eq!(digest, site.open().await.keyed_digest("samples/one password", b"hunter2"));
    assert_ne!(digest, other.keyed_digest("samples/one password", b"hunter2"));
    assert_ne!(digest, ledger.keyed_digest("samples/two password", b"hunter2"));
}

async fn a_text_that_is_too_long_is_refused_and_the_ledger_goes_on(site: Site) {
    let ledger = site.open().await;
    let entry = |length| Entry { note: Some("x".repeat(length)), ..Entry::new(Kind::Load, "ok", person()) };
    let error = ledger.append(at(0), entry(MAX_TEXT)).await.unwrap_err();
    assert!(matches!(error, WriteError::TooLarge { .. }), "{error}");
    let signed = ledger.append(at(0), entry(MAX_TEXT / 2)).await.unwrap();
    assert_eq!(signed.receipt.seq, 1);
    assert!(ledger.verify().await.unwrap().is_whole());
}

async fn a_name_that_no_database_takes_is_refused(site: Site) {
    let ledger = site.open().await;
    let error = ledger.append(at(0), Entry::new(Kind::Load, "a\0b", person())).await.unwrap_err();
    assert_eq!(error.to_string(), "the code holds a zero character");
    ledger.append(at(0), Entry::new(Kind::Load, "ok", person())).await.unwrap();
}

async fn runs_requests_and_cuts_are_not_made_up_by_a_receipt(site: Site) {
    let ledger = site.open().await;
    for kind in [Kind::Started, Kind::Finished, Kind::Interrupted, Kind::Asked, Kind::Cut] {
        let error = ledger.append(at(0), Entry::new(kind, "ok", person())).await.unwrap_err();
        assert!(matches!(error, WriteError::NotOnItsOwn(_)), "{error}");
    }
    ledger.append(at(0), Entry::new(Kind::Decision, "change_applied", person())).await.unwrap();
}

async fn hostile_text_is_kept_as_it_is(site: Site) {
    let ledger = site.open().await;
    let note = "\0\u{1b}[2K\r'); DROP TABLE receipts; -- \u{202e} \"\\ 😀 $1 ?".to_owned();
    let name = "s'; DROP TABLE receipts; --".to_owned();
    let skill = Some(SkillRef { name: name.clone(), security_hash: None });
    let entry = Entry { note: Some(note), skill, ..Entry::new(Kind::Load, "ok", agent("😀' OR 1=1")) };
    let written = ledger.append(at(0), entry).await.unwrap();
    let filter = guild_ledger::Filter { skill: Some(name), ..guild_ledger::Filter::default() };
    let page = ledger.receipts(&filter, None, 10).await.unwrap();
    assert_eq!(page.receipts, [written]);
    assert!(ledger.verify().await.unwrap().is_whole());
}
