//! A storm of changes: skills are rewritten in every way in which editors save, while the hall is looked at again and again and eight
//! clients list, search and run. No snapshot is torn, no error is told that is not the truth, and memory does not grow.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use guild_engine::containers::Surroundings;
use guild_engine::{
    Books, Envelope, Given, Hall, Images, Invocation, ListRequest, Live, Places, Principal, SearchRequest,
    Workshop, configure, container_backends, list, reply, run, search,
};
use guild_testkit::{Fixture, rounds};

use crate::{config_files, machine};

const CLIENTS: usize = 8;
/// A thousand changes in ten seconds: slow enough for the clients to see what is between, and faster than anybody types.
const PACE: Duration = Duration::from_millis(10);
/// What the process may have grown by: everything is held at most a few times over while it is exchanged.
const MOST_GROWTH: u64 = 192 << 20;

fn name(number: u64) -> String {
    format!("skill-{number:04}")
}

/// A skill whose description and text say the same number.
fn text(number: u64, version: u64) -> String {
    let name = name(number);
    format!(
        "---\nname: {name}\ndescription: Says version {version} of {name}\n---\nThis is version {version} of {name}.\n"
    )
}

/// Saves a file as one editor or another does.
fn save(path: &Path, text: &str, way: u64) {
    let aside = path.with_extension("md.swp");
    match way % 3 {
        0 => fs::write(path, text).unwrap(),
        1 => {
            fs::write(&aside, text).unwrap();
            fs::rename(&aside, path).unwrap();
        }
        _ => {
            let backup = path.with_extension("md~");
            fs::rename(path, &backup).unwrap();
            fs::write(path, text).unwrap();
            fs::remove_file(backup).unwrap();
        }
    }
}

/// Bytes of memory that the process has in use.
fn memory() -> u64 {
    let pages = fs::read_to_string("/proc/self/statm").unwrap();
    pages.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4096
}

/// One client: lists, searches and runs, each time in the hall of that moment.
fn client(fixture: &Fixture, live: &Live, count: u64, is_over: &AtomicBool) -> u64 {
    let place = |name: &str| Some(fixture.join("home").join(name));
    let places = Places { data: place("data"), state: place("state"), cache: None };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let configured = configure(&config_files(fixture));
        let books = Books::open(&places, &configured.config, &[]).await.unwrap();
        let mut number = 0;
        // At least once, however short the storm.
        while number == 0 || !is_over.load(Ordering::Relaxed) {
            let hall = live.current();
            check_whole(&hall, count);
            let found = search(&hall, &SearchRequest { query: "version", limit: 5, agent: None, file: None });
            assert_eq!(found.code.as_str(), "ok", "{}", found.message);
            let wanted = name(number % count);
            let ran = ran(&hall, &places, &books, &wanted).await;
            check_truth(&hall, &wanted, &ran);
            number += 1;
        }
        books.leave();
        number
    })
}

/// Every skill is there exactly once, loaded or known to be broken, and a hall never changes under its reader.
#[track_caller]
fn check_whole(hall: &Hall, count: u64) {
    let listed = || {
        let reply = list(hall, &ListRequest { all: true, ..ListRequest::default() });
        let told = serde_json::to_value(&reply).unwrap();
        let skills = told.pointer("/data/skills").and_then(|skills| skills.as_array()).unwrap().clone();
        (skills.len(), serde_json::to_string(&skills).unwrap())
    };
    let (first, again) = (listed(), listed());
    let gone = hall.snapshot.broken.len() as u64;
    assert!(first.0 as u64 + gone >= count - 1, "{} skills and {gone} broken ones of {count}", first.0);
    assert_eq!(first.1, again.1, "a hall changed under its reader");
    for entry in &hall.snapshot.skills {
        let name = &entry.skill.name;
        assert!(entry.skill.description.ends_with(name.as_str()), "{name}: {}", entry.skill.description);
    }
}

async fn ran(hall: &Hall, places: &Places, books: &Books, name: &str) -> Envelope<reply::Run> {
    let images = Images::open(places, &hall.machine, &hall.config.sandbox);
    let backends = container_backends(&Surroundings::default());
    let store = places.store().unwrap();
    #[expect(clippy::disallowed_methods, reason = "a test has the machine's clock")]
    let clock = || SystemTime::now();
    let workshop = Workshop {
        hall,
        places,
        images: &images,
        backends: &backends,
        store: &store,
        books,
        providers: &[],
        subagents: None,
        approver: None,
        patience: None,
        clock: &clock,
    };
    let (person, given) = (Principal::person("terminal"), Given::default());
    let mut unseen = |_: &_| {};
    let invocation = Invocation { owner: "me", ..Invocation::new(name, &person, &given, &mut unseen) };
    run(&workshop, invocation).await
}

/// What a run says is what was so: a whole text of the skill, or that it is being rewritten.
#[track_caller]
fn check_truth(hall: &Hall, name: &str, ran: &Envelope<reply::Run>) {
    let is_known = hall.snapshot.skills.iter().any(|entry| entry.skill.name == name);
    match ran.code.as_str() {
        "ok" => {
            let output = ran.data.output.as_ref().and_then(|output| output.as_str()).unwrap_or_default();
            let told = if output.is_empty() { &ran.message } else { output };
            assert!(told.contains(&format!("of {name}.")), "{name}: {told:?}");
        }
        "skill_not_found" => assert!(!is_known, "{}", ran.message),
        other => {
            assert!(["skill_changed", "read_failed"].contains(&other), "{name}: [{other}] {}", ran.message);
        }
    }
}

#[test]
fn a_storm_of_changes_tears_no_snapshot_and_tells_no_lie() {
    let changes = rounds() * 4;
    let count = changes.clamp(100, 1000);
    let mut world = "//- /home/config.toml\nbuiltins = false\n//- /project/.git/\n".to_owned();
    for number in 0..count {
        world.push_str(&format!("//- /project/.guild/skills/{}/SKILL.md\n{}", name(number), text(number, 0)));
    }
    let fixture = Fixture::write(&world);
    let file = |number: u64| -> PathBuf {
        fixture.join("project/.guild/skills").join(name(number)).join("SKILL.md")
    };
    let live = Live::open(machine(&fixture), &config_files(&fixture));
    assert_eq!(live.current().snapshot.skills.len() as u64, count);
    let (is_over, looks, calls) = (AtomicBool::new(false), AtomicU64::new(0), AtomicU64::new(0));
    let mut before = 0;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                live.refresh(machine(&fixture), &config_files(&fixture)).unwrap();
                looks.fetch_add(1, Ordering::Relaxed);
            }
        });
        for _ in 0..CLIENTS {
            scope.spawn(|| calls.fetch_add(client(&fixture, &live, count, &is_over), Ordering::Relaxed));
        }
        for change in 0..changes {
            let number = change.wrapping_mul(7919) % count;
            save(&file(number), &text(number, change + 1), change);
            std::thread::sleep(PACE);
            // Once the clients are warm, what is in use is what is needed.
            if change == changes / 4 {
                before = memory();
            }
        }
        is_over.store(true, Ordering::Relaxed);
    });
    let grown = memory().saturating_sub(before);
    assert!(grown < MOST_GROWTH, "{grown} bytes more than after a quarter of the storm");
    assert!(looks.load(Ordering::Relaxed) > 0 && calls.load(Ordering::Relaxed) >= CLIENTS as u64);
    live.refresh(machine(&fixture), &config_files(&fixture)).unwrap();
    let hall = live.current();
    assert_eq!(hall.snapshot.skills.len() as u64, count, "after the storm everything is there");
    for number in 0..count {
        let entry = hall.snapshot.skills.iter().find(|entry| entry.skill.name == name(number)).unwrap();
        let written = fs::read_to_string(file(number)).unwrap();
        assert!(
            written.contains(&entry.skill.description),
            "{}: {}",
            entry.skill.name,
            entry.skill.description
        );
    }
}
