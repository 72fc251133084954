//! Stagers that are killed: what was acknowledged is there and whole, and what they left is tidied up.

use crate::world::World;
use guild_manifest::Digest;
use guild_source::store::{Content, MemoryFile, Store};
use guild_testkit::{Dice, Env, Running, rounds};
use std::fs;
use std::hint;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

#[test]
fn a_killed_stager_loses_nothing_that_it_acknowledged() {
    let world = World::new("");
    let store = world.store();
    let mut dice = Dice::new(0x0057_09ed);
    for round in 0..rounds() {
        let mut stager = spawn(&world, round);
        let mut output = String::new();
        for _ in 0..1 + dice.below(6) {
            output.push_str(&stager.line());
        }
        for _ in 0..dice.below(1_000_000) {
            hint::spin_loop();
        }
        output.push_str(&stager.kill().stdout());
        for digest in said(&output) {
            let stored = store.tree(&digest).unwrap();
            let bytes = fs::read(stored.root.join("SKILL.md")).unwrap();
            assert_eq!(stored.tree.file("SKILL.md").unwrap().digest, Digest::of(&bytes));
        }
        every_blob_is_whole(&world);
        store.put(format!("somebody else, {round}").as_bytes()).unwrap();
        assert!(world.leftovers().is_empty(), "{:?}", world.leftovers());
    }
}

fn every_blob_is_whole(world: &World) {
    for shard in fs::read_dir(world.fixture.join("data/store/blobs/sha256")).unwrap() {
        for blob in fs::read_dir(shard.unwrap().path()).unwrap() {
            let blob = blob.unwrap();
            let digest = Digest::of(&fs::read(blob.path()).unwrap());
            assert_eq!(digest.to_hex(), blob.file_name().to_str().unwrap());
        }
    }
}

fn spawn(world: &World, round: u64) -> Running {
    let program = std::env::current_exe().unwrap();
    let own = ["--exact", "crash::a_stager_stages_until_it_is_killed", "--nocapture", "--test-threads=1"];
    let orders = format!("{round} {}", world.fixture.join("data/store").display());
    Env::new(program).invocation(&own).stdin(orders.into_bytes()).spawn()
}

/// The trees that a stager has acknowledged; the last line of one that was killed may be torn.
fn said(output: &str) -> Vec<Digest> {
    let whole = output.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n'));
    whole.filter_map(|line| line.strip_prefix("said ")).map(|digest| digest.parse().unwrap()).collect()
}

/// The stager: this program again, told by its standard input where to work. Nobody having told it anything, it works a little.
#[test]
fn a_stager_stages_until_it_is_killed() {
    let mut orders = String::new();
    io::stdin().read_to_string(&mut orders).unwrap();
    // The harness has begun a line of its own.
    println!();
    match orders.split_once(' ') {
        Some((round, place)) => {
            for number in 0.. {
                work(Path::new(place), round, number);
                pack(Path::new(place), round, number);
            }
        }
        None => {
            let world = World::new("");
            let place: PathBuf = world.fixture.join("data/store");
            (0..3).for_each(|number| work(&place, "0", number));
            assert_eq!(
                world.blob_count(),
                10,
                "each tree has two files of its own and a manifest, and all have one file in common"
            );
        }
    }
}

fn work(place: &Path, round: &str, number: u64) {
    let texts = [format!("text {round} {number}"), format!("large {round} {number}").repeat(5_000)];
    let file = |path, text: &'static str| MemoryFile { path, bytes: text.as_bytes(), executable: true };
    let [skill, large] = &texts;
    let files = [
        MemoryFile { path: "SKILL.md", bytes: skill.as_bytes(), executable: false },
        MemoryFile { path: "data/large", bytes: large.as_bytes(), executable: false },
        file("bin/same", "same"),
    ];
    let stored = Store::open(place).unwrap().stage(&Content::Memory(&files)).unwrap();
    println!("said {}", stored.digest);
}

/// Keeps so many trees that they share one file.
fn pack(place: &Path, round: &str, number: u64) {
    let texts: Vec<String> = (0..9).map(|at| format!("packed {round} {number} {at}").repeat(500)).collect();
    let files: Vec<[MemoryFile<'_>; 1]> = texts
        .iter()
        .map(|text| [MemoryFile { path: "SKILL.md", bytes: text.as_bytes(), executable: false }])
        .collect();
    let contents: Vec<Content<'_>> = files.iter().map(|files| Content::Memory(files)).collect();
    for kept in Store::open(place).unwrap().keep_all(&contents).unwrap() {
        println!("said {}", kept.digest);
    }
}
