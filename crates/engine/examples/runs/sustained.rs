//! As many runs as one process can do for a while, by several workers that share the books.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use guild_engine::catalog::{Freshness, Machine};
use guild_engine::containers::Surroundings;
use guild_engine::ledger::via;
use guild_engine::{
    Books, Code, Given, Hall, Images, Invocation, Principal, Workshop, container_backends, run,
};
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};

use crate::places;

/// Where which skill is run.
pub struct Site<'a> {
    pub home: PathBuf,
    pub project: PathBuf,
    pub skill: &'a str,
}

/// Runs the skill for so many seconds.
pub fn measure(site: &Site<'_>, seconds: u64, workers: usize) -> Result<Value, Box<dyn Error>> {
    let hall = Hall::open(machine(site), &[], Freshness::Indexed);
    let places = places(&site.home);
    let images = Images::open(&places, &hall.machine, &hall.config.sandbox);
    let backends = container_backends(&Surroundings::default());
    let store = places.store().map_err(|refusal| refusal.message)?;
    let opened = runtime()?.block_on(Books::open_to_write(&places, &hall.config, &[], now().into()));
    let books = opened.map_err(|refusal| refusal.message)?;
    let workshop = Workshop {
        hall: &hall,
        places: &places,
        images: &images,
        backends: &backends,
        store: &store,
        books: &books,
        providers: &[],
        subagents: None,
        approver: None,
        patience: None,
        clock: &now,
    };
    let (begun, length) = (Instant::now(), Duration::from_secs(seconds));
    let runs = AtomicU64::new(0);
    let work = || work(&workshop, site.skill, &runs, begun + length);
    let ended: Result<Vec<()>, String> = thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        workers.into_iter().map(|worker| worker.join().map_err(|_| "a worker panicked".to_owned())?).collect()
    });
    ended?;
    let (runs, took) = (runs.into_inner(), begun.elapsed().as_secs_f64());
    books.leave();
    Ok(json!({"workers": workers, "runs": runs, "seconds": took}))
}

/// One worker: a thread that lives as long as the containers that it launches.
fn work(workshop: &Workshop<'_>, skill: &str, runs: &AtomicU64, end: Instant) -> Result<(), String> {
    let runtime = runtime().map_err(|error| error.to_string())?;
    while Instant::now() < end {
        let envelope = runtime.block_on(run(
            workshop,
            Invocation {
                owner: "me",
                ..Invocation::new(skill, &Principal::person(via::FLAG), &Given::default(), &mut |_| {})
            },
        ));
        if envelope.code != Code::Ok {
            return Err(format!("{}: {}", envelope.code.as_str(), envelope.message));
        }
        runs.fetch_add(1, Ordering::Relaxed);
    }
    Ok(())
}

fn runtime() -> std::io::Result<Runtime> {
    Builder::new_current_thread().enable_all().build()
}

/// The machine as the command would see it with nothing but a home in its environment.
fn machine(site: &Site<'_>) -> Machine {
    let env = BTreeMap::from([
        ("HOME".to_owned(), site.home.to_string_lossy().into_owned()),
        ("PATH".to_owned(), "/usr/bin:/bin".to_owned()),
    ]);
    Machine {
        directory: site.project.clone(),
        home: Some(site.home.clone()),
        cache: Some(site.home.join(".cache/guild")),
        now: Some(now()),
        os: std::env::consts::OS.to_owned(),
        env,
        ..Machine::default()
    }
}

#[expect(clippy::disallowed_methods, reason = "this is a program, which reads its own clock")]
fn now() -> SystemTime {
    SystemTime::now()
}
