//! Whatever somebody without the key does to the database or the head is found, and named.

use std::fs;
use std::path::PathBuf;

use expect_test::{Expect, expect};
use guild_ledger::receipt::{Entry, Kind};
use guild_ledger::{
    AcceptError, Answer, Ask, Ledger, Matter, Mode, NewGrant, Options, RUN, Report, RunId, Standing,
    WriteError,
};
use guild_manifest::Digest;
use serde_json::{Value, json};

use crate::on_both_databases;
use crate::site::{Site, agent, at, person};

on_both_databases! {
    nothing_is_wrong_with_what_nobody_touched
    edited_texts_are_found
    wrong_signatures_are_found
    what_cannot_be_read_is_found
    deleted_receipts_are_found
    a_cut_tail_is_found_and_nothing_is_written_behind_it
    receipts_in_other_places_are_found
    inserted_receipts_are_found
    columns_that_say_something_else_are_found
    edited_records_are_found_and_do_not_count
    a_grant_that_was_used_up_stays_used_up
    a_lost_head_is_found_and_nothing_is_written_without_it
    an_older_head_accuses_nobody
    a_chain_that_went_on_without_its_head_is_found
    a_neighbours_key_is_not_replaced_unseen
    faults_beyond_counting_are_counted
}

/// Fills a ledger with eight receipts: a grant for always (1), a run by it (2, 3), a denial (4), a request (5), its answer, a grant
/// for once (6), a run by that (7), and a load (8).
async fn fill(site: &Site) -> Ledger {
    let ledger = site.open().await;
    let Ask { agent: who, skill, security_hash, workspace, plan } = ask("/w");
    let (agent_of, mode) = (who.clone(), Mode::AlwaysAllow);
    let new = NewGrant {
        agent: who,
        skill: skill.clone(),
        security_hash,
        workspace: workspace.clone(),
        mode,
        expires: None,
    };
    ledger.give(at(0), new, person()).await.unwrap();
    let run = RunId::new(at(1)).unwrap();
    ledger.start(at(1), run, entry(Kind::Started), Some(&ask("/w"))).await.unwrap();
    ledger.finish(at(2), run, entry(Kind::Finished)).await.unwrap();
    ledger.append(at(3), entry(Kind::Denied)).await.unwrap();
    let (action, workspace, shown) = (RUN.to_owned(), "/x".to_owned(), Value::Null);
    let security_hash = Some(security_hash);
    let matter = Matter { action, agent: agent_of, skill, security_hash, workspace, plan, shown };
    let (request, _) = ledger.ask(at(4), matter, at(60), entry(Kind::Asked)).await.unwrap();
    ledger.decide(at(5), request.id, Answer::Once { expires: None }, person()).await.unwrap();
    let run = RunId::new(at(6)).unwrap();
    ledger.start(at(6), run, entry(Kind::Started), Some(&ask("/x"))).await.unwrap();
    ledger.append(at(7), entry(Kind::Load)).await.unwrap();
    ledger
}

fn ask(workspace: &str) -> Ask {
    Ask {
        agent: "a".to_owned(),
        skill: "s".to_owned(),
        security_hash: Digest::of(b"1"),
        workspace: workspace.to_owned(),
        plan: Digest::of(b"p"),
    }
}

fn entry(kind: Kind) -> Entry {
    Entry::new(kind, "ok", agent("a"))
}

/// Tampers with a full ledger and compares what is found.
async fn check(site: &Site, sql: &str, expect: Expect) {
    let again = site.another().await;
    let ledger = fill(&again).await;
    again.sql(sql).await;
    expect.assert_eq(&shown(&ledger.verify().await.unwrap()));
}

fn shown(report: &Report) -> String {
    let mut text = format!("{} receipts, {} records\n", report.receipts(), report.records);
    for broken in &report.broken {
        let place = match (broken.seq, &broken.id) {
            (Some(seq), _) => format!("{seq} "),
            (None, Some(id)) => format!("{}… ", &id[..4]),
            (None, None) => String::new(),
        };
        let fault = &broken.fault;
        let ids = |word: &str| {
            if word.starts_with("rcp_") || word.starts_with("ins_") { "[id]" } else { word }.to_owned()
        };
        let words = fault.to_string().split(' ').map(ids).collect::<Vec<_>>().join(" ");
        text.push_str(&format!("{place}{}: {words}\n", fault.code()));
    }
    text
}

async fn nothing_is_wrong_with_what_nobody_touched(site: Site) {
    check(
        &site,
        "SELECT 1",
        expect![[r#"
        8 receipts, 3 records
    "#]],
    )
    .await;
}

async fn edited_texts_are_found(site: Site) {
    let edit = |seq: u8| {
        format!(r#"UPDATE receipts SET body = replace(body, '"agent":"a"', '"agent":"b"') WHERE seq = {seq}"#)
    };
    check(
        &site,
        &edit(3),
        expect![[r#"
        8 receipts, 3 records
        3 edited: its text was changed after it was signed
    "#]],
    )
    .await;
    check(
        &site,
        &edit(2),
        expect![[r#"
        8 receipts, 3 records
        2 edited: its text was changed after it was signed
    "#]],
    )
    .await;
    check(
        &site,
        &edit(8),
        expect![[r#"
        8 receipts, 3 records
        8 edited: its text was changed after it was signed
    "#]],
    )
    .await;
    check(
        &site,
        &format!("{}; {}", edit(3), edit(4)),
        expect![[r#"
        8 receipts, 3 records
        3 edited: its text was changed after it was signed
        4 edited: its text was changed after it was signed
    "#]],
    )
    .await;
    check(
        &site,
        &format!("{}; DELETE FROM receipts WHERE seq = 4", edit(3)),
        expect![[r#"
        7 receipts, 3 records
        missing: receipts 4 to 4 are missing
        3 signature_invalid: its signature is not the installation's
    "#]],
    )
    .await;
}

async fn wrong_signatures_are_found(site: Site) {
    let swap = "UPDATE receipts SET signature = (SELECT signature FROM receipts WHERE seq = 4) WHERE seq = 3";
    check(
        &site,
        swap,
        expect![[r#"
        8 receipts, 3 records
        3 signature_invalid: its signature is not the installation's
    "#]],
    )
    .await;
    check(
        &site,
        "UPDATE receipts SET signature = 'none' WHERE seq IN (1, 8)",
        expect![[r#"
        8 receipts, 3 records
        1 signature_invalid: its signature is not the installation's
        8 signature_invalid: its signature is not the installation's
    "#]],
    )
    .await;
}

async fn what_cannot_be_read_is_found(site: Site) {
    check(
        &site,
        "UPDATE receipts SET body = '' WHERE seq = 3",
        expect![[r#"
            8 receipts, 3 records
            3 unreadable: it cannot be read
        "#]],
    )
    .await;
    check(
        &site,
        "UPDATE receipts SET body = '{}' WHERE seq = 8",
        expect![[r#"
        8 receipts, 3 records
        8 unreadable: it cannot be read
    "#]],
    )
    .await;
    let newer = r#"UPDATE receipts SET body = replace(body, '"version":1', '"version":2') WHERE seq = 4"#;
    check(
        &site,
        newer,
        expect![[r#"
            8 receipts, 3 records
            4 unreadable: it cannot be read
        "#]],
    )
    .await;
}

async fn deleted_receipts_are_found(site: Site) {
    check(
        &site,
        "DELETE FROM receipts WHERE seq = 4",
        expect![[r#"
        7 receipts, 3 records
        missing: receipts 4 to 4 are missing
    "#]],
    )
    .await;
    check(
        &site,
        "DELETE FROM receipts WHERE seq = 1",
        expect![[r#"
        7 receipts, 3 records
        missing: receipts 1 to 1 are missing
        grt_… record_unknown: no receipt has brought the record into force
    "#]],
    )
    .await;
    check(
        &site,
        "DELETE FROM receipts WHERE seq BETWEEN 3 AND 6",
        expect![[r#"
        4 receipts, 3 records
        missing: receipts 3 to 6 are missing
        apr_… record_unknown: no receipt has brought the record into force
        grt_… record_unknown: no receipt has brought the record into force
    "#]],
    )
    .await;
}

async fn a_cut_tail_is_found_and_nothing_is_written_behind_it(site: Site) {
    check(
        &site,
        "DELETE FROM receipts WHERE seq > 7",
        expect![[r#"
        7 receipts, 3 records
        tail_cut: the end is missing: 8 receipts were acknowledged and 7 are there
    "#]],
    )
    .await;
    check(
        &site,
        "DELETE FROM receipts; DELETE FROM records",
        expect![[r#"
        0 receipts, 0 records
        tail_cut: the end is missing: 8 receipts were acknowledged and 0 are there
    "#]],
    )
    .await;
    let site = site.another().await;
    let ledger = fill(&site).await;
    ledger.append(at(8), entry(Kind::Load)).await.unwrap();
    site.sql("DELETE FROM receipts WHERE seq > 7").await;
    let error = ledger.append(at(8), entry(Kind::Load)).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the end of the chain is missing: 9 receipts were acknowledged and 7 are there"
    );
    let error = ledger.accept_cut(at(9), "by itself".to_owned(), agent("a")).await.unwrap_err();
    assert!(matches!(error, AcceptError::NotAPerson), "{error}");
    let accepted = ledger.accept_cut(at(9), "restored from Monday".to_owned(), person()).await.unwrap();
    let cut = accepted.receipt.entry.cut.clone().unwrap();
    assert_eq!((accepted.receipt.seq, cut.acknowledged, cut.found), (8, Some(9), 7));
    ledger.append(at(10), entry(Kind::Load)).await.unwrap();
    let report = ledger.verify().await.unwrap();
    assert_eq!(report.chains[0].cuts, [accepted.receipt.id]);
    assert!(report.is_whole(), "{report:?}");
    let error = ledger.accept_cut(at(11), "again".to_owned(), person()).await.unwrap_err();
    assert!(matches!(error, AcceptError::NothingLost), "{error}");
}

async fn receipts_in_other_places_are_found(site: Site) {
    let swap = "UPDATE receipts SET seq = 99 WHERE seq = 3; UPDATE receipts SET seq = 3 WHERE seq = 4; \
                UPDATE receipts SET seq = 4 WHERE seq = 99";
    check(
        &site,
        swap,
        expect![[r#"
            8 receipts, 3 records
            3 misplaced: it stands in the place of another: it says that it is number 4 of [id]
            4 misplaced: it stands in the place of another: it says that it is number 3 of [id]
        "#]],
    )
    .await;
    let closed_ranks = "DELETE FROM receipts WHERE seq = 6; UPDATE receipts SET seq = 6 WHERE seq = 7; \
                        UPDATE receipts SET seq = 7 WHERE seq = 8";
    check(&site, closed_ranks, expect![[r#"
        7 receipts, 3 records
        6 misplaced: it stands in the place of another: it says that it is number 7 of [id]
        7 misplaced: it stands in the place of another: it says that it is number 8 of [id]
        tail_cut: the end is missing: 8 receipts were acknowledged and 7 are there
        apr_… record_columns_edited: the database finds the record by something that it does not say, or says wrongly whether it has ended
        grt_… record_unknown: no receipt has brought the record into force
    "#]]).await;
    check(
        &site,
        "UPDATE receipts SET seq = 9 WHERE seq = 8",
        expect![[r#"
        8 receipts, 3 records
        missing: receipts 8 to 8 are missing
        9 misplaced: it stands in the place of another: it says that it is number 8 of [id]
    "#]],
    )
    .await;
}

async fn inserted_receipts_are_found(site: Site) {
    let copy = "INSERT INTO receipts (installation, seq, id, kind, agent, code, body, signature) \
                SELECT installation, 9, 'rcp_copy', kind, agent, code, body, signature FROM receipts WHERE seq = 8";
    check(
        &site,
        copy,
        expect![[r#"
        9 receipts, 3 records
        9 misplaced: it stands in the place of another: it says that it is number 8 of [id]
        9 columns_edited: the database finds it by something that it does not say
    "#]],
    )
    .await;
    // The best that somebody without the key can do: everything fits but the signature, which is another key's.
    let site = site.another().await;
    let ledger = fill(&site).await;
    let page = ledger.receipts(&guild_ledger::Filter::default(), None, 1).await.unwrap();
    let last = &page.receipts[0];
    let mut forged: Value = serde_json::from_str(&last.text).unwrap();
    forged["seq"] = json!(9);
    forged["previous"] = json!(last.hash);
    let body = guild_manifest::canonical::text_of(&forged);
    let insert = format!(
        "INSERT INTO receipts (installation, seq, id, kind, agent, code, body, signature) \
         SELECT installation, 9, 'rcp_forged', kind, agent, code, '{body}', '{}' FROM receipts WHERE seq = 8",
        "ab".repeat(64)
    );
    site.sql(&insert).await;
    expect![[r#"
        9 receipts, 3 records
        9 signature_invalid: its signature is not the installation's
    "#]]
    .assert_eq(&shown(&ledger.verify().await.unwrap()));
    let error = ledger.append(at(9), entry(Kind::Load)).await.unwrap_err();
    assert!(matches!(error, WriteError::Forked { seq: 9 }), "{error}");
}

async fn columns_that_say_something_else_are_found(site: Site) {
    check(
        &site,
        "UPDATE receipts SET code = 'failed' WHERE seq = 3",
        expect![[r#"
        8 receipts, 3 records
        3 columns_edited: the database finds it by something that it does not say
    "#]],
    )
    .await;
    check(
        &site,
        "UPDATE receipts SET skill = 'x', agent = 'b' WHERE seq = 8",
        expect![[r#"
        8 receipts, 3 records
        8 columns_edited: the database finds it by something that it does not say
    "#]],
    )
    .await;
    check(&site, "UPDATE receipts SET ends = NULL WHERE seq = 7", expect![[r#"
        8 receipts, 3 records
        7 columns_edited: the database finds it by something that it does not say
        grt_… record_columns_edited: the database finds the record by something that it does not say, or says wrongly whether it has ended
    "#]]).await;
}

async fn edited_records_are_found_and_do_not_count(site: Site) {
    let grants = "kind = 'grant' AND ended IS NULL";
    let widen = format!(r#"UPDATE records SET body = replace(body, '"/w"', '"/x"') WHERE {grants}"#);
    check(
        &site,
        &widen,
        expect![[r#"
        8 receipts, 3 records
        grt_… record_edited: the record was changed after it was signed
    "#]],
    )
    .await;
    check(&site, &format!("UPDATE records SET agent = 'b' WHERE {grants}"), expect![[r#"
        8 receipts, 3 records
        grt_… record_columns_edited: the database finds the record by something that it does not say, or says wrongly whether it has ended
    "#]]).await;
    check(&site, &format!("UPDATE records SET ended = 'rcp_x' WHERE {grants}"), expect![[r#"
        8 receipts, 3 records
        grt_… record_columns_edited: the database finds the record by something that it does not say, or says wrongly whether it has ended
    "#]]).await;
    check(
        &site,
        &format!("DELETE FROM records WHERE {grants}"),
        expect![[r#"
        8 receipts, 2 records
        grt_… record_missing: the record that receipt [id] brought into force is missing
    "#]],
    )
    .await;
    let copy = format!(
        "INSERT INTO records (id, kind, installation, agent, skill, digest, body, signature) \
         SELECT 'grt_copy', kind, installation, 'b', skill, digest, body, signature FROM records WHERE {grants}"
    );
    check(
        &site,
        &copy,
        expect![[r#"
        8 receipts, 4 records
        grt_… record_unknown: no receipt has brought the record into force
    "#]],
    )
    .await;
    let site = site.another().await;
    let ledger = fill(&site).await;
    assert!(matches!(ledger.standing(at(8), &ask("/w")).await.unwrap(), Standing::Allowed(_)));
    site.sql(&widen).await;
    for workspace in ["/w", "/x"] {
        let standing = ledger.standing(at(8), &ask(workspace)).await.unwrap();
        assert!(matches!(standing, Standing::Undecided { .. }), "{standing:?}");
    }
}

async fn a_grant_that_was_used_up_stays_used_up(site: Site) {
    check(&site, "UPDATE records SET ended = NULL", expect![[r#"
        8 receipts, 3 records
        apr_… record_columns_edited: the database finds the record by something that it does not say, or says wrongly whether it has ended
        grt_… record_columns_edited: the database finds the record by something that it does not say, or says wrongly whether it has ended
    "#]]).await;
    let site = site.another().await;
    let ledger = fill(&site).await;
    site.sql("UPDATE records SET ended = NULL").await;
    let standing = ledger.standing(at(8), &ask("/x")).await.unwrap();
    assert!(matches!(standing, Standing::Undecided { .. }), "{standing:?}");
    let run = RunId::new(at(8)).unwrap();
    ledger.start(at(8), run, entry(Kind::Started), Some(&ask("/x"))).await.unwrap_err();
}

fn head_of(site: &Site) -> PathBuf {
    let mut heads = fs::read_dir(site.path().join("heads")).unwrap();
    heads.next().unwrap().unwrap().path()
}

async fn a_lost_head_is_found_and_nothing_is_written_without_it(site: Site) {
    let ledger = fill(&site).await;
    let head = head_of(&site);
    fs::write(&head, "what was here").unwrap();
    expect![[r#"
        8 receipts, 3 records
        head_unreadable: the head cannot be read, so that nobody can say whether the end is missing
    "#]]
    .assert_eq(&shown(&ledger.verify().await.unwrap()));
    let error = ledger.append(at(8), entry(Kind::Load)).await.unwrap_err();
    assert!(matches!(error, WriteError::Head(_)), "{error}");
    fs::remove_file(&head).unwrap();
    expect![[r#"
        8 receipts, 3 records
        head_missing: the head is missing, so that nobody can say whether the end is
    "#]]
    .assert_eq(&shown(&ledger.verify().await.unwrap()));
    let error = ledger.append(at(8), entry(Kind::Load)).await.unwrap_err();
    assert!(matches!(error, WriteError::HeadMissing { found: 8 }), "{error}");
    let accepted = ledger.accept_cut(at(9), "moved house".to_owned(), person()).await.unwrap();
    assert_eq!(accepted.receipt.entry.cut.unwrap().acknowledged, None);
    assert!(ledger.verify().await.unwrap().is_whole());
}

async fn an_older_head_accuses_nobody(site: Site) {
    let ledger = fill(&site).await;
    let head = fs::read(head_of(&site)).unwrap();
    for minute in 8..12 {
        ledger.append(at(minute), entry(Kind::Load)).await.unwrap();
    }
    fs::write(head_of(&site), head).unwrap();
    assert!(ledger.verify().await.unwrap().is_whole());
    assert_eq!(ledger.append(at(12), entry(Kind::Load)).await.unwrap().receipt.seq, 13);
    site.sql("DELETE FROM receipts WHERE seq > 11").await;
    expect![[r#"
        11 receipts, 3 records
        tail_cut: the end is missing: 13 receipts were acknowledged and 11 are there
    "#]]
    .assert_eq(&shown(&ledger.verify().await.unwrap()));
}

async fn a_chain_that_went_on_without_its_head_is_found(site: Site) {
    let ledger = fill(&site).await;
    site.sql("DELETE FROM receipts WHERE seq = 8").await;
    let other = Options { heads: site.path().join("other heads"), ..site.options() };
    let other = Ledger::open(other).await.unwrap();
    other.accept_cut(at(9), "another head".to_owned(), person()).await.unwrap();
    assert!(other.verify().await.unwrap().is_whole());
    expect![[r#"
        8 receipts, 3 records
        8 head_mismatch: it is not the receipt that was acknowledged
    "#]]
    .assert_eq(&shown(&ledger.verify().await.unwrap()));
    let error = ledger.append(at(10), entry(Kind::Load)).await.unwrap_err();
    assert!(matches!(error, WriteError::Forked { seq: 8 }), "{error}");
}

async fn a_neighbours_key_is_not_replaced_unseen(site: Site) {
    let (ledger, _neighbour) = (site.open().await, fill(&site.neighbour()).await);
    ledger.append(at(0), entry(Kind::Load)).await.unwrap();
    let ours = format!("UPDATE installations SET public_key = '{}'", ledger.public_key());
    site.sql(&ours).await;
    expect![[r#"
        1 receipts, 3 records
        key_unknown: the installation's key is missing or not its own
        apr_… key_unknown: the installation's key is missing or not its own
        grt_… key_unknown: the installation's key is missing or not its own
        grt_… key_unknown: the installation's key is missing or not its own
    "#]]
    .assert_eq(&shown(&ledger.verify().await.unwrap()));
    site.sql("DELETE FROM installations").await;
    expect![[r#"
        1 receipts, 3 records
        key_unknown: the installation's key is missing or not its own
        apr_… key_unknown: the installation's key is missing or not its own
        grt_… key_unknown: the installation's key is missing or not its own
        grt_… key_unknown: the installation's key is missing or not its own
    "#]]
    .assert_eq(&shown(&ledger.verify().await.unwrap()));
}

async fn faults_beyond_counting_are_counted(site: Site) {
    let ledger = fill(&site).await;
    for minute in 8..1010 {
        ledger.append(at(minute), entry(Kind::Load)).await.unwrap();
    }
    site.sql("UPDATE receipts SET code = 'x'").await;
    let report = ledger.verify().await.unwrap();
    assert_eq!((report.receipts(), report.broken.len(), report.more), (1010, 1000, 10));
}
