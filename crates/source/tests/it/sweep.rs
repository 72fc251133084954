//! What nobody refers to goes out of the store, and nothing else does, whoever uses it meanwhile.

use crate::world::World;
use guild_manifest::Digest;
use guild_source::store::sweep::{Manner, Swept};
use guild_source::store::{Content, Kept, Store};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Everything that is as old as [`age`] makes it is older than this.
fn since() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_000_000)
}

/// Lets everything in the store look as if it had lain there for ever.
fn age(world: &World) {
    age_below(&world.fixture.join("data/store"));
}

fn age_below(directory: &Path) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            age_below(&path);
        }
        File::open(&path).unwrap().set_modified(UNIX_EPOCH).unwrap();
    }
}

fn sweep(store: &Store, roots: &[Digest], manner: Manner) -> Swept {
    let roots: BTreeSet<Digest> = roots.iter().copied().collect();
    store.still().unwrap().sweep(&roots, since(), manner).unwrap()
}

/// So many skills, kept at once.
fn many(world: &World, count: usize) -> Vec<Kept> {
    let places: Vec<_> = (0..count).map(|number| world.fixture.join(format!("many/{number}"))).collect();
    let contents: Vec<Content<'_>> = places.iter().map(|place| Content::Directory(place)).collect();
    world.store().keep_all(&contents).unwrap()
}

fn skills(count: usize) -> String {
    let skill = |number| format!("//- /many/{number}/SKILL.md\nnumber {number}\n");
    (0..count).map(skill).collect()
}

#[test]
fn what_a_root_leads_to_stays_and_the_rest_goes() {
    let world = World::new("//- /skill/SKILL.md\nOne.\n//- /skill/a/b.txt\nTwo.\n");
    let store = world.store();
    let stored = world.stage().unwrap();
    let payload = store.put(format!("{{\"tree\":\"{}\"}}", stored.digest).as_bytes()).unwrap();
    let other = store.put(b"nobody needs this").unwrap();
    let log = store.put_log(b"printed").unwrap();
    age(&world);
    let swept = sweep(&store, &[payload], Manner::Count);
    assert_eq!(swept, Swept { kept: 5, removed: 2, freed: 24 });
    assert!(store.get(&other).is_ok() && store.get_log(&log).is_ok(), "counting removes nothing");
    assert_eq!(sweep(&store, &[payload], Manner::Remove), swept);
    assert!(store.get(&other).is_err() && store.get_log(&log).is_err());
    assert_eq!(store.tree(&stored.digest).unwrap().tree, stored.tree);
    let all = sweep(&store, &[], Manner::Remove);
    assert_eq!((all.kept, all.removed, world.blob_count()), (0, 5, 0));
    assert!(!stored.root.exists() && world.leftovers().is_empty());
}

#[test]
fn a_pack_goes_when_it_is_worth_it() {
    for (kept, files) in [(4, 1), (1, 1), (0, 0)] {
        let world = World::new(&skills(10));
        let trees = many(&world, 10);
        age(&world);
        let roots: Vec<Digest> = trees.iter().take(kept).map(|tree| tree.digest).collect();
        let store = world.store();
        let swept = sweep(&store, &roots, Manner::Remove);
        let (stays, goes) = (kept * 2, (10 - kept) * 2);
        assert_eq!((swept.kept, swept.removed), (stays, goes), "{kept}");
        assert_eq!(fs::read_dir(world.fixture.join("data/store/packs")).unwrap().count(), files, "{kept}");
        for tree in trees.iter().take(kept) {
            assert_eq!(store.kept(&tree.digest).unwrap().tree, tree.tree);
            assert_eq!(world.store().kept(&tree.digest).unwrap().tree, tree.tree);
        }
    }
    let world = World::new(&skills(10));
    let trees = many(&world, 10);
    age(&world);
    let roots: Vec<Digest> = trees.iter().take(9).map(|tree| tree.digest).collect();
    assert_eq!(
        sweep(&world.store(), &roots, Manner::Remove).removed,
        0,
        "for a tenth nothing is written anew"
    );
}

#[test]
fn what_somebody_relies_on_again_counts_as_new() {
    for count in [1, 10] {
        let world = World::new(&skills(count));
        let trees = many(&world, count);
        age(&world);
        assert_eq!(many(&world, count), trees);
        let swept = sweep(&world.store(), &[], Manner::Remove);
        assert_eq!(swept.removed, 0, "{count}");
        assert!(world.store().kept(&trees[0].digest).is_ok());
    }
}

#[test]
fn whoever_adds_waits_for_whoever_sweeps() {
    let world = World::new(&skills(1));
    many(&world, 1);
    age(&world);
    let store = world.store();
    let still = store.still().unwrap();
    std::thread::scope(|scope| {
        let adding = scope.spawn(|| many(&world, 1));
        std::thread::sleep(Duration::from_millis(50));
        assert!(!adding.is_finished());
        assert_eq!(still.sweep(&BTreeSet::new(), since(), Manner::Remove).unwrap().removed, 2);
        drop(still);
        // What it would have relied on has gone by now, and is written anew.
        let kept = adding.join().unwrap();
        assert_eq!(world.store().kept(&kept[0].digest).unwrap().tree, kept[0].tree);
    });
}
