//! What people think of runs is kept for good, signed, and by people alone.

use guild_ledger::receipt::{Entry, Kind, SkillRef};
use guild_ledger::{FeedbackError, Judgement, RunId};
use guild_manifest::Digest;

use crate::on_both_databases;
use crate::site::{Site, agent, at, person};

on_both_databases! {
    a_judgement_stays_with_the_state_that_ran
    agents_judge_nothing
    runs_are_told_by_how_they_ended
}

fn judgement(good: bool, note: Option<&str>) -> Judgement {
    Judgement {
        skill: "report".to_owned(),
        security_hash: Digest::of(b"state"),
        receipt: "rcp_0".to_owned(),
        good,
        note: note.map(str::to_owned),
    }
}

async fn a_judgement_stays_with_the_state_that_ran(site: Site) {
    let ledger = site.open().await;
    ledger.judge(at(0), judgement(true, None), person()).await.unwrap();
    let (second, receipt) = ledger.judge(at(1), judgement(false, Some("no totals")), person()).await.unwrap();
    let skill = receipt.receipt.entry.skill.unwrap();
    assert_eq!((skill.name.as_str(), skill.security_hash), ("report", Some(Digest::of(b"state"))));
    drop(ledger);
    let ledger = site.open().await;
    let kept = ledger.feedback().await.unwrap();
    assert_eq!(kept.len(), 2);
    assert_eq!(kept[1], second);
    assert!(ledger.verify().await.unwrap().is_whole());
}

async fn agents_judge_nothing(site: Site) {
    let ledger = site.open().await;
    let error = ledger.judge(at(0), judgement(true, None), agent("writer")).await.unwrap_err();
    assert!(matches!(error, FeedbackError::NotAPerson), "{error}");
    assert!(ledger.feedback().await.unwrap().is_empty());
}

async fn runs_are_told_by_how_they_ended(site: Site) {
    let ledger = site.open().await;
    for (number, code) in ["ok", "script_failed", "ok"].into_iter().enumerate() {
        let (begun, ended) = (at(number as u64 * 2), at(number as u64 * 2 + 1));
        let run = RunId::new(begun).unwrap();
        let entry = |kind, code: &str| Entry {
            skill: Some(SkillRef { name: "report".to_owned(), security_hash: None }),
            ..Entry::new(kind, code, person())
        };
        ledger.start(begun, run, entry(Kind::Started, "ok"), None).await.unwrap();
        ledger.finish(ended, run, entry(Kind::Finished, code)).await.unwrap();
    }
    let codes = async |most| {
        ledger.ended_runs(most).await.unwrap().into_iter().map(|run| run.code).collect::<Vec<_>>()
    };
    assert_eq!(codes(10).await, ["ok", "script_failed", "ok"]);
    assert_eq!(codes(2).await, ["ok", "script_failed"]);
}
