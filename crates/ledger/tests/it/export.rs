//! A chain as a file: whoever has the public key can check it, and everything done to the file is found.

use expect_test::{Expect, expect};
use guild_ledger::receipt::{Entry, Kind};
use guild_ledger::{ExportError, Ledger, PublicKey, Report, verify_export};

use crate::on_both_databases;
use crate::site::{Site, at, person};

on_both_databases! {
    an_export_proves_itself
    anothers_chain_is_exported_without_its_head
    a_chain_of_nobody_is_not_exported
}

async fn fill(ledger: &Ledger, count: u64) {
    for minute in 0..count {
        let note = Some(format!("number {minute}, with \"signature\":\"quotes\""));
        ledger.append(at(minute), Entry { note, ..Entry::new(Kind::Load, "ok", person()) }).await.unwrap();
    }
}

async fn exported(ledger: &Ledger) -> String {
    let mut file = Vec::new();
    ledger.export(at(100), ledger.installation(), &mut file).await.unwrap();
    String::from_utf8(file).unwrap()
}

fn faults(report: &Report) -> Vec<String> {
    let place = |seq: Option<u64>| seq.map(|seq| format!("{seq} ")).unwrap_or_default();
    report.broken.iter().map(|it| format!("{}{}", place(it.seq), it.fault.code())).collect()
}

async fn an_export_proves_itself(site: Site) {
    let ledger = site.open().await;
    fill(&ledger, 5).await;
    let file = exported(&ledger).await;
    let report = verify_export(file.as_bytes(), Some(&ledger.public_key())).unwrap();
    assert!(report.is_whole(), "{report:?}");
    let chain = &report.chains[0];
    assert_eq!((&chain.installation, chain.receipts, chain.head), (ledger.installation(), 5, Some(5)));
    assert!(file.lines().all(|line| guild_manifest::canonical::parse(line).is_some()));
}

async fn anothers_chain_is_exported_without_its_head(site: Site) {
    let (ledger, neighbour) = (site.open().await, site.neighbour().open().await);
    fill(&neighbour, 3).await;
    let mut file = Vec::new();
    let count = ledger.export(at(100), neighbour.installation(), &mut file).await.unwrap();
    let report = verify_export(file.as_slice(), Some(&neighbour.public_key())).unwrap();
    assert_eq!((count, faults(&report)), (3, vec!["head_missing".to_owned()]));
}

async fn a_chain_of_nobody_is_not_exported(site: Site) {
    let (ledger, neighbour) = (site.open().await, site.neighbour().open().await);
    let error = ledger.export(at(0), neighbour.installation(), &mut Vec::new()).await.unwrap_err();
    assert!(matches!(error, ExportError::NoChain(_)), "{error}");
    assert_eq!(exported(&ledger).await.lines().count(), 1);
}

/// Changes the file of a chain with five receipts and compares what is found.
#[track_caller]
fn check(change: impl FnOnce(Vec<String>) -> Vec<String>, expect: &Expect) {
    crate::site::run(async {
        let site = Site::sqlite();
        let ledger = site.open().await;
        fill(&ledger, 5).await;
        let lines = exported(&ledger).await.lines().map(str::to_owned).collect();
        let shown = match verify_export(change(lines).join("\n").as_bytes(), Some(&ledger.public_key())) {
            Ok(report) => faults(&report).join("\n"),
            Err(error) => error.to_string(),
        };
        expect.assert_eq(&shown);
    });
}

#[test]
fn an_edited_line_is_found() {
    let edit = |mut lines: Vec<String>| {
        lines[3] = lines[3].replace("number 2", "number 7");
        lines
    };
    check(edit, &expect!["3 edited"]);
}

#[test]
fn a_line_that_is_no_receipt_is_found() {
    let spoil = |mut lines: Vec<String>| {
        lines[3] = "{}".to_owned();
        lines
    };
    check(spoil, &expect!["3 unreadable"]);
}

#[test]
fn a_line_in_another_form_is_found() {
    let reformat = |mut lines: Vec<String>| {
        lines[3] = lines[3].replace(":", ": ");
        lines
    };
    check(reformat, &expect!["3 unreadable"]);
}

#[test]
fn a_deleted_line_is_found() {
    check(
        |mut lines| {
            lines.remove(3);
            lines
        },
        &expect!["missing"],
    );
}

#[test]
fn a_cut_file_is_found() {
    check(|lines| lines[..4].to_vec(), &expect!["tail_cut"]);
}

#[test]
fn lines_in_another_order_are_found() {
    check(
        |mut lines| {
            lines.swap(2, 3);
            lines
        },
        &expect![[r#"
            missing
            2 misplaced"#]],
    );
}

#[test]
fn a_line_twice_is_found() {
    check(
        |mut lines| {
            lines.insert(3, lines[3].clone());
            lines
        },
        &expect!["3 misplaced"],
    );
}

#[test]
fn a_head_that_was_taken_out_is_missed() {
    let behead = |mut lines: Vec<String>| {
        let mut header: serde_json::Value = serde_json::from_str(&lines[0]).unwrap();
        header["head"] = serde_json::Value::Null;
        lines[0] = header.to_string();
        lines.pop();
        lines
    };
    check(behead, &expect!["head_missing"]);
}

#[test]
fn a_head_that_was_edited_does_not_count() {
    let behead = |mut lines: Vec<String>| {
        let mut header: serde_json::Value = serde_json::from_str(&lines[0]).unwrap();
        header["head"]["head"]["seq"] = 4.into();
        lines[0] = header.to_string();
        lines.pop();
        lines
    };
    check(behead, &expect!["head_unreadable"]);
}

#[test]
fn another_key_than_the_expected_one_is_found() {
    crate::site::run(async {
        let (one, two) = (Site::sqlite(), Site::sqlite());
        let (ledger, other) = (one.open().await, two.open().await);
        fill(&ledger, 2).await;
        let file = exported(&ledger).await;
        let check = |expected: Option<&PublicKey>| faults(&verify_export(file.as_bytes(), expected).unwrap());
        assert_eq!(check(Some(&other.public_key())), ["key_unexpected"]);
        assert_eq!(check(None), Vec::<String>::new());
    });
}

#[test]
fn a_file_under_another_key_is_found() {
    crate::site::run(async {
        let (one, two) = (Site::sqlite(), Site::sqlite());
        let (ledger, other) = (one.open().await, two.open().await);
        fill(&ledger, 2).await;
        let file = exported(&ledger)
            .await
            .replace(&ledger.public_key().to_string(), &other.public_key().to_string());
        let report = verify_export(file.as_bytes(), None).unwrap();
        expect![[r#"
            head_unreadable
            1 misplaced
            2 misplaced"#]]
        .assert_eq(&faults(&report).join("\n"));
    });
}

#[test]
fn what_is_no_export_is_refused() {
    check(|_| vec![], &expect!["this is not a file of receipts"]);
    check(|_| vec!["[]".to_owned()], &expect!["this is not a file of receipts"]);
    check(|lines| lines[1..].to_vec(), &expect!["this is not a file of receipts"]);
    check(
        |lines| vec![lines[0].replace(r#""version":1}"#, r#""version":2}"#)],
        &expect!["the file has version 2, and this program reads 1"],
    );
}
