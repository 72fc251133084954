//! A process that writes to a ledger and says what was acknowledged, until it is done or killed.
//!
//! It is this test program again, told by its standard input what to do; see [`Orders`]. What it says stands in lines that begin
//! with `said`, since the test harness talks too.

use std::io::{self, Read};
use std::path::PathBuf;
use std::time::Duration;

use guild_ledger::receipt::{Entry, Kind};
use guild_ledger::{Ask, Ledger, Location, Mode, NewGrant, Options, PublicKey, RunId, StartError};
use guild_manifest::Digest;
use guild_testkit::{Env, Invocation, Running};
use serde::{Deserialize, Serialize};

use crate::site::{Site, agent, at, person, run};

/// What a writer is to do.
#[derive(Debug, Serialize, Deserialize)]
pub struct Orders {
    sqlite: Option<PathBuf>,
    postgres: Option<String>,
    keys: PathBuf,
    heads: PathBuf,
    trusted: Vec<PublicKey>,
    task: Task,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub enum Task {
    /// Write receipts, give grants and use them up, without end.
    Everything,
    /// Write so many receipts, and try each of the grants for the plans below this number.
    Compete { receipts: u64, plans: u64 },
    /// Write until there is no space, make some, and go on.
    FillUp,
    /// Try to open and to write.
    Try,
}

impl Orders {
    pub fn at(site: &Site, task: Task) -> Self {
        let Options { location, keys, heads, trusted, .. } = site.options();
        let (sqlite, postgres) = match location {
            Location::Sqlite(path) => (Some(path), None),
            Location::Postgres(url) => (None, Some(url)),
        };
        Self { sqlite, postgres, keys, heads, trusted, task }
    }

    pub fn trusting(self, key: PublicKey) -> Self {
        Self { trusted: vec![key], ..self }
    }

    fn options(&self) -> Options {
        let file = self.sqlite.clone().map(Location::Sqlite);
        let location = file.unwrap_or_else(|| Location::Postgres(self.postgres.clone().unwrap()));
        let (keys, heads, trusted) = (self.keys.clone(), self.heads.clone(), self.trusted.clone());
        Options { location, keys, heads, trusted, patience: Duration::from_secs(60) }
    }

    /// Starts a writer.
    pub fn spawn(&self) -> Running {
        let program = std::env::current_exe().unwrap();
        self.invocation(&Env::new(program), &[]).spawn()
    }

    /// A writer that is started by another program, whose arguments come first.
    pub fn invocation(&self, env: &Env, before: &[&str]) -> Invocation {
        let own = ["--exact", "writer::a_writer_does_as_it_is_told", "--nocapture", "--test-threads=1"];
        let arguments: Vec<&str> = before.iter().chain(&own).copied().collect();
        env.invocation(&arguments).stdin(serde_json::to_vec(self).unwrap())
    }
}

/// The words of the lines that a writer has said.
pub fn said(output: &str) -> Vec<Vec<String>> {
    // The last line of one that was killed may be torn.
    let whole = output.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n'));
    let words = |line: &str| line.split(' ').map(str::to_owned).collect();
    whole.filter_map(|line| line.strip_prefix("said ")).map(words).collect()
}

#[test]
fn a_writer_does_as_it_is_told() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let (site, orders) = match serde_json::from_str(&text) {
        Ok(orders) => (None, orders),
        // Nobody has told it anything: this is the test of the writer itself.
        Err(_) => {
            let site = Site::sqlite();
            let orders = Orders::at(&site, Task::Compete { receipts: 3, plans: 2 });
            (Some(site), orders)
        }
    };
    // The harness has begun a line of its own.
    println!();
    run(work(&orders));
    run(async {
        if let Some(site) = site {
            assert_eq!(site.open().await.verify().await.unwrap().receipts(), 3);
        }
    });
}

async fn work(orders: &Orders) {
    match orders.task {
        Task::Everything => everything(&Ledger::open(orders.options()).await.unwrap()).await,
        Task::Compete { receipts, plans } => {
            compete(&Ledger::open(orders.options()).await.unwrap(), receipts, plans).await;
        }
        Task::FillUp => fill_up(&Ledger::open(orders.options()).await.unwrap(), orders).await,
        Task::Try => try_it(orders).await,
    }
}

async fn everything(ledger: &Ledger) {
    for number in 0.. {
        let receipt = ledger.append(at(number), load()).await.unwrap();
        println!("said receipt {}", receipt.receipt.id);
        let plan = format!("{} {number}", std::process::id());
        let (grant, receipt) = ledger.give(at(number), once(&plan), person()).await.unwrap();
        println!("said receipt {}", receipt.receipt.id);
        println!("said grant {} {plan}", grant.id);
        let run = RunId::new(at(number)).unwrap();
        let started = ledger.start(at(number), run, load(), Some(&wanted(&plan))).await.unwrap();
        println!("said started {plan}");
        println!("said receipt {}", started.receipt.receipt.id);
        let receipt = ledger.finish(at(number), run, load()).await.unwrap();
        println!("said receipt {}", receipt.receipt.id);
    }
}

async fn compete(ledger: &Ledger, receipts: u64, plans: u64) {
    for number in 0..receipts.max(plans) {
        if number < receipts {
            ledger.append(at(number), load()).await.unwrap();
            println!("said receipt");
        }
        if number < plans {
            let run = RunId::new(at(number)).unwrap();
            match ledger.start(at(number), run, load(), Some(&wanted(&number.to_string()))).await {
                Ok(_) => println!("said started {number}"),
                Err(StartError::NotAllowed(_)) => {}
                Err(error) => panic!("{error:?}"),
            }
        }
    }
}

async fn fill_up(ledger: &Ledger, orders: &Orders) {
    let ballast = orders.heads.join("ballast");
    std::fs::create_dir_all(&orders.heads).unwrap();
    std::fs::write(&ballast, vec![0; 400 << 10]).unwrap();
    let mut acknowledged = 0;
    let error = loop {
        match ledger.append(at(acknowledged), load()).await {
            Ok(_) => acknowledged += 1,
            Err(error) => break error,
        }
    };
    println!("said {error}");
    for _ in 0..3 {
        let error = ledger.append(at(acknowledged), load()).await.unwrap_err();
        println!("said again: {error}");
    }
    let report = ledger.verify().await.unwrap();
    assert!(report.is_whole() && report.receipts() == acknowledged && acknowledged > 10, "{report:?}");
    std::fs::remove_file(ballast).unwrap();
    ledger.append(at(acknowledged), load()).await.unwrap();
    let report = ledger.verify().await.unwrap();
    assert!(report.is_whole() && report.receipts() == acknowledged + 1, "{report:?}");
    println!("said and goes on");
}

async fn try_it(orders: &Orders) {
    match Ledger::open(orders.options()).await {
        Err(error) => println!("said opening: {error}"),
        Ok(ledger) => match ledger.append(at(0), load()).await {
            Ok(_) => println!("said written"),
            Err(error) => println!("said writing: {error}"),
        },
    }
}

fn load() -> Entry {
    Entry::new(Kind::Load, "ok", agent("a"))
}

/// A run by this plan.
pub fn wanted(plan: &str) -> Ask {
    Ask {
        agent: "a".to_owned(),
        skill: "s".to_owned(),
        security_hash: Digest::of(b"1"),
        workspace: "/w".to_owned(),
        plan: Digest::of(plan.as_bytes()),
    }
}

/// A grant for one run by this plan.
pub fn once(plan: &str) -> NewGrant {
    let Ask { agent, skill, security_hash, workspace, plan } = wanted(plan);
    NewGrant { agent, skill, security_hash, workspace, mode: Mode::RunOnce { plan }, expires: None }
}
