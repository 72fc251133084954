//! A ledger of any length: runs of other skills, written one by one through the ledger itself, signed and chained like all others.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;
use std::time::Instant;

use guild_engine::ledger::receipt::{
    Entry, Kind, Limits, Outcome, Output, Parameter, Plan, Resources, SkillRef,
};
use guild_engine::ledger::{Filter, Ledger, Principal, RunId, Timestamp, via};
use guild_engine::manifest::Digest;
use guild_engine::{Books, configure};
use serde_json::{Value, json};
use tokio::runtime::Builder;

use crate::places;

/// Skills that the receipts are about.
const SKILLS: u64 = 50;

/// Adds runs until there are so many receipts.
pub fn fill(home: &Path, goal: u64) -> Result<Value, Box<dyn Error>> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let opened = Books::open(&places(home), &configure(&[]).config, &[]).await;
        let books = opened.map_err(|refusal| refusal.message)?;
        let newest = books.ledger.receipts(&Filter::default(), None, 1).await?;
        let (begun, had) = (Instant::now(), newest.receipts.first().map_or(0, |newest| newest.receipt.seq));
        let mut have = had;
        while have + 2 <= goal {
            one_run(&books.ledger, have).await?;
            have += 2;
        }
        let took = begun.elapsed().as_secs_f64();
        books.ledger.close().await?;
        Ok(json!({"had": had, "receipts": have, "seconds": took}))
    })
}

async fn one_run(ledger: &Ledger, number: u64) -> Result<(), Box<dyn Error>> {
    let now = Timestamp::from_millis(1_700_000_000_000 + number * 1000);
    let run = RunId::new(now)?;
    ledger.start(now, run, started(number), None).await?;
    ledger.finish(now, run, finished(number, now)).await?;
    Ok(())
}

fn started(number: u64) -> Entry {
    let plan = Plan {
        digest: Some(Digest::of(b"plan")),
        parameters: BTreeMap::from([("path".to_owned(), Parameter::Value("/workspace".into()))]),
        workspace: Some("/home/somebody/project".to_owned()),
        network: Some("none".to_owned()),
        backend: Some("embedded".to_owned()),
        image: Some(Digest::of(b"image")),
        limits: Some(Limits { time_ms: Some(600_000), memory_bytes: Some(512 << 20), ..Limits::default() }),
        ..Plan::default()
    };
    Entry { plan: Some(plan), ..entry(Kind::Started, number) }
}

fn finished(number: u64, now: Timestamp) -> Entry {
    let output = Output { digest: Digest::of(&number.to_le_bytes()), bytes: 1234, truncated: false };
    let mut outcome = Outcome::at(now, now);
    outcome.exit_code = Some(0);
    outcome.outputs = BTreeMap::from([("stderr".to_owned(), output), ("stdout".to_owned(), output)]);
    outcome.resources = Resources { cpu_ms: Some(40), memory_bytes: Some(12 << 20), processes: Some(2) };
    Entry { outcome: Some(outcome), ..entry(Kind::Finished, number) }
}

fn entry(kind: Kind, number: u64) -> Entry {
    let name = format!("samples/skill-{}", number % SKILLS);
    let skill = Some(SkillRef { name, security_hash: Some(Digest::of(b"skill")) });
    Entry { skill, ..Entry::new(kind, "ok", Principal::person(via::TERMINAL)) }
}
