//! Measures a ledger: opening it, writing runs to it, looking things up, verifying it.
//!
//!     cargo run --release -p guild-ledger --example receipts -- DIRECTORY RECEIPTS [POSTGRES-URL]
//!
//! It adds runs to the ledger in DIRECTORY (or at the URL) until it holds that many receipts, and prints medians. The
//! figures of syncing are those of the disk that DIRECTORY lies on; `/dev/shm` shows what everything else costs.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a program for people that ends where something fails"
)]

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use guild_ledger::receipt::{Entry, Kind, Limits, Outcome, Output, Parameter, Plan, Resources, SkillRef};
use guild_ledger::{
    Ask, Filter, Ledger, Location, Mode, NewGrant, Options, Principal, PrincipalKind, Role, RunId, Timestamp,
};
use guild_manifest::Digest;

const ROUNDS: usize = 50;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let directory = Path::new(&arguments[0]);
    let goal: u64 = arguments[1].parse().unwrap();
    let location = match arguments.get(2) {
        Some(url) => Location::Postgres(url.clone()),
        None => Location::Sqlite(directory.join("data/ledger.db")),
    };
    let (keys, heads) = (directory.join("keys"), directory.join("state"));
    let options = Options { location, keys, heads, trusted: Vec::new(), patience: Duration::from_secs(60) };
    let ledger = Ledger::open(options.clone()).await.unwrap();
    allow(&ledger).await;
    fill(&ledger, goal).await;
    ledger.leave();
    opening(&options).await;
    let ledger = Ledger::open(options).await.unwrap();
    runs(&ledger, goal).await;
    lookups(&ledger).await;
    let begin = Instant::now();
    let report = ledger.verify().await.unwrap();
    let (time, count) = (begin.elapsed(), report.receipts());
    println!("verify      {:>10.1?}  {count} receipts, whole: {}", time, report.is_whole());
    ledger.leave();
}

/// Writes runs until there are `goal` receipts, and shows what one costs on the way.
async fn fill(ledger: &Ledger, goal: u64) {
    let mut have = ledger.receipts(&Filter::default(), None, 1).await.unwrap().receipts[0].receipt.seq;
    let step = (goal / 10).max(1000);
    while have + 2 <= goal {
        let begin = Instant::now();
        let until = (have + step).min(goal);
        let from = have;
        while have + 2 <= until.max(from + 2) {
            one_run(ledger, have).await;
            have += 2;
        }
        println!(
            "fill        {:>10.1?}  a receipt, up to {have}",
            begin.elapsed() / u32::try_from(have - from).unwrap()
        );
    }
}

async fn opening(options: &Options) {
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let begin = Instant::now();
        let ledger = Ledger::open(options.clone()).await.unwrap();
        times.push(begin.elapsed());
        ledger.leave();
    }
    show("open", times);
}

async fn runs(ledger: &Ledger, from: u64) {
    let (mut starts, mut finishes) = (Vec::new(), Vec::new());
    for number in 0..ROUNDS as u64 {
        let (start, finish) = one_run(ledger, from + number).await;
        starts.push(start);
        finishes.push(finish);
    }
    show("start", starts);
    show("finish", finishes);
}

async fn lookups(ledger: &Ledger) {
    let text = |text: &str| Some(text.to_owned());
    let filters = [
        ("list all", Filter::default()),
        ("list skill", Filter { skill: text("samples/skill-8"), ..Filter::default() }),
        ("list code", Filter { code: text("script_failed"), ..Filter::default() }),
        ("list none", Filter { code: text("nothing"), ..Filter::default() }),
    ];
    for (name, filter) in filters {
        let mut times = Vec::new();
        for _ in 0..ROUNDS {
            let begin = Instant::now();
            ledger.receipts(&filter, None, 50).await.unwrap();
            times.push(begin.elapsed());
        }
        show(name, times);
    }
}

fn show(name: &str, mut times: Vec<Duration>) {
    times.sort();
    println!("{name:<11} {:>10.1?}  median, worst {:.1?}", times[times.len() / 2], times[times.len() - 1]);
}

/// A run with a receipt at either end, and what they took.
async fn one_run(ledger: &Ledger, number: u64) -> (Duration, Duration) {
    let now = Timestamp::from_millis(1_800_000_000_000 + number * 1000);
    let run = RunId::new(now).unwrap();
    let begin = Instant::now();
    ledger.start(now, run, started(number), Some(&ask(number))).await.unwrap();
    let start = begin.elapsed();
    let begin = Instant::now();
    ledger.finish(now, run, finished(number, now)).await.unwrap();
    (start, begin.elapsed())
}

/// Allows everything that is run here.
async fn allow(ledger: &Ledger) {
    let now = Timestamp::from_millis(1_800_000_000_000);
    for number in 0..50 {
        let Ask { agent, skill, security_hash, workspace, .. } = ask(number);
        let new = NewGrant { agent, skill, security_hash, workspace, mode: Mode::AlwaysAllow, expires: None };
        ledger.give(now, new, person()).await.unwrap();
    }
}

fn ask(number: u64) -> Ask {
    Ask {
        agent: "default".to_owned(),
        skill: format!("samples/skill-{}", number % 50),
        security_hash: Digest::of(b"skill"),
        workspace: "/home/somebody/project".to_owned(),
        plan: Digest::of(b"plan"),
    }
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
    Entry { plan: Some(plan), ..entry(Kind::Started, "started", number) }
}

fn finished(number: u64, now: Timestamp) -> Entry {
    let output = Output { digest: Digest::of(&number.to_le_bytes()), bytes: 1234, truncated: false };
    let outcome = Outcome {
        started: now,
        finished: now,
        exit_code: Some(0),
        signal: None,
        timed_out: false,
        out_of_memory: false,
        outputs: BTreeMap::from([("stderr".to_owned(), output), ("stdout".to_owned(), output)]),
        resources: Resources { cpu_ms: Some(40), memory_bytes: Some(12 << 20), processes: Some(2) },
        changes: None,
    };
    let code = if number.is_multiple_of(1000) { "script_failed" } else { "ok" };
    Entry { outcome: Some(outcome), ..entry(Kind::Finished, code, number) }
}

fn entry(kind: Kind, code: &str, number: u64) -> Entry {
    let Ask { skill, security_hash, .. } = ask(number);
    let skill = Some(SkillRef { name: skill, security_hash: Some(security_hash) });
    Entry { skill, ..Entry::new(kind, code, person()) }
}

fn person() -> Principal {
    let (agent, via) = ("default".to_owned(), "terminal".to_owned());
    Principal { kind: PrincipalKind::Person, agent, role: Role::Admin, via }
}
