//! Writers that are killed, and writers that write at the same time: nothing acknowledged is lost, nothing is used twice.

use std::collections::BTreeMap;
use std::hint;

use guild_ledger::receipt::{Entry, Kind};
use guild_ledger::{Ledger, RunId, StartError};
use guild_testkit::{Dice, rounds};

use crate::on_both_databases;
use crate::site::{Site, agent, at, person};
use crate::writer::{Orders, Task, once, said, wanted};

on_both_databases! {
    nothing_acknowledged_is_lost_when_a_writer_is_killed
    writers_of_several_processes_and_installations_do_not_get_in_each_others_way
}

async fn nothing_acknowledged_is_lost_when_a_writer_is_killed(site: Site) {
    site.open().await.close().await.unwrap();
    let mut dice = Dice::new(0x0006_1ed6_e12d);
    for _ in 0..rounds() {
        let mut writer = Orders::at(&site, Task::Everything).spawn();
        let mut output = String::new();
        for _ in 0..5 + dice.below(20) {
            output.push_str(&writer.line());
        }
        for _ in 0..dice.below(1_000_000) {
            hint::spin_loop();
        }
        output.push_str(&writer.kill().stdout());
        survey(&site.open().await, &said(&output)).await;
    }
}

/// Compares the ledger with what a writer that is dead had said.
async fn survey(ledger: &Ledger, said: &[Vec<String>]) {
    let report = ledger.verify().await.unwrap();
    assert!(report.is_whole(), "{report:?}");
    let lines = |verb: &'static str| said.iter().filter(move |words| words[0] == verb);
    for words in lines("receipt") {
        let id = words[1].parse().unwrap();
        assert!(ledger.receipt(id).await.unwrap().is_some(), "{id} was acknowledged");
    }
    for words in lines("grant") {
        let plan = words[2..].join(" ");
        let was_used = lines("started").any(|started| started[1..].join(" ") == plan);
        let first = start(ledger, &plan).await;
        assert!(!(first && was_used), "{plan} was used twice");
        assert!(!start(ledger, &plan).await, "{plan} was used twice");
    }
    for signed in ledger.unfinished().await.unwrap() {
        let entry = Entry::new(Kind::Interrupted, "interrupted", person());
        ledger.interrupt(at(0), signed.receipt.entry.run.unwrap(), entry).await.unwrap();
    }
    assert_eq!(ledger.unfinished().await.unwrap(), []);
}

async fn start(ledger: &Ledger, plan: &str) -> bool {
    let entry = Entry::new(Kind::Started, "ok", agent("a"));
    match ledger.start(at(0), RunId::new(at(0)).unwrap(), entry, Some(&wanted(plan))).await {
        Ok(_) => true,
        Err(StartError::NotAllowed(_)) => false,
        Err(error) => panic!("{error}"),
    }
}

async fn writers_of_several_processes_and_installations_do_not_get_in_each_others_way(site: Site) {
    let plans = 20;
    let ledger = site.open().await;
    for plan in 0..plans {
        ledger.give(at(plan), once(&plan.to_string()), person()).await.unwrap();
    }
    let task = Task::Compete { receipts: 30, plans };
    let key = ledger.public_key();
    let neighbour = site.neighbour();
    let sites = [&site, &neighbour, &site, &neighbour];
    let writers: Vec<_> = sites.iter().map(|site| Orders::at(site, task).trusting(key).spawn()).collect();
    let mut started: BTreeMap<String, usize> = BTreeMap::new();
    let mut receipts = 0;
    for writer in writers {
        let output = writer.finish();
        assert_eq!(output.code(), Some(0), "{output}");
        for words in said(&output.stdout()) {
            receipts += 1;
            if words[0] == "started" {
                *started.entry(words[1].clone()).or_default() += 1;
            }
        }
    }
    assert!(started.len() == 20 && started.values().all(|count| *count == 1), "{started:?}");
    let report = ledger.verify().await.unwrap();
    assert!(report.is_whole(), "{report:?}");
    assert_eq!((report.receipts(), report.chains.len()), (receipts + plans, 2));
}
